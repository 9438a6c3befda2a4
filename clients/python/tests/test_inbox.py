"""What is handed out, and when."""

from __future__ import annotations

import unittest
from typing import Any, Optional

from payqueued.models import Notification
from payqueued.observing import Inbox

from .server import transaction


def event(kind: str, *transactions: Any, **members: Any) -> Notification:
    return Notification("event", {"kind": kind, "transactions": list(transactions), **members})


class InboxTests(unittest.TestCase):
    def setUp(self) -> None:
        self.inbox = Inbox(["purchased", "restored", "failed"])
        self.inbox.take(Notification("opened", {}))

    def next_id(self) -> Optional[str]:
        found = self.inbox.next()
        return found["id"] if found is not None else None

    def caught_up(self) -> None:
        self.inbox.take(Notification("caughtUp", {"seq": 1}))

    def test_nothing_is_handed_out_before_caught_up(self) -> None:
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased")))
        self.assertIsNone(self.next_id())
        self.caught_up()
        self.assertEqual(self.next_id(), "a")

    def test_what_was_finished_in_the_replay_is_never_handed_out(self) -> None:
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased")))
        self.inbox.take(event("transactionsRemoved", transaction("a", "purchased")))
        self.caught_up()
        self.assertIsNone(self.next_id())

    def test_what_is_put_off_comes_with_the_next_round_and_holds_nothing_up(self) -> None:
        a, b = transaction("a", "purchased"), transaction("b", "failed")
        self.inbox.take(event("transactionsUpdated", a, b))
        self.caught_up()
        self.inbox.put_off("a")
        self.assertEqual(self.next_id(), "b")
        self.inbox.done("b")
        self.assertIsNone(self.next_id())
        self.inbox.new_round([a])  # type: ignore[list-item]
        self.assertEqual(self.next_id(), "a")

    def test_a_finished_one_does_not_come_again_from_what_was_on_its_way(self) -> None:
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased")))
        self.caught_up()
        self.inbox.done("a")
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased", redelivery=True)))
        self.assertIsNone(self.next_id())

    def test_completing_ones_unknown_states_and_unknown_kinds_are_let_pass(self) -> None:
        self.caught_up()
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased", completing=True)))
        self.inbox.take(event("transactionsUpdated", transaction("b", "dancing", extra=[1])))
        self.inbox.take(event("moonPhaseChanged", transaction("c", "purchased")))
        self.inbox.take(Notification("somethingNew", {"x": 1}))
        self.assertIsNone(self.next_id())

    def test_an_older_snapshot_changes_nothing(self) -> None:
        self.caught_up()
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased", 3)))
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchasing", 2)))
        self.assertEqual(self.next_id(), "a")

    def test_another_account_hides_what_was_pending_until_it_comes_again(self) -> None:
        self.caught_up()
        self.inbox.take(event("transactionsUpdated", transaction("a", "purchased")))
        self.inbox.take(event("storefrontChanged", account="other"))
        self.assertIsNone(self.next_id())
        self.inbox.take(event("transactionsUpdated", transaction("b", "purchased"), redelivery=True))
        self.assertIsNone(self.next_id())
        self.caught_up()
        self.assertEqual(self.next_id(), "b")


if __name__ == "__main__":
    unittest.main()
