"""The examples where nothing is as they wish, and what they unlock with several at it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import List

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

_LOADING = """
import sys
from _goods import Goods
from payqueued import Notification
def bought(order, **more):
    return {"id": f"t-{order}", "transactionIdentifier": order, "transactionState": "purchased",
            "payment": {"product": {"productIdentifier": "coins.100"}}, **more}
"""

#: Unlocks orders of its own, each as the real programs do.
_PROGRAM = _LOADING + """
for number in range(25):
    Goods().settle(bought(f"{sys.argv[1]}-{number}"))
"""

#: One order of each kind, by what becomes of it.
_KINDS = _LOADING + """
refund = {"at": "2026-01-05T10:00:00.000Z", "reason": "refund"}
for transaction in (
    bought("a"), bought("a", id="t-again", transactionState="restored"),
    bought("a", id="t-owned", offer="alreadyOwned"), bought("b", revocation=refund),
    bought("c", transactionState="restored", revocation=refund),
    bought("d", offer="scheduled", effectiveAt="2026-02-05T10:00:00.000Z"),
    bought("e", transactionState="failed"), bought("f", offer="introductory"),
    bought("g"), bought("g", revocation=refund), bought("h"),
):
    Goods().settle(transaction)
Goods().hear(Notification("event", {"kind": "entitlementsRevoked", "orders": ["h", "i"]}))
"""


class ExampleTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="payqueued-")
        self.addCleanup(folder.cleanup)
        self.goods = os.path.join(folder.name, "goods.json")
        self.environment = {
            **os.environ, "GOODS": self.goods, "KEYS": os.path.join(folder.name, "keys"),
            "PAYQUEUED_SOCKET": "/nowhere/at/all", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([_LIBRARY, os.path.join(_LIBRARY, "examples")]),
        }

    def test_several_programs_at_once_lose_no_unlock(self) -> None:
        programs = [self.started("-c", _PROGRAM, name) for name in "abcd"]
        for program in programs:
            self.assertEqual(program.communicate(timeout=60), ("", ""))
        self.assertEqual(len(self.unlocked()), 100)

    def test_a_program_that_was_killed_is_in_nobodys_way(self) -> None:
        killed = self.started("-c", _PROGRAM + "print(flush=True)\nwhile True:\n    Goods().settle("
                              "bought('k'))\n    Goods().settle(bought('k', revocation={}))", "a")
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        self.assertEqual(self.started("-c", _PROGRAM, "b").communicate(timeout=60), ("", ""))
        self.assertGreaterEqual(len(self.unlocked()), 50)

    def test_what_was_refunded_or_begins_later_is_not_unlocked_and_an_order_only_once(self) -> None:
        self.assertEqual(self.started("-c", _KINDS).communicate(timeout=60), ("", ""))
        self.assertEqual(self.unlocked(), ["a", "f"])

    def test_a_daemon_that_is_not_there_is_told_in_a_line(self) -> None:
        for words in (
            ["observer.py"], ["observer_sync.py"], ["gate.py", "5.00"], ["finish.py"],
            ["restore.py"], ["purchase.py", "order-1", "coins.100"], ["deferred.py", "coins.100"],
        ):
            with self.subTest(words):
                self.expect(words, 2, "cannot connect to '/nowhere/at/all': No such file")

    def test_an_example_that_is_called_wrongly_says_how_to_call_it(self) -> None:
        for words in (
            ["gate.py"], ["gate.py", "much"], ["gate.py", "NaN"], ["purchase.py"],
            ["purchase.py", "order-1"], ["deferred.py"],
        ):
            with self.subTest(words):
                self.expect(words, 3, f"usage: {words[0]} ")

    def expect(self, words: List[str], status: int, beginning: str) -> None:
        """Checks that an example ends with a status and a single line of errors."""
        program = self.started(os.path.join(_LIBRARY, "examples", words[0]), *words[1:])
        _, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, status, errors)
        self.assertTrue(errors.startswith(beginning), errors)
        self.assertEqual(errors.count("\n"), 1, errors)

    def started(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *words], env=self.environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def unlocked(self) -> List[str]:
        with open(self.goods) as file:
            return list(json.load(file))


if __name__ == "__main__":
    unittest.main()
