"""The golden conversations: every line that a daemon ever sent must be understood."""

from __future__ import annotations

import json
import pathlib
import re
import unittest
from typing import Any, Iterator, Tuple

from payqueued.errors import NotUnderstood, ServerError, server_error
from payqueued.models import Notification
from payqueued.wire import Reply, parse

TRANSCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "transcripts"


def received() -> Iterator[Tuple[str, Any]]:
    """Each recorded line with a name; numbers in the place of their placeholders."""
    for file in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            step = json.loads(re.sub(r'"\$n\d+"', "7", line))
            if isinstance(step.get("<"), (dict, list)):
                yield f"{file.name}:{number}", step["<"]


class TranscriptTests(unittest.TestCase):
    def test_every_line_is_understood(self) -> None:
        count = 0
        for name, message in received():
            with self.subTest(name):
                count += 1
                if isinstance(message, list):
                    # This library sends no batches; an answer to one is none of its business.
                    with self.assertRaises(NotUnderstood):
                        parse(json.dumps(message))
                    continue
                self.check(message, parse(json.dumps(message)))
        self.assertGreater(count, 50)

    def check(self, message: Any, parsed: Any) -> None:
        if "method" in message:
            self.assertIsInstance(parsed, Notification)
            if parsed.method == "event":
                self.assertEqual(parsed.kind, message["params"]["kind"])
                self.assertIsInstance(parsed.seq, int)
            if "transactions" in message["params"]:
                self.assertEqual(parsed.transactions, message["params"]["transactions"])
            return
        self.assertIsInstance(parsed, Reply)
        self.assertEqual(parsed.id, message["id"])
        if "error" not in message:
            self.assertEqual(parsed.value("any"), message["result"])
            return
        with self.assertRaises(ServerError):
            parsed.value("any")
        error = server_error("any", message["error"])
        self.assertEqual(error.code, message["error"]["code"])
        self.assertEqual(error.kind, message["error"]["data"]["kind"])
        self.assertIn(error.retry, ("no", "same", "later"))
        self.assertIn(error.effect, ("none", "done", "unknown"))


if __name__ == "__main__":
    unittest.main()
