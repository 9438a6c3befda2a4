"""What rules about a history are made of: its calls, its facts, and the violations that are found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Optional

# Calls that wait for a person, the store or time: they are answered when they end, not in turn.
WAITING = {"wait", "login", "signedHistory", "products", "entitlements", "drain", "reload", "backup"}


@dataclass(frozen=True)
class Violation:
    """A promise that was broken, and the line that shows it."""

    kind: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.kind} line {self.line}: {self.text}"


@dataclass
class Call:
    """A request, from the line where it was invoked."""

    op: int
    connection: int
    user: int
    method: str
    params: dict
    line: int
    time: float
    # What rules remember of it.
    kept: dict = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether its reply may come behind those of later requests."""
        return self.method in WAITING or self.method == "events" and "wait" in self.params


@dataclass
class Absence:
    """A time without a session: its lines, and the records that were made in it."""

    since: int
    low: int
    until: int = 1 << 60
    high: int = 1 << 60


class Facts:
    """Knowledge that several rules share."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.line = 0
        self.time = 0.0
        self.quiet = False
        # The user of each connection.
        self.users: dict[int, int] = {}
        # Transactions whose add was acknowledged and whose finish was not invoked, with the position of the reply.
        self.open: dict[str, int] = {}
        # The newest record that any client knows of.
        self.newest = 0
        # How often the session has ended, whether it may be over now, and the records that were hidden then.
        self.logouts, self.isAway = 0, False
        self.hidden: list[Absence] = []
        # Each record that was seen: its kind and its content.
        self.log: dict[int, tuple[str, str]] = {}
        # The transactions that records name: (seq, transaction, whether it was a removal).
        self.records: list[tuple[int, dict, bool]] = []
        # What was seen at rest.
        self.listed: dict[str, dict] = {}
        self.orders: list[dict] = []
        self.oldest = 1
        # Missed redeliveries, judged when it is known whether the transaction exists.
        self.missed: dict[str, tuple[int, str]] = {}

    def found(self, kind: str, text: str, line: Optional[int] = None) -> None:
        """Notes a violation."""
        self.violations.append(Violation(kind, line or self.line, text))

    def exists(self, transaction: str) -> bool:
        """Whether the queue knows a transaction at rest."""
        return transaction in self.listed

    def session(self, isAway: bool, seq: int) -> None:
        """Nobody may be in session from here on, or somebody is."""
        if isAway:
            self.logouts += 1
            self.isAway = True
            self.hidden.append(Absence(self.line, self.newest))
        elif self.isAway:
            self.isAway = False
            self.hidden[-1].until, self.hidden[-1].high = self.line, seq

    def visible(self) -> list[int]:
        """The records that nobody may have been kept from."""
        return sorted(seq for seq in self.log
                      if not any(absence.low < seq <= absence.high for absence in self.hidden))

    def is_excused(self, prev: int, since: int, line: int) -> bool:
        """Whether a reader from a line on may have been kept from records after `prev`, by another line.

        Who reads slowly when a session ends is not sent older records either, until the next one begins.
        """
        return any(absence.since < line and since < absence.until and prev < absence.high
                   for absence in self.hidden)

    def note_record(self, seq: int, params: dict) -> None:
        """Keeps a record; two readers must have seen the same."""
        content = json.dumps({name: value for name, value in params.items()
                              if name not in ("subscription", "prev", "seq")}, sort_keys=True)
        known = self.log.get(seq)
        if known is None:
            self.log[seq] = (params["kind"], content)
            for entry in params.get("transactions", []):
                self.records.append((seq, entry, params["kind"] == "transactionsRemoved"))
        elif known[1] != content:
            self.found("undone", f"record {seq} was {known[1]}, now {content}")


class Rule:
    """Follows a history; each method is called for each line of its kind."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def invoked(self, call: Call) -> None:
        """A request was sent."""

    def ok(self, call: Call, result: dict) -> None:
        """It was answered with a result."""

    def failed(self, call: Call, code: int, data: dict) -> None:
        """It was answered with an error."""

    def unknown(self, call: Call) -> None:
        """The connection ended before its reply."""

    def noted(self, entry: dict) -> None:
        """Any other line."""

    def ended(self) -> None:
        """The history is complete."""


def is_position(params: dict) -> bool:
    """Whether an event is a redelivery as of a position, and no record."""
    return bool(params.get("redelivery")) and params["seq"] == params["prev"]
