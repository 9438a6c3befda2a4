"""Rules about events: order without doubling or gap, redelivery of what is open, cursors of named observers."""

from __future__ import annotations

from bisect import bisect_left
from typing import Optional

from history_facts import Call, Facts, Rule, is_position

UNKNOWN_OBSERVER, FORBIDDEN = 1305, -32007
SETTLED = ("purchased", "restored", "failed")


class Log(Rule):
    """All readers see one log: the same records, in the order of their numbers; settled states stay."""

    def ok(self, call: Call, result: dict) -> None:
        if call.method != "events":
            return
        before = call.params["after"] if isinstance(call.params["after"], int) else 0
        for event in result["events"]:
            if event["seq"] <= before:
                self.facts.found("order", f"a page has record {event['seq']} after {before}")
            before = event["seq"]
            self.facts.note_record(event["seq"], event)

    def ended(self) -> None:
        settled: dict[str, tuple[str, int]] = {}
        for seq, entry, isRemoval in sorted(self.facts.records, key=lambda record: record[0]):
            state, at = settled.get(entry["id"], ("", 0))
            if state and entry["state"] != state:
                self.facts.found("state", f"{entry['id']} was {state} at {at}, and {entry['state']} at {seq}")
            if entry["state"] in SETTLED:
                settled[entry["id"]] = (entry["state"], seq)


class Subscription:
    """What one subscription was sent."""

    def __init__(self, call: Call, result: dict) -> None:
        params = call.params
        self.name = f"{result['subscription']} of connection {call.connection}"
        self.line = call.line
        self.kinds = frozenset(params["kinds"]) if "kinds" in params else None
        after = params.get("after")
        # The record that was sent last, or after which the subscription began.
        self.last: Optional[int] = after if isinstance(after, int) else None
        self.head = result["head"]
        # Positions at which a named subscription may begin.
        self.begin: Optional[tuple[int, int]] = call.kept.get("cursor")
        self.observer = params.get("name")
        # A first record may follow any other than the ones that it must be sent.
        self.isNew = after in (None, "now") and self.begin is None
        # Open transactions that must be shown before it has caught up; None once it has.
        self.must: Optional[set[str]] = call.kept["open"]
        self.logouts = call.kept["logouts"]
        self.isPartial = self.kinds is not None or "products" in params
        self.isLive = False
        if self.isPartial or params.get("passive"):
            self.must = None
        self.shown: set[str] = set()
        # An event that is missing, unless it comes too late.
        self.missing: Optional[tuple[int, str]] = None
        self.isBroken = False


class Subscriptions(Rule):
    """The events of each subscription, and what a redelivery must show."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._live: dict[tuple[int, str], Subscription] = {}
        # Claims that no record of some kinds is between two numbers, with the name of who was told so.
        # The lines are those of the reader's begin and of the claim.
        self._links: dict[Optional[frozenset], list[tuple[int, int, str, int, int]]] = {}
        # Gaps that were told: the first missed record, the notification, the line.
        self._gaps: list[tuple[int, dict, int]] = []
        # Cursors from which records were skipped: from, to, the name, the lines.
        self._skipped: list[tuple[int, int, str, int, int]] = []

    def invoked(self, call: Call) -> None:
        if call.method == "subscribe":
            call.kept["open"] = set(self.facts.open)

    def ok(self, call: Call, result: dict) -> None:
        if call.method == "subscribe":
            self._live[(call.connection, result["subscription"])] = Subscription(call, result)
        elif call.method == "unsubscribe":
            self._leave((call.connection, call.params["subscription"]))
        elif call.method == "events" and "kinds" not in call.params:
            before = call.params["after"]
            for seq in [*(event["seq"] for event in result["events"]), result["next"] + 1]:
                if isinstance(before, int) and not result.get("gap") and before < seq:
                    self._claim(None, before, seq, f"a page of events for connection {call.connection}", call.line)
                before = seq

    def noted(self, entry: dict) -> None:
        kind = entry["e"]
        if kind == "closed":
            for key in [key for key in self._live if key[0] == entry["c"]]:
                self._leave(key)
        elif kind in ("event", "caughtUp", "gap", "ended"):
            params = entry["p"]
            key = (entry["c"], params["subscription"])
            if not (subscription := self._live.get(key)):
                return self.facts.found("order", f"{kind} of {params['subscription']}, which does not exist")
            if kind == "event":
                self._event(subscription, params)
            elif kind == "caughtUp":
                self._caught_up(subscription, params["seq"])
            elif kind == "gap":
                self._gaps.append((params["from"], params, self.facts.line))
                subscription.last, subscription.begin, subscription.must = None, None, None
                subscription.isNew = False
            else:
                self._leave(key)

    def _leave(self, key: tuple[int, str]) -> None:
        if (subscription := self._live.pop(key, None)) and subscription.missing:
            self.facts.found("gap", subscription.missing[1], subscription.missing[0])

    def _event(self, subscription: Subscription, params: dict) -> None:
        subscription.shown.update(entry["id"] for entry in params.get("transactions", []))
        if is_position(params):
            if subscription.isBroken:
                return
            if subscription.last is not None and params["seq"] < subscription.last:
                self._broken(subscription, f"a redelivery as of {params['seq']} after {subscription.last}")
            subscription.last = self._first(subscription, params["seq"], params["seq"])
            return
        self.facts.note_record(params["seq"], params)
        if params["kind"] == "storefrontChanged" and params["to"] and subscription.isLive:
            # A session begins: all that is open is shown again.
            subscription.logouts, subscription.shown = self.facts.logouts, set()
            subscription.must = None if subscription.isPartial else {
                name for name, seq in self.facts.open.items() if seq <= params["seq"]}
        if not subscription.isBroken:
            self._follow(subscription, params["prev"], params["seq"])

    def _first(self, subscription: Subscription, prev: int, upto: int) -> int:
        """Judges where a subscription begins, once."""
        if subscription.begin is not None:
            low, high = subscription.begin
            if prev != upto and not low <= prev <= high:
                self.facts.found("cursor", f"{subscription.observer} acknowledged {low} to {high}, and resumes "
                                           f"after {prev}")
            elif prev == upto:
                self._skipped.append((high, upto, f"{subscription.observer}", subscription.line,
                                      self.facts.line))
            subscription.begin = None
        elif subscription.isNew and prev > subscription.head:
            self._claim(subscription.kinds, subscription.head, prev + 1, subscription.name, subscription.line)
        subscription.isNew = False
        return upto

    def _follow(self, subscription: Subscription, prev: int, seq: int) -> None:
        name, last = subscription.name, subscription.last
        if last is None:
            self._first(subscription, prev, seq)
        elif seq <= last:
            return self._broken(subscription, f"{name} was sent record {seq} after {last}")
        elif prev != last:
            subscription.missing = subscription.missing or (
                self.facts.line, f"{name} was sent record {seq} after {prev}, its last was {last}")
        if seq <= prev:
            return self._broken(subscription, f"{name} was sent record {seq}, which follows {prev}")
        if not subscription.missing:
            self._claim(subscription.kinds, prev, seq, name, subscription.line)
        subscription.last = seq

    def _broken(self, subscription: Subscription, text: str) -> None:
        subscription.isBroken, subscription.missing = True, None
        self.facts.found("order", text)

    def _caught_up(self, subscription: Subscription, seq: int) -> None:
        if subscription.last is None:
            self._first(subscription, seq, seq)
        elif not subscription.isBroken and not subscription.missing and subscription.last < seq:
            self._claim(subscription.kinds, subscription.last, seq + 1, subscription.name, subscription.line)
        if not subscription.isBroken:
            subscription.last = max(seq, subscription.last or 0)
        must = subscription.must or set()
        if subscription.logouts != self.facts.logouts or self.facts.isAway:
            must = set()
        for transaction in must & self.facts.open.keys() - subscription.shown:
            self.facts.missed.setdefault(transaction, (
                self.facts.line, f"{subscription.name} has caught up, {transaction} was not redelivered"))
        subscription.must, subscription.isLive = None, True

    def _claim(self, kinds: Optional[frozenset], prev: int, seq: int, name: str, since: int) -> None:
        self._links.setdefault(kinds, []).append((prev, seq, name, since, self.facts.line))

    def ended(self) -> None:
        for key in list(self._live):
            self._leave(key)
        for start, params, line in self._gaps:
            # Only what is too old is not there.
            if params.get("reason") != "trimmed" or self.facts.quiet and start >= self.facts.oldest:
                self.facts.found("gap", f"{params}, and the log begins with {self.facts.oldest}", line)
        everything = self.facts.visible()
        for kinds, links in self._links.items():
            seqs = everything if kinds is None else [
                seq for seq in everything if self.facts.log[seq][0] in kinds]
            for prev, seq, name, since, line in links:
                place = bisect_left(seqs, seq)
                if place and seqs[place - 1] > prev and not self.facts.is_excused(prev, since, line):
                    self.facts.found("gap", f"{name} was sent nothing between {prev} and {seq}, "
                                            f"record {seqs[place - 1]} is there", line)
        for low, upto, name, since, line in self._skipped:
            place = bisect_left(everything, upto + 1)
            if place and everything[place - 1] > low and not self.facts.is_excused(low, since, line):
                self.facts.found("cursor", f"{name} acknowledged {low} at most, and resumes behind "
                                           f"record {everything[place - 1]}", line)


class Name:
    """A durable name of an observer."""

    def __init__(self) -> None:
        self.owner: Optional[int] = None
        # The cursor is not below the first, and not above the second.
        self.low, self.high = 0, 0


class Cursors(Rule):
    """A name belongs to its first user; its cursor moves forward, and not past what was acknowledged."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._names: dict[str, Name] = {}
        # Names that were given up at some time, and of which nothing is known.
        self._loose: set[str] = set()

    def invoked(self, call: Call) -> None:
        if call.params.get("forget"):
            self._loose.add(call.params["name"])
        name = self._names.get(call.params.get("name", ""))
        # A call that was sent before the first subscription may come before it.
        call.kept["isKnown"] = name is not None
        if call.method == "ack" and name and name.owner in (call.user, None):
            call.kept["low"] = name.low
            name.high = max(name.high, call.params.get("seq", 0))
        elif call.method == "observers":
            call.kept["lows"] = {text: known.low for text, known in self._names.items()}
        elif call.method == "subscribe" and name and name.owner == call.user and "after" not in call.params:
            call.kept["low"] = name.low

    def ok(self, call: Call, result: dict) -> None:
        text = call.params.get("name", "")
        if call.method == "observers":
            return self._listed(call, result["observers"])
        if not text or text in self._loose or call.method not in ("subscribe", "ack"):
            return
        name = self._names.setdefault(text, Name())
        if call.method == "subscribe" and "low" in call.kept:
            call.kept["cursor"] = (call.kept["low"], name.high)
        if name.owner is None:
            name.owner, name.high = call.user, result.get("head", 1 << 60)
        elif name.owner != call.user and (call.method == "subscribe" or call.user != 0):
            return self.facts.found("name", f"{text} of user {name.owner} was used by user {call.user}")
        if call.method == "ack" and "low" in call.kept:
            acked = result["acked"]
            if not max(call.kept["low"], call.params["seq"]) <= acked <= name.high:
                self.facts.found("cursor", f"{text} acknowledged {call.params['seq']} after {call.kept['low']}, "
                                           f"its cursor is {acked}")
            name.low = max(name.low, min(acked, name.high))

    def failed(self, call: Call, code: int, data: dict) -> None:
        if call.method == "ack" and (name := self._names.get(call.params["name"])):
            if code == FORBIDDEN and name.owner == call.user:
                self.facts.found("name", f"user {call.user} may not acknowledge for its own {call.params['name']}")
            if code == UNKNOWN_OBSERVER and call.kept["isKnown"] and call.params["name"] not in self._loose:
                self.facts.found("cursor", f"{call.params['name']} was forgotten")

    def _listed(self, call: Call, entries: list[dict]) -> None:
        for entry in entries:
            name = self._names.get(entry.get("name", ""))
            if not name or entry["name"] in self._loose or entry["name"] not in call.kept["lows"]:
                continue
            if name.owner != entry["uid"]:
                self.facts.found("name", f"{entry['name']} of user {name.owner} is listed for {entry['uid']}")
            if not call.kept["lows"][entry["name"]] <= entry["acked"] <= name.high:
                self.facts.found("cursor", f"{entry['name']} is listed at {entry['acked']}, acknowledged were "
                                           f"{call.kept['lows'][entry['name']]} to {name.high}")
