"""Serves the WSGI application `endpoint` of the program in the first argument, on `PORT` (0: a free one)."""

import os
import sys
from wsgiref.simple_server import make_server

scope = {}
exec(compile(sys.argv[1], "docs/webhooks.md", "exec"), scope)
server = make_server("127.0.0.1", int(os.environ["PORT"]), scope["endpoint"])
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
