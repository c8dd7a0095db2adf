"""The Python program of docs/webhooks.md: taken from the page, started, and spoken to as the gateway does."""

import re
import sys
import unittest
from datetime import datetime, timedelta, timezone

from endpoint import ROOT, Endpoint, Gateway, new_secret


def program():
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/webhooks.md").read_text(encoding="utf-8"), re.S | re.M)
    return blocks[-1]


class DocumentedHandler(unittest.TestCase):
    def setUp(self):
        self.secret = new_secret()
        self.endpoint = Endpoint([sys.executable, str(ROOT / "tests/conformance/wsgi_host.py"), program()], self.secret)
        self.addCleanup(self.endpoint.stop)
        self.gateway = Gateway(self.endpoint, self.secret)

    def test_challenge_manifest_and_calls(self):
        self.assertEqual(self.gateway.ask(type="endpoint.challenge", nonce="👩‍🔧\u2028"), {"nonce": "👩‍🔧\u2028"})
        manifest = self.gateway.ask(type="tools.manifest")
        self.assertEqual(set(manifest), {"tools", "contexts"})
        self.assertEqual([(tool["name"], tool["side_effect"]) for tool in manifest["tools"]], [("add", "read_only")])
        self.assertEqual(self.gateway.call("call_1", "add", {"a": 9007199254740993, "b": 0}), {"result": 9007199254740993})
        failed = self.gateway.call("call_2", "add", {"a": 1})
        self.assertEqual(set(failed), {"error"})
        self.assertIsInstance(failed["error"]["message"], str)

    def test_a_signed_ping_without_a_body(self):
        status, answered, body = self.endpoint.post(b"", self.gateway.headers("msg_1", ""))
        self.assertEqual((status, body, "webhook-signature" in answered), (204, b"", False))

    def test_strangers_and_replays_are_told_nothing(self):
        text = '{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}'
        old = self.gateway.headers("msg_1", text, datetime.now(timezone.utc) - timedelta(minutes=6))
        for headers in [{}, Gateway(self.endpoint, new_secret()).headers("msg_1", text), old]:
            status, answered, body = self.endpoint.post(text.encode(), headers)
            self.assertEqual((status, body, "webhook-signature" in answered), (401, b"", False))


if __name__ == "__main__":
    unittest.main()
