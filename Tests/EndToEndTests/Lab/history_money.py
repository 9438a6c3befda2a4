"""Rules about money: no acknowledged payment is lost, none is charged twice, each finish holds, views agree."""

from __future__ import annotations

from typing import Optional

from history_facts import Call, Facts, Rule

GONE = ("removed", "completing", "alreadyFinished")
# The type of the products that an account owns for ever.
OWNED = "nonConsumable"
KEY_REUSE, ALREADY_LIVE, UNKNOWN_TRANSACTION = 1102, 1107, 1201


class Key:
    """An idempotency key."""

    def __init__(self) -> None:
        # How often it was used.
        self.uses = 0
        # Parameters of calls that were not refused.
        self.asked: list[tuple] = []
        # Each transaction that it was answered with, and the line of the answer.
        self.answers: dict[str, int] = {}
        # The parameters that were accepted.
        self.accepted: Optional[tuple] = None


def parameters(call: Call) -> tuple:
    """What a key stands for."""
    return (call.method, call.params.get("product"), call.params.get("appAccountToken"))


def owned(entry: dict) -> bool:
    """Whether a purchase gave what the account had already."""
    return entry.get("offer") == "alreadyOwned"


class Keys(Rule):
    """No acknowledged add is lost; a key stands for one payment, and a payment for one charge."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._keys: dict[str, Key] = {}
        # The key, or the request without one, of each transaction that was acknowledged, and the line.
        self._bought: dict[str, tuple[str, int]] = {}
        # Two transactions for one key: the key, both, and the line.
        self._twice: list[tuple[str, str, str, int]] = []
        # Adds without a key that were never answered, by what was asked for.
        self._perhaps: dict[tuple, int] = {}
        self._finishes: set[str] = set()

    def invoked(self, call: Call) -> None:
        if call.method == "finish":
            self._finishes.add(call.params["transaction"])
            self.facts.open.pop(call.params["transaction"], None)
        call.kept["logouts"] = -1 if self.facts.isAway else self.facts.logouts
        key = call.params.get("key")
        if call.method in ("add", "restore") and key is not None:
            known = self._keys.setdefault(key, Key())
            known.uses += 1
            known.asked.append(parameters(call))

    def ok(self, call: Call, result: dict) -> None:
        if call.method != "add":
            return
        transaction = result["transaction"]
        key = call.params.get("key")
        if key is not None:
            self._answer(self._keys[key], key, call, result)
        elif result["duplicate"]:
            self.facts.found("key", f"an add without key is a duplicate, {transaction}")
        name = key if key is not None else f"request {call.op}"
        known, _ = self._bought.setdefault(transaction, (name, self.facts.line))
        if known != name:
            self.facts.found("lost-add", f"{known} and {name} were answered with one transaction, {transaction}")
        if transaction not in self._finishes:
            self.facts.open.setdefault(transaction, result["seq"])

    def _answer(self, key: Key, name: str, call: Call, result: dict) -> None:
        transaction = result["transaction"]
        if key.accepted not in (None, parameters(call)):
            self.facts.found("key", f"{name} was accepted for {key.accepted}, and for {parameters(call)}")
        key.accepted = parameters(call)
        if result["duplicate"] and key.uses == 1:
            self.facts.found("key", f"the first use of {name} is a duplicate")
        for other, line in key.answers.items():
            if other != transaction:
                self._twice.append((name, other, transaction, self.facts.line))
            elif line < call.line and not result["duplicate"]:
                self.facts.found("key", f"{name} was forgotten, though it has the same transaction")
        key.answers.setdefault(transaction, self.facts.line)

    def failed(self, call: Call, code: int, data: dict) -> None:
        key = self._keys.get(call.params.get("key", ""))
        if call.method in ("add", "restore") and key:
            key.asked.remove(parameters(call))
            # For another account, or for none, a key stands for another call.
            isSame = call.kept["logouts"] == self.facts.logouts and not self.facts.isAway
            if code == KEY_REUSE and isSame and all(other == parameters(call) for other in key.asked):
                self.facts.found("key", f"{call.params['key']} was refused as used for another call")
        if call.method == "add" and code == ALREADY_LIVE and call.params["product"].startswith("coins"):
            self.facts.found("key", f"{call.params['product']} can be bought again, and was refused")

    def unknown(self, call: Call) -> None:
        if call.method == "add" and "key" not in call.params:
            asked = parameters(call)[1:]
            self._perhaps[asked] = self._perhaps.get(asked, 0) + 1

    def ended(self) -> None:
        facts = self.facts
        if not facts.quiet:
            return
        for name, one, other, line in self._twice:
            kind = "second-charge" if facts.exists(one) and facts.exists(other) else "lost-add"
            facts.found(kind, f"{name} was answered with {one}, later with {other}", line)
        for transaction, (name, line) in self._bought.items():
            if not facts.exists(transaction):
                facts.found("lost-add", f"{transaction} of {name} was acknowledged", line)
        # A purchase of what was owned has the token of the earlier order. It is matched last, to any add of its
        # product.
        for transaction, entry in sorted(facts.listed.items(), key=lambda item: owned(item[1])):
            if entry.get("reason") == "purchase" and transaction not in self._bought:
                asked = (entry["product"], entry.get("token"))
                if owned(entry):
                    asked = next((other for other, count in self._perhaps.items()
                                  if other[0] == entry["product"] and count > 0), asked)
                self._perhaps[asked] = self._perhaps.get(asked, 0) - 1
                if self._perhaps[asked] < 0:
                    facts.found("second-charge", f"{transaction} is a purchase that no client asked for")
        for transaction, (line, text) in facts.missed.items():
            if facts.exists(transaction):
                facts.found("redelivery", text, line)
        self._check_orders()

    def _check_orders(self) -> None:
        of: dict[str, str] = {}
        for order in self.facts.orders:
            if of.setdefault(order["transaction"], order["order"]) != order["order"]:
                self.facts.found("second-charge", f"{order['transaction']} has two orders")
        sold: dict[str, str] = {}
        paid: dict[str, str] = {}
        entries = [entry for _, entry, _ in self.facts.records] + list(self.facts.listed.values())
        for entry in entries:
            if entry["state"] != "purchased":
                continue
            if paid.setdefault(entry["id"], entry["order"]) != entry["order"]:
                self.facts.found("second-charge", f"{entry['id']} changed its order")
            if entry.get("offer") != "alreadyOwned":
                if sold.setdefault(entry["order"], entry["id"]) != entry["id"]:
                    self.facts.found("second-charge", f"order {entry['order']} became two purchases")


class Finishes(Rule):
    """An acknowledged finish holds for ever, and no transaction leaves without one."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        # The first acknowledgement of each: its line and position.
        self._acknowledged: dict[str, tuple[int, int]] = {}
        self._invoked: set[str] = set()
        # The newest position at which each was seen as open, and the line.
        self._seen: dict[str, tuple[int, int]] = {}
        self._unknown: list[tuple[str, int]] = []
        self._settled: dict[str, int] = {}

    def invoked(self, call: Call) -> None:
        if call.method == "finish":
            self._invoked.add(call.params["transaction"])
            call.kept["before"] = self._acknowledged.get(call.params["transaction"])

    def ok(self, call: Call, result: dict) -> None:
        if call.method == "finish":
            self._finished(call, result)
        for entry in result.get("transactions", []):
            self._see(entry, result.get("seq", 0))
        if call.method == "wait" and isinstance(result.get("transaction"), dict):
            self._see(result["transaction"], result.get("seq", 0))

    def _finished(self, call: Call, result: dict) -> None:
        name, disposition = call.params["transaction"], result["disposition"]
        if disposition in GONE:
            line, seq = self._acknowledged.get(name, (self.facts.line, result["seq"]))
            self._acknowledged[name] = (line, min(seq, result["seq"]))
        elif self._settled.get(name, call.line) < call.line:
            self.facts.found("state", f"{name} is settled, its finish was answered {disposition}")
        if call.kept["before"] and disposition not in ("completing", "alreadyFinished"):
            self.facts.found("lost-finish", f"{name} was finished before, and is now answered {disposition}")

    def failed(self, call: Call, code: int, data: dict) -> None:
        if call.method == "finish" and code == UNKNOWN_TRANSACTION:
            self._unknown.append((call.params["transaction"], self.facts.line))

    def noted(self, entry: dict) -> None:
        if entry["e"] == "event":
            params = entry["p"]
            for transaction in params.get("transactions", []):
                if params["kind"] == "transactionsUpdated":
                    self._see(transaction, params["seq"])

    def _see(self, entry: dict, seq: int) -> None:
        name = entry["id"]
        if entry["state"] != "purchasing":
            self._settled.setdefault(name, self.facts.line)
        if not entry.get("completing") and not entry.get("finished"):
            if seq >= self._seen.get(name, (0, 0))[0]:
                self._seen[name] = (seq, self.facts.line)

    def ended(self) -> None:
        facts = self.facts
        removed: dict[str, int] = {}
        for seq, entry, isRemoval in facts.records:
            if isRemoval:
                if removed.setdefault(entry["id"], seq) != seq:
                    facts.found("finish", f"{entry['id']} left the queue at {removed[entry['id']]} and {seq}")
                if entry["id"] not in self._invoked:
                    facts.found("finish", f"{entry['id']} left the queue, and no client finished it")
        for name, (seq, line) in self._seen.items():
            at = min(self._acknowledged.get(name, (0, 1 << 60))[1], removed.get(name, 1 << 60))
            if seq >= at:
                facts.found("lost-finish", f"{name} was finished at {at}, and is open at {seq}", line)
        for name, line in self._unknown:
            if facts.exists(name):
                facts.found("finish", f"{name} exists, its finish was refused as unknown", line)


class Restores(Rule):
    """Every restore ends, and only once."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        # The position and line of each restore that was accepted.
        self._accepted: dict[str, tuple[int, int]] = {}
        self._ends: dict[str, set[int]] = {}

    def ok(self, call: Call, result: dict) -> None:
        if call.method == "restore":
            self._accepted.setdefault(result["restore"], (result["seq"], self.facts.line))
        for event in result.get("events", []):
            self._see(event)

    def noted(self, entry: dict) -> None:
        if entry["e"] == "event":
            self._see(entry["p"])

    def _see(self, event: dict) -> None:
        if event["kind"] in ("restoreCompleted", "restoreFailed"):
            self._ends.setdefault(event["restore"], set()).add(event["seq"])

    def ended(self) -> None:
        for name, seqs in self._ends.items():
            if len(seqs) > 1:
                self.facts.found("restore", f"{name} ended at {sorted(seqs)}")
        for name, (seq, line) in self._accepted.items():
            if self.facts.quiet and name not in self._ends and seq >= self.facts.oldest:
                self.facts.found("restore", f"{name} did not end", line)


class Views(Rule):
    """At rest, transactions, orders, history, entitlements and products say the same about money."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._entitled: Optional[set[str]] = None
        self._history: dict[str, dict] = {}
        self._hasHistory = False
        self._prices: dict[str, list] = {}
        self._types: dict[str, str] = {}

    def ok(self, call: Call, result: dict) -> None:
        if not self.facts.quiet:
            return
        if call.method == "transactions":
            for entry in result["transactions"]:
                if entry["id"] in self.facts.listed:
                    self.facts.found("views", f"{entry['id']} is listed twice")
                self.facts.listed[entry["id"]] = entry
        elif call.method == "test.orders":
            self.facts.orders += result["orders"]
        elif call.method == "entitlements":
            self._entitled = {entry["order"] for entry in result["entitlements"]}
        elif call.method == "signedHistory":
            self._hasHistory = True
            self._history.update({entry["order"]: entry for entry in result["entries"]})
        elif call.method == "products":
            self._prices = {entry["product"]: entry["price"] for entry in result["products"]}
            self._types = {entry["product"]: entry["type"] for entry in result["products"]}
        elif call.method == "hello":
            self.facts.oldest = result["oldest"]

    def ended(self) -> None:
        facts = self.facts
        if not facts.quiet:
            return
        orders = {order["order"]: order for order in facts.orders}
        paid = {name for name, order in orders.items() if order["state"] == "purchased"}
        delivered: set[str] = set()
        for name, entry in facts.listed.items():
            if entry["state"] in ("purchased", "restored"):
                delivered.add(entry["order"])
                self._compare(name, entry, orders.get(entry["order"]))
            elif entry.get("charged"):
                facts.found("views", f"{name} is {entry['state']} and says that it was charged")
        for order in sorted(paid - delivered):
            facts.found("views", f"order {order} is paid, and no transaction has it")
        if self._entitled is not None:
            owned = {name for name in paid if self._types.get(orders[name]["product"]) == OWNED}
            if self._entitled != owned:
                facts.found("views", f"entitlements {sorted(self._entitled)}, owned {sorted(owned)}")
        if self._hasHistory:
            self._compare_history({name: orders[name] for name in paid})

    def _compare(self, name: str, entry: dict, order: Optional[dict]) -> None:
        if order is None:
            return self.facts.found("views", f"the store has no order {entry['order']} of {name}")
        charged = entry.get("charged")
        if entry.get("offer") == "alreadyOwned":
            if float(charged[0]) != 0:
                self.facts.found("views", f"{name} was owned already, and charged {charged}")
        elif charged != order.get("charged"):
            self.facts.found("views", f"{name} charged {charged}, its order {order.get('charged')}")
        elif entry["state"] == "purchased" and order["transaction"] != name:
            self.facts.found("views", f"{name} has the order of {order['transaction']}")
        for member in ("product", "token"):
            if entry.get(member) != order.get(member):
                self.facts.found("views", f"{member} of {name}: {entry.get(member)}, {order.get(member)}")
        if self._prices and entry.get("offer") is None and charged != self._prices.get(entry["product"]):
            self.facts.found("views", f"{name} charged {charged}, the price is {self._prices.get(entry['product'])}")

    def _compare_history(self, paid: dict[str, dict]) -> None:
        for name in sorted(paid.keys() ^ self._history.keys()):
            self.facts.found("views", f"order {name} is paid or in the signed history, not both")
        for name in paid.keys() & self._history.keys():
            for member in ("product", "charged", "token"):
                if paid[name].get(member) != self._history[name].get(member):
                    self.facts.found("views", f"{member} of order {name}: {paid[name].get(member)}, in the "
                                              f"signed history {self._history[name].get(member)}")
