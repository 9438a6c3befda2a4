#!/usr/bin/env python3
"""Checks the checker of histories: short histories by hand, each with the one promise that it breaks, or none.

Prints a line for each history, and exits with 1 if the checker says something else about one.
"""

from __future__ import annotations

import sys
from typing import Callable

from history_check import check
from history_plants import PLANTS
from history_story import ANN, BEN, EVE, Story, bought, order
from report import Report

# Histories of which nothing can be said


def name_before_it(story: Story) -> None:
    """An acknowledgement that was sent before the first subscription of its name is refused after it."""
    asked = story.ask(ANN, "ack", name="books", seq=0)
    story.subscribe(BEN, 1, name="books")
    story.fail(asked, 1305)


def purchase(story: Story) -> None:
    """A purchase from the add to the removal, over a restart, seen by two."""
    story.subscribe(BEN, 1)
    story.caught_up(BEN, 1)
    story.add(ANN, "t", 2)
    story.record(BEN, 1, 2, bought("t", "purchasing"))
    story.record(BEN, 2, 4, bought("t"))
    story.line("closed", c=BEN)
    story.line("down")
    story.line("up", head=4, epoch="e")
    story.line("connect", c=BEN, u=BEN)
    story.add(ANN, "t", 4, duplicate=True)
    story.subscribe(BEN, 4)
    story.record(BEN, 4, 4, bought("t"), redelivery=True)
    story.caught_up(BEN, 4)
    story.finish(ANN, "t", 5)
    story.record(BEN, 4, 6, bought("t", finished=True), kind="transactionsRemoved")
    story.finish(EVE, "t", 6, "alreadyFinished")
    story.rest(bought("t", finished=True))


def unanswered(story: Story) -> None:
    """An add whose reply was lost, found by its key; another that was never accepted."""
    number = story.ask(ANN, "add", product="coins.100", key="k")
    story.ask(BEN, "add", product="coins.100", key="never")
    story.line("unknown", op=number)
    story.line("closed", c=ANN)
    story.line("connect", c=ANN, u=ANN)
    story.add(ANN, "t", 2, key="k", duplicate=True)
    story.rest(bought("t"))


def named(story: Story) -> None:
    """A named observer that comes back to its cursor; nobody else has it."""
    story.subscribe(ANN, 1, name="books")
    story.caught_up(ANN, 1)
    for seq in (2, 3, 4):
        story.record(ANN, seq - 1, seq, kind="productsChanged", revision=seq)
    story.call(ANN, "ack", {"name": "books", "seq": 3}, acked=3)
    story.call(ANN, "ack", {"name": "books", "seq": 2}, acked=3)
    story.fail(story.ask(BEN, "ack", name="books", seq=4), -32007)
    story.call(ANN, "unsubscribe", {"subscription": "s"}, unsubscribed=True, last=4)
    story.fail(story.ask(BEN, "subscribe", name="books"), 1304)
    story.subscribe(ANN, 4, name="books")
    story.record(ANN, 3, 4, kind="productsChanged", revision=4)
    story.caught_up(ANN, 4)
    story.call(BEN, "observers", {}, observers=[{"name": "books", "uid": ANN, "acked": 3}])
    story.rest()


def full_share(story: Story) -> None:
    """With 32 transactions, the second user that comes finds a share of its own, and the first is refused."""
    for number in range(15):
        story.add(ANN, f"a{number}", 2 + number)
    story.add(BEN, "b", 20)
    story.fail(story.ask(ANN, "add", product="coins.100", key="more"), -32013, limit="unfinishedTransactions")
    open_ones = [bought(f"a{number}") for number in range(15)] + [bought("b")]
    story.rest(*open_ones, shares={"1": {"unfinishedTransactions": 15}, "2": {"unfinishedTransactions": 1}})


def lost_reply(story: Story) -> None:
    """An add without a key whose reply was lost is charged to its user."""
    number = story.ask(BEN, "add", product="coins.100")
    story.line("unknown", op=number)
    story.rest(bought("b"), shares={"2": {"unfinishedTransactions": 1}})


def logged_out(story: Story) -> None:
    """While nobody is in session, records are hidden; afterwards what is open is shown again."""
    story.subscribe(BEN, 1)
    story.caught_up(BEN, 1)
    story.add(ANN, "t", 2)
    story.record(BEN, 1, 2, bought("t", "purchasing"))
    number = story.ask(ANN, "logout")
    story.subscribe(EVE, 2)
    story.caught_up(EVE, 2)
    story.ok(number, seq=3)
    story.record(BEN, 2, 3, kind="storefrontChanged", to=None, account="demo")
    story.call(ANN, "login", {"account": "demo"}, account="demo", seq=5)
    story.record(BEN, 3, 5, kind="storefrontChanged", to={"countryCode": "DE"}, account="demo")
    story.record(BEN, 5, 5, bought("t"), redelivery=True)
    story.caught_up(BEN, 5)
    story.call(ANN, "events", {"after": 2}, next=5, events=[
        {"seq": 3, "kind": "storefrontChanged", "to": None, "account": "demo"},
        {"seq": 4, "kind": "transactionsUpdated", "transactions": [bought("t")]},
        {"seq": 5, "kind": "storefrontChanged", "to": {"countryCode": "DE"}, "account": "demo"}])
    story.rest(bought("t"))


GOOD: list[Callable[[Story], None]] = [name_before_it, purchase, unanswered, named, full_share, lost_reply, logged_out]

# Histories that break one promise


def lost_add(story: Story) -> None:
    """An acknowledged add is nowhere at rest."""
    story.add(ANN, "t", 2)
    story.rest()


def forgotten_key(story: Story) -> None:
    """A key stands for another transaction after a restart; the first is gone."""
    story.add(ANN, "t", 2, key="k")
    story.add(ANN, "u", 3, key="k")
    story.rest(bought("u"))


def two_for_one_key(story: Story) -> None:
    """A key stands for two transactions, and both are charged."""
    story.add(ANN, "t", 2, key="k")
    story.add(ANN, "u", 3, key="k")
    story.rest(bought("t"), bought("u"))


def two_orders(story: Story) -> None:
    """A transaction has two orders."""
    story.add(ANN, "t", 2)
    again = {**order(bought("t")), "order": "again", "state": "refunded"}
    story.rest(bought("t"), orders=[order(bought("t")), again])


def unasked(story: Story) -> None:
    """A purchase that no client has asked for."""
    story.rest(bought("t"))


def swapped(story: Story) -> None:
    """Two events change places."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    story.record(ANN, 2, 3, kind="productsChanged", revision=3)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)


def twice(story: Story) -> None:
    """An event is sent again."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)


def missing_event(story: Story) -> None:
    """One event of a chain does not come."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)
    story.record(ANN, 3, 4, kind="productsChanged", revision=4)


def hidden_event(story: Story) -> None:
    """One event is kept from one subscription, and its chain is mended."""
    for user in (ANN, BEN):
        story.subscribe(user, 1)
        story.caught_up(user, 1)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)
    story.record(ANN, 2, 3, kind="productsChanged", revision=3)
    story.record(BEN, 1, 3, kind="productsChanged", revision=3)


def false_gap(story: Story) -> None:
    """A gap is told, and the log is whole."""
    story.subscribe(ANN, 3, after=0)
    story.line("gap", c=ANN, p={"subscription": "s", "from": 1, "to": 2, "reason": "trimmed"})
    story.record(ANN, 2, 3, kind="productsChanged", revision=3)
    story.caught_up(ANN, 3)
    story.rest()


def not_redelivered(story: Story) -> None:
    """A new subscription is not told of what is open."""
    story.add(ANN, "t", 2)
    story.subscribe(BEN, 2)
    story.caught_up(BEN, 2)
    story.rest(bought("t"))


def not_shown_again(story: Story) -> None:
    """A session begins, and what is open is not shown again."""
    story.subscribe(BEN, 1)
    story.caught_up(BEN, 1)
    story.add(ANN, "t", 2)
    story.record(BEN, 1, 2, bought("t", "purchasing"))
    story.call(ANN, "logout", {}, seq=3)
    story.call(ANN, "login", {"account": "demo"}, account="demo", seq=4)
    story.record(BEN, 2, 4, kind="storefrontChanged", to={"countryCode": "DE"}, account="demo")
    story.caught_up(BEN, 4)
    story.rest(bought("t"))


def finish_undone(story: Story) -> None:
    """What was finished is redelivered."""
    story.add(ANN, "t", 2)
    story.finish(ANN, "t", 3)
    story.subscribe(BEN, 3)
    story.record(BEN, 3, 3, bought("t"), redelivery=True)
    story.caught_up(BEN, 3)
    story.rest(bought("t", finished=True))


def event_after_removal(story: Story) -> None:
    """An event names what has left the queue."""
    story.add(ANN, "t", 2)
    story.subscribe(BEN, 2, after="now")
    story.finish(ANN, "t", 3)
    story.caught_up(BEN, 2)
    story.record(BEN, 2, 4, bought("t", finished=True), kind="transactionsRemoved")
    story.record(BEN, 4, 5, bought("t"))
    story.rest(bought("t", finished=True))


def endless_restore(story: Story) -> None:
    """A restore does not end."""
    story.call(ANN, "restore", {}, restore="r", seq=2, duplicate=False)
    story.rest()


def two_ends(story: Story) -> None:
    """A restore ends twice."""
    story.subscribe(BEN, 1)
    story.caught_up(BEN, 1)
    story.call(ANN, "restore", {}, restore="r", seq=2, duplicate=False)
    story.record(BEN, 1, 3, kind="restoreCompleted", restore="r", count=0)
    story.record(BEN, 3, 4, kind="restoreFailed", restore="r", error="cancelled")


def cursor_ahead(story: Story) -> None:
    """A named observer resumes behind what it has acknowledged."""
    story.subscribe(ANN, 1, name="books")
    story.caught_up(ANN, 1)
    for seq in (2, 3, 4):
        story.record(ANN, seq - 1, seq, kind="productsChanged", revision=seq)
    story.call(ANN, "ack", {"name": "books", "seq": 2}, acked=2)
    story.call(ANN, "unsubscribe", {"subscription": "s"}, unsubscribed=True, last=4)
    story.subscribe(ANN, 4, name="books")
    story.record(ANN, 3, 4, kind="productsChanged", revision=4)
    story.caught_up(ANN, 4)


def cursor_back(story: Story) -> None:
    """A cursor moves backwards."""
    story.subscribe(ANN, 9, name="books")
    story.call(ANN, "ack", {"name": "books", "seq": 8}, acked=8)
    story.call(ANN, "ack", {"name": "books", "seq": 7}, acked=7)


def name_forgotten(story: Story) -> None:
    """A name that exists is unknown."""
    story.subscribe(ANN, 1, name="books")
    story.fail(story.ask(ANN, "ack", name="books", seq=1), 1305)


def stolen_name(story: Story) -> None:
    """Another user takes a name."""
    story.subscribe(ANN, 1, name="books")
    story.subscribe(BEN, 1, name="books")


def refused_below(story: Story) -> None:
    """A user with nothing is refused."""
    story.fail(story.ask(ANN, "add", product="coins.100", key="k"), -32013, limit="unfinishedTransactions")


def admitted_beyond(story: Story) -> None:
    """A user takes more than its share."""
    story.add(BEN, "b", 2)
    for number in range(16):
        story.add(ANN, f"a{number}", 3 + number)


def record_undone(story: Story) -> None:
    """A record that was seen is another one after a restart."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    story.record(ANN, 1, 2, kind="productsChanged", revision=2)
    story.subscribe(BEN, 1)
    story.caught_up(BEN, 1)
    story.record(BEN, 1, 2, kind="productsChanged", revision=3)


def shorter_log(story: Story) -> None:
    """The log of the next process ends before what was acknowledged."""
    story.add(ANN, "t", 7)
    story.line("down")
    story.line("up", head=6, epoch="e")
    story.rest(bought("t"))


def changed_state(story: Story) -> None:
    """A failed transaction becomes a purchase."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    story.add(BEN, "t", 2)
    story.record(ANN, 1, 3, bought("t", "failed"))
    story.record(ANN, 3, 4, bought("t"))
    story.rest(bought("t"))


def event_before_reply(story: Story) -> None:
    """The event of an add comes before its reply."""
    story.subscribe(ANN, 1)
    story.caught_up(ANN, 1)
    number = story.ask(ANN, "add", product="coins.100", key="k")
    story.record(ANN, 1, 2, bought("t", "purchasing"))
    story.ok(number, transaction="t", seq=2, duplicate=False)


def replies_swapped(story: Story) -> None:
    """A reply overtakes an earlier one."""
    one, other = story.ask(ANN, "ping"), story.ask(ANN, "ping")
    story.ok(other, pong=True)
    story.ok(one, pong=True)


def other_amount(story: Story) -> None:
    """The store has charged another amount."""
    story.add(ANN, "t", 2)
    story.rest(bought("t"), orders=[{**order(bought("t")), "charged": ["2.99", "EUR"]}])


def paid_for_nothing(story: Story) -> None:
    """An order is paid, and its transaction failed."""
    story.add(ANN, "t", 2)
    story.rest(bought("t", "failed"), orders=[order(bought("t"))])


BAD: dict[str, list[Callable[[Story], None]]] = {
    "lost-add": [lost_add, forgotten_key], "second-charge": [two_for_one_key, two_orders, unasked],
    "order": [swapped, twice], "gap": [missing_event, hidden_event, false_gap], "redelivery": [not_redelivered, not_shown_again],
    "lost-finish": [finish_undone, event_after_removal], "restore": [endless_restore, two_ends],
    "cursor": [cursor_ahead, cursor_back, name_forgotten], "name": [stolen_name], "share": [refused_below, admitted_beyond],
    "undone": [record_undone, shorter_log], "state": [changed_state],
    "reply": [event_before_reply, replies_swapped], "views": [other_amount, paid_for_nothing],
}


def main() -> int:
    report = Report()
    for kind, tells in [("", GOOD), *BAD.items()]:
        for tell in tells:
            story = Story()
            tell(story)
            violations = check(story.lines)
            expected = {kind} if kind else set()
            report.check(f"{kind or 'nothing'}: {tell.__doc__}", {found.kind for found in violations} == expected,
                         [str(violation) for violation in violations])
    report.same("every planted defect has a history by hand", sorted(PLANTS.keys() - BAD.keys()), [])
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
