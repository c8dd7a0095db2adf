"""Speaks to an endpoint as the gateway does, with the stock Python library of Standard Webhooks on the gateway's side.

Beside what the library checks it checks by hand that the reply's id is the request's `reply_id`: a library cannot know.
"""

import base64
import hashlib
import http.client
import itertools
import json
import os
import re
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path

from standardwebhooks import Webhook

ROOT = Path(__file__).resolve().parents[2]


def new_secret(size=32):
    return "whsec_" + base64.b64encode(os.urandom(size)).decode()


class Endpoint:
    """A process that prints `port N` when it listens, with a free port and these secrets."""

    def __init__(self, command, secret, cwd=ROOT, **environment):
        environment = {**os.environ, "TOOLGATE_WEBHOOK_SECRET": secret, "PORT": "0", **environment}
        self.process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True)
        self.port = None
        for line in self.process.stdout:
            if found := re.search(r"port (\d+)$", line.strip()):
                self.port = int(found.group(1))
                break
        if self.port is None:
            raise AssertionError(f"the endpoint ended with status {self.process.wait()} before it listened")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def post(self, body, headers, path="/toolgate"):
        """Status, headers in lower case, and the bytes of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request("POST", path, body, {**headers, "content-type": "application/json"})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()


class Gateway:
    """Signs messages, and reads replies only if they are signed."""

    _replies = itertools.count(1)

    def __init__(self, endpoint, secret):
        self.endpoint = endpoint
        self.webhook = Webhook(secret)

    def headers(self, identifier, text, at=None):
        at = at or datetime.now(timezone.utc)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return {
            "webhook-id": identifier,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": self.webhook.sign(identifier, at, text),
            "content-digest": f"sha-256=:{digest}:",
        }

    def ask(self, identifier="msg_1", at=None, **message):
        reply_id = f"re_{next(self._replies)}"
        text = json.dumps({"reply_id": reply_id, **message}, ensure_ascii=False)
        status, headers, body = self.endpoint.post(text.encode(), self.headers(identifier, text, at))
        if status != 200:
            raise AssertionError(f"status {status}: {body!r}")
        # What is told of a message of another time is dated as that message.
        due = time.time() if at is None else at.timestamp()
        if headers["webhook-id"] != reply_id or abs(int(headers["webhook-timestamp"]) - due) > 60:
            raise AssertionError(f"a reply to something else, or of another time: {headers}")
        if at is None:
            return self.webhook.verify(body, headers)
        if headers["webhook-signature"] != self.webhook.sign(reply_id, at, body.decode()):
            raise AssertionError(f"a signature of something else: {headers}")
        return json.loads(body)

    def call(self, call, tool, arguments, side_effect="read_only"):
        principal = {"id": "u1", "tenant_id": "acme", "permissions": ["refunds:write"]}
        return self.ask(
            identifier=call, type="tool.call", call=call, tool=tool, arguments=arguments, principal=principal,
            attempt=1, side_effect=side_effect, deadline_seconds=15,
        )
