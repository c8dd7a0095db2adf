"""The stock Python library against the TypeScript SDK: what it signs is taken, and it verifies the replies.

The endpoint is `examples/shop`, the tools of the worker mounted behind a URL.
"""

import os
import unittest
from datetime import datetime, timedelta, timezone

from endpoint import ROOT, Endpoint, Gateway, new_secret


class TypescriptSdk(unittest.TestCase):
    def setUp(self):
        self.secrets = [new_secret(24), new_secret(64)]
        command = [os.environ.get("NODE", "node"), "--no-warnings", str(ROOT / "examples/shop/dist/serve.js")]
        self.endpoint = Endpoint(command, ",".join(self.secrets), SHOP_DATABASE=":memory:")
        self.addCleanup(self.endpoint.stop)

    def test_messages_of_the_stock_library_are_answered(self):
        for secret in self.secrets:
            gateway = Gateway(self.endpoint, secret)
            self.assertEqual(gateway.ask(type="endpoint.challenge", nonce="👩‍🔧\u2028é"), {"nonce": "👩‍🔧\u2028é"})
        manifest = gateway.ask(type="tools.manifest")
        self.assertEqual([tool["name"] for tool in manifest["tools"]], ["get_order_status", "update_shipping_note", "refund_order"])
        note = {"order_id": 1001, "note": "👩‍🔧 <&> \u2028"}
        reply = gateway.call("call_1", "update_shipping_note", note, "reversible_write")
        self.assertEqual(reply["result"]["shipping_note"], note["note"])
        self.assertEqual(reply["manifest"], manifest["hash"])
        self.assertEqual(gateway.call("call_1", "update_shipping_note", note, "reversible_write"), reply)
        unknown = gateway.call("call_2", "get_order_status", {"order_id": 9007199254740993})
        self.assertEqual(unknown["error"]["code"], "integer_out_of_range")

    def test_a_stranger_is_told_nothing_and_a_late_message_that_it_is_late(self):
        text = '{"type":"endpoint.challenge","reply_id":"re_1","nonce":"n"}'
        status, _, body = self.endpoint.post(text.encode(), Gateway(self.endpoint, new_secret()).headers("msg_1", text))
        self.assertEqual((status, body), (401, b""))
        late = datetime.now(timezone.utc) - timedelta(minutes=6)
        reply = Gateway(self.endpoint, self.secrets[0]).ask(at=late, type="endpoint.challenge", nonce="n")
        self.assertEqual(reply["error"]["code"], "stale_timestamp")


if __name__ == "__main__":
    unittest.main()
