"""Rules about shares: none below its share is refused, none beyond it is admitted."""

from __future__ import annotations

import heapq
from typing import Optional

from history_facts import Call, Facts, Rule

SHARE, QUEUE_FULL = -32013, 1105
# What has ended may be counted so many seconds longer, since nobody sees the moment in which it ended.
LINGERS = 5.0
# Transactions of the store itself are charged to nobody; so many may be there that no client has seen.
UNCHARGED = 8
# Connections that the daemon has closed and a client has not: an admission may be beyond by so many.
STALE = 3
TRANSACTIONS, RESTORES = "unfinishedTransactions", "unfinishedRestores"
NAMES, SUBSCRIPTIONS, CONNECTIONS = "namedObservers", "subscriptions", "connections"
CALLS = "waitingCallsInAll"
LIMITS = (TRANSACTIONS, RESTORES, NAMES, SUBSCRIPTIONS, CONNECTIONS, CALLS)
# Users who are exempt, and use what is kept for them.
ROOT = 0


class Units:
    """What may be held of one limit, and what is held for certain."""

    def __init__(self) -> None:
        self.users: dict[str, int] = {}
        self._certain: set[str] = set()
        self._ends: list[tuple[float, str]] = []
        self._most: dict[int, int] = {}
        self._least: dict[int, int] = {}
        # How often something of a user became uncertain.
        self.doubts: dict[int, int] = {}

    def perhaps(self, unit: str, user: int) -> None:
        """From here it may be held."""
        if unit not in self.users:
            self.users[unit] = user
            count(self._most, user, 1)

    def surely(self, unit: str, user: int) -> None:
        """It is held from here, until something makes it uncertain."""
        self.perhaps(unit, user)
        if unit not in self._certain:
            self._certain.add(unit)
            count(self._least, self.users[unit], 1)

    def doubt(self, unit: str) -> None:
        """From here it may be held no longer."""
        if unit in self._certain:
            self._certain.discard(unit)
            user = self.users[unit]
            count(self._least, user, -1)
            count(self.doubts, user, 1)

    def doubt_all(self) -> None:
        """All may have ended."""
        for unit in list(self._certain):
            self.doubt(unit)

    def gone(self, unit: str, time: float) -> None:
        """It has ended, or is about to."""
        if unit in self.users:
            self.doubt(unit)
            heapq.heappush(self._ends, (time + LINGERS, unit))

    def never(self, unit: str) -> None:
        """It was not admitted."""
        self.doubt(unit)
        if (user := self.users.pop(unit, None)) is not None:
            count(self._most, user, -1)

    def most(self, time: float) -> dict[int, int]:
        """The largest numbers that users may hold."""
        while self._ends and self._ends[0][0] <= time:
            self.never(heapq.heappop(self._ends)[1])
        return dict(self._most)

    def least(self) -> dict[int, int]:
        """The numbers that users hold for certain."""
        return dict(self._least)


def count(numbers: dict[int, int], user: int, more: int) -> None:
    """Adds to the number of a user; who has none is not there."""
    if (number := numbers.get(user, 0) + more) > 0:
        numbers[user] = number
    else:
        numbers.pop(user, None)


def allowance(user: int, number: int, held: dict[int, int], more: int = 0) -> int:
    """What a user may hold of a limit, if users hold so much, and `more` is charged to nobody."""
    kept = 0 if number < 2 else max(1, number // 16)
    kept = max(kept - held.get(ROOT, 0), 0)
    others = sum(count for other, count in held.items() if other != user) + more
    users = len(held) + (user not in held)
    left = max(number - kept - others - held.get(user, 0), 0)
    share = (left + held.get(user, 0)) // (users + 1)
    return max(share, 1) if not held.get(user) and left else share


class Shares(Rule):
    """Counts what every user may hold and must hold, and judges each refusal and admission by it."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._units = {limit: Units() for limit in LIMITS}
        # Limits that may be in effect, each from a line on, and the line of the end.
        self._numbers: list[tuple[dict[str, int], int, Optional[int]]] = []
        self._status: Optional[dict] = None
        # Connections that were there when a process ended.
        self._ended: set[int] = set()
        # Admissions beyond a share.
        self._beyond: list[tuple[int, str]] = []
        # The users who may be charged for each transaction, and those who have used each key.
        self._charged: dict[str, set[int]] = {}
        self._askers: dict[str, set[int]] = {}
        # The users with an add that was never answered.
        self._unanswered: set[int] = set()

    # What is asked for

    @staticmethod
    def _wanted(call: Call) -> list[str]:
        if call.method == "add":
            return [TRANSACTIONS]
        if call.method == "restore":
            return [RESTORES]
        if call.method == "subscribe":
            return [SUBSCRIPTIONS, *([NAMES] if "name" in call.params else [])]
        return [CALLS] if call.waits else []

    @staticmethod
    def _unit(call: Call, limit: str) -> str:
        return f"name {call.params['name']}" if limit == NAMES else f"call {call.op}"

    def invoked(self, call: Call) -> None:
        for limit in self._wanted(call):
            units, unit = self._units[limit], self._unit(call, limit)
            call.kept[limit] = (units.least(), dict(units.doubts), units.most(call.time), unit in units.users)
            units.perhaps(unit, call.user)
        if call.method == "add" and "key" in call.params:
            self._askers.setdefault(call.params["key"], set()).add(call.user)
        elif call.method == "finish":
            for user in self._charged.get(call.params["transaction"], ()):
                self._units[TRANSACTIONS].doubt(f"{call.params['transaction']} {user}")
        elif call.method == "unsubscribe":
            self._units[SUBSCRIPTIONS].doubt(f"{call.connection} {call.params['subscription']}")
        elif call.params.get("forget"):
            self._units[NAMES].doubt(f"name {call.params['name']}")

    def ok(self, call: Call, result: dict) -> None:
        time, units = self.facts.time, self._units
        if call.method == "add":
            self._added(call, result)
        elif call.method == "restore":
            units[RESTORES].never(f"call {call.op}")
            if not result["duplicate"]:
                units[RESTORES].perhaps(result["restore"], call.user)
        elif call.method == "subscribe":
            units[SUBSCRIPTIONS].never(f"call {call.op}")
            # What is read when the process has ended may be held no longer.
            hold = units[SUBSCRIPTIONS].perhaps if call.connection in self._ended else units[SUBSCRIPTIONS].surely
            hold(f"{call.connection} {result['subscription']}", call.user)
            self._admitted(call, SUBSCRIPTIONS)
            if "name" in call.params:
                units[NAMES].surely(self._unit(call, NAMES), call.user)
                if not call.kept[NAMES][3]:
                    self._admitted(call, NAMES)
        elif call.method == "finish" and result["disposition"] in ("removed", "alreadyFinished"):
            self._left(call.params["transaction"])
        elif call.method == "unsubscribe":
            units[SUBSCRIPTIONS].gone(f"{call.connection} {call.params['subscription']}", time)
        elif call.method == "ack" and result.get("forgotten"):
            units[NAMES].gone(f"name {call.params['name']}", time)
        elif call.method == "status" and self.facts.quiet:
            self._status = result.get("shares")
        if call.waits:
            units[CALLS].gone(f"call {call.op}", time)

    def _added(self, call: Call, result: dict) -> None:
        name, units = result["transaction"], self._units[TRANSACTIONS]
        units.never(f"call {call.op}")
        if not result["duplicate"]:
            self._admitted(call, TRANSACTIONS)
        if name in self._charged:
            return
        # A reply to an earlier call may have been lost: its user is charged.
        users = {call.user} if not result["duplicate"] else self._askers[call.params["key"]]
        self._charged[name] = set(users)
        if not result.get("removed"):
            for user in users:
                units.perhaps(f"{name} {user}", user)
            if len(users) == 1 and name in self.facts.open:
                units.surely(f"{name} {call.user}", *users)

    def _left(self, name: str) -> None:
        for user in self._charged.get(name, ()):
            self._units[TRANSACTIONS].gone(f"{name} {user}", self.facts.time)

    def failed(self, call: Call, code: int, data: dict) -> None:
        isSoon = self.facts.time - call.time < LINGERS
        for limit in self._wanted(call):
            if code == SHARE and data.get("limit") == limit and isSoon:
                self._refused(call.user, limit, call.line, call.kept[limit][2])
            if limit == CALLS:
                self._units[limit].gone(self._unit(call, limit), self.facts.time)
            elif not (limit == NAMES and call.kept[limit][3]):
                self._units[limit].never(self._unit(call, limit))
        if code == QUEUE_FULL and isSoon:
            most = sum(self._units[TRANSACTIONS].most(self.facts.time).values()) + UNCHARGED
            if most < min(self._possible(TRANSACTIONS, call.line), default=0):
                self.facts.found("share", f"the queue is full with {most} transactions")

    def unknown(self, call: Call) -> None:
        if call.method == "add":
            self._unanswered.add(call.user)
        for limit in (SUBSCRIPTIONS, CALLS):
            self._units[limit].gone(f"call {call.op}", self.facts.time)

    def noted(self, entry: dict) -> None:
        kind, time, connections = entry["e"], self.facts.time, self._units[CONNECTIONS]
        if kind == "connect":
            connections.perhaps(f"{entry['c']}", entry["u"])
        elif kind == "refused":
            if entry["code"] == SHARE and entry.get("data", {}).get("limit") == CONNECTIONS:
                self._refused(self.facts.users[entry["c"]], CONNECTIONS, self.facts.line, connections.most(time))
            connections.never(f"{entry['c']}")
        elif kind == "closed":
            connections.gone(f"{entry['c']}", time)
            for unit in [unit for unit in self._units[SUBSCRIPTIONS].users if unit.startswith(f"{entry['c']} ")]:
                self._units[SUBSCRIPTIONS].gone(unit, time)
        elif kind == "down":
            self._ended = set(map(int, filter(str.isdigit, connections.users)))
            connections.doubt_all()
            self._units[SUBSCRIPTIONS].doubt_all()
        elif kind == "ended":
            self._units[SUBSCRIPTIONS].gone(f"{entry['c']} {entry['p']['subscription']}", time)
        elif kind == "event":
            self._event(entry["p"])
        elif kind == "fault" and entry["what"] == "flood":
            for number in range(entry["connections"]):
                connections.perhaps(f"flood {self.facts.line} {number}", entry["user"])
                connections.gone(f"flood {self.facts.line} {number}", time + entry["seconds"])
        elif kind in ("limits", "settled"):
            if kind == "settled":
                self._numbers = [(numbers, start, end or self.facts.line) for numbers, start, end in self._numbers]
            self._numbers.append((entry["numbers"], self.facts.line, None))

    def _event(self, params: dict) -> None:
        for transaction in params.get("transactions", []):
            if params["kind"] == "transactionsRemoved":
                self._left(transaction["id"])
        if params["kind"] in ("restoreCompleted", "restoreFailed"):
            self._units[RESTORES].gone(params["restore"], self.facts.time)

    # Judgements

    def _possible(self, limit: str, since: int) -> list[int]:
        return [numbers[limit] for numbers, _, end in self._numbers if end is None or end >= since]

    def _refused(self, user: int, limit: str, since: int, before: dict[int, int]) -> None:
        """A refusal is wrong if the user was below its share, however much all may have held."""
        now = self._units[limit].most(self.facts.time)
        held = {other: max(before.get(other, 0), now.get(other, 0)) for other in before.keys() | now.keys()}
        # The refused one was counted as well. Root may hold what no client has told.
        count(held, user, -1)
        held.setdefault(ROOT, 1)
        more = UNCHARGED if limit == TRANSACTIONS else 0
        allowed = min((allowance(user, number, held, more) for number in self._possible(limit, since)), default=0)
        if held.get(user, 0) < allowed:
            self.facts.found("share", f"user {user} holds {held.get(user, 0)} of {limit} at most, may hold "
                                      f"{allowed}, and was refused")

    def _admitted(self, call: Call, limit: str) -> None:
        """An admission is wrong if the user was beyond its share, however little all may have held."""
        if call.user == ROOT:
            return
        least, before, _, _ = call.kept[limit]
        now = self._units[limit].doubts
        held = {user: number - now.get(user, 0) + before.get(user, 0) for user, number in least.items()}
        held = {user: number for user, number in held.items() if number > 0}
        mine = held.get(call.user, 0)
        possible = self._possible(limit, call.line)
        allowed = max((allowance(call.user, number, held) for number in possible), default=mine + 1)
        if mine >= max(allowed, 1) + STALE:
            self._beyond.append((self.facts.line, f"user {call.user} holds {mine} of {limit} at least, may hold "
                                                  f"{allowed}, and was admitted; held are {held}"))

    def ended(self) -> None:
        # What was acknowledged and lost was counted as held.
        if not any(violation.kind == "lost-add" for violation in self.facts.violations):
            for line, text in self._beyond:
                self.facts.found("share", text, line)
        if self._status is None or not self.facts.quiet:
            return
        least: dict[int, int] = {}
        most: dict[int, int] = {}
        for name, entry in self.facts.listed.items():
            # What nobody was told of was asked for by one whose reply was lost; a restored one is charged to nobody.
            users = self._charged.get(name) or ({*self._unanswered, None} if entry.get("reason") == "purchase" else ())
            for user in users if not entry.get("finished") else ():
                count(most, user, 1)
                count(least, user, len(users) == 1)
        for user in {user for users in self._charged.values() for user in users} | self._unanswered:
            shown = self._status.get(str(user), {}).get(TRANSACTIONS, 0)
            if not least.get(user, 0) <= shown <= most.get(user, 0):
                self.facts.found("share", f"user {user} is said to hold {shown} of {TRANSACTIONS}, and holds "
                                          f"{least.get(user, 0)} to {most.get(user, 0)}")
