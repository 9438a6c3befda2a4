#!/usr/bin/env python3
"""Checks a recorded history of clients of one queue against the promises of the protocol.

    history_check.py FILE

Each line of a history is one JSON object with the monotonic time `t` and what happened, `e`:

    connect, closed, refused   connection `c` of user `u`; `code` and `data` of a refusal
    invoke                     request `op` on `c`: method `m`, parameters `p`
    ok, fail, unknown          its end: result `r`; `code` and `data`; no reply before the connection ended
    event, caughtUp, gap, …    a notification on `c`, with the parameters `p`
    down, up                   the process has ended; another one answers, with `head` and `epoch`
    limits, settled            limits that may be in effect from here; the limits that are
    fault                      what was done to the daemon
    died, stuck                it ended by itself; work that does not end when all faults are over
    quiet                      all clients have stopped; what follows are the views of the queue at rest

The lines are in real time: what ended before something else began stands before it. Prints one line for each
violation, `CLASS line N: text`, and exits with 1 if there is any.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, Iterable, Optional

from history_facts import Call, Facts, Rule, Violation, is_position
from history_money import Finishes, Keys, Restores, Views
from history_order import Cursors, Log, Subscriptions
from history_shares import Shares


class Replies(Rule):
    """Replies come in the order of requests, and before the events that they cause; nothing is undone."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._queues: dict[int, list[int]] = {}
        # The newest record that each connection was sent.
        self._sent: dict[int, int] = {}
        # The newest record that was known when the process ended.
        self._durable = 0
        self._epoch: Optional[str] = None
        # The position of each add that was answered, and its line.
        self._places: list[tuple[int, str, int]] = []

    def invoked(self, call: Call) -> None:
        if call.method == "logout":
            self.facts.session(True, 0)
        if not call.waits:
            self._queues.setdefault(call.connection, []).append(call.op)

    def ok(self, call: Call, result: dict) -> None:
        self._answered(call)
        seq = result.get("seq", 0)
        if call.method == "login":
            self.facts.session(False, seq)
        if call.method in ("add", "restore", "finish"):
            self.facts.newest = max(self.facts.newest, seq)
        if call.method in ("add", "restore") and not result["duplicate"]:
            if self._sent.get(call.connection, 0) >= seq:
                self.facts.found("reply", f"the reply to {call.method} came after the event of record {seq}")
        if call.method == "add" and not result["duplicate"]:
            self._places.append((seq, result["transaction"], self.facts.line))

    def failed(self, call: Call, code: int, data: dict) -> None:
        self._answered(call)

    def _answered(self, call: Call) -> None:
        queue = self._queues.get(call.connection, [])
        if call.op in queue:
            if queue[0] != call.op:
                self.facts.found("reply", f"the reply to request {call.op} overtook that to {queue[0]}")
            queue.remove(call.op)

    def noted(self, entry: dict) -> None:
        if entry["e"] == "event" and not is_position(entry["p"]):
            seq = entry["p"]["seq"]
            self._sent[entry["c"]] = max(self._sent.get(entry["c"], 0), seq)
            self.facts.newest = max(self.facts.newest, seq)
        elif entry["e"] == "up":
            if entry["head"] < self._durable:
                self.facts.found("undone", f"record {self._durable} was seen, the log ends at {entry['head']}")
            if self._epoch not in (None, entry["epoch"]):
                self.facts.found("undone", f"the epoch {self._epoch} became {entry['epoch']}")
            self._epoch = entry["epoch"]
        elif entry["e"] == "down":
            self._durable = self.facts.newest
        elif entry["e"] == "closed":
            self._queues.pop(entry["c"], None)
            self._sent.pop(entry["c"], None)
        elif entry["e"] == "died":
            self.facts.found("died", f"the daemon ended by itself with {entry.get('code')}: {entry.get('log')}")
        elif entry["e"] == "stuck":
            self.facts.found("stuck", f"{entry.get('what')}")

    def ended(self) -> None:
        named: dict[int, set[str]] = {}
        for seq, entry, _ in self.facts.records:
            named.setdefault(seq, set()).add(entry["id"])
        for seq, transaction, line in self._places:
            if self.facts.exists(transaction) and seq in self.facts.log:
                if transaction not in named.get(seq, set()):
                    self.facts.found("reply", f"record {seq} is not the add of {transaction}", line)


class Reader:
    """Reads a history line by line for all rules."""

    def __init__(self, rules: list[Callable[[Facts], Rule]]) -> None:
        self.facts = Facts()
        self.rules = [rule(self.facts) for rule in rules]
        self._calls: dict[int, Call] = {}

    def read(self, entry: dict) -> None:
        """Takes the next line."""
        facts, kind = self.facts, entry["e"]
        facts.line += 1
        facts.time = entry["t"]
        if kind == "invoke":
            call = Call(entry["op"], entry["c"], facts.users[entry["c"]], entry["m"], entry["p"],
                        facts.line, entry["t"])
            self._calls[call.op] = call
            self._each(lambda rule: rule.invoked(call))
        elif kind in ("ok", "fail", "unknown"):
            self._end(self._calls.pop(entry["op"]), entry)
        else:
            if kind == "connect":
                facts.users[entry["c"]] = entry["u"]
            facts.quiet |= kind == "quiet"
            self._each(lambda rule: rule.noted(entry))

    def _end(self, call: Call, entry: dict) -> None:
        if entry["e"] == "ok":
            self._each(lambda rule: rule.ok(call, entry["r"]))
        elif entry["e"] == "fail":
            self._each(lambda rule: rule.failed(call, entry["code"], entry.get("data") or {}))
        else:
            self._each(lambda rule: rule.unknown(call))

    def _each(self, action: Callable[[Rule], Any]) -> None:
        for rule in self.rules:
            action(rule)

    def end(self) -> list[Violation]:
        """What was violated, in the order of the lines."""
        for rule in self.rules:
            rule.ended()
        return sorted(self.facts.violations, key=lambda violation: violation.line)


def check(entries: Iterable[dict]) -> list[Violation]:
    """The violations in a history."""
    reader = Reader([Replies, Views, Keys, Finishes, Restores, Log, Cursors, Subscriptions, Shares])
    for entry in entries:
        reader.read(entry)
    return reader.end()


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        violations = check(json.loads(line) for line in file)
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
