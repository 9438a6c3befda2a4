"""Connections whose every request, answer and notification is written into a history."""

from __future__ import annotations

import base64
import itertools
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any, Optional

from machine import connect_as

# Seconds after which a call that does not wait should long have been answered.
PATIENCE = 90.0


class Gone(Exception):
    """The connection has ended."""


class Recorder:
    """The file of a history."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.numbers = itertools.count(1)
        # How many lines of each kind were written.
        self.written: dict[str, int] = {}
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, kind: str, **members: Any) -> None:
        """Adds a line. What is written before a request is sent stands before its reply."""
        with self._lock:
            if not self._file.closed:
                line = {"t": round(time.monotonic(), 6), "e": kind, **members}
                self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
                self.written[kind] = self.written.get(kind, 0) + 1

    def close(self) -> None:
        """No line follows."""
        with self._lock:
            self._file.close()


class Way:
    """What is between a client and the daemon: nothing. Planted defects are other ways."""

    def sent(self, wire: "Wire", request: dict) -> tuple[list[dict], list[dict]]:
        """What reaches the daemon instead of a request, and what the client is answered at once."""
        return [request], []

    def received(self, wire: "Wire", message: dict) -> list[dict]:
        """What reaches the client instead of a message."""
        return [message]


class Wire:
    """A connection of a user."""

    def __init__(self, path: str, user: int, recorder: Recorder, way: Way, pool: Any) -> None:
        self.user = user
        self.recorder = recorder
        self.way = way
        self.pool = pool
        self.number = next(recorder.numbers)
        # Notifications that nobody has looked at.
        self.unread: list[dict] = []
        self._calls: dict[Any, str] = {}
        self._answers: dict[Any, dict] = {}
        self._wanted: list[Any] = []
        # Answers that are not the daemon's, and the calls that are answered before.
        self._later: list[tuple[dict, set]] = []
        self._rest = b""
        self._socket = socket.socket(socket.AF_UNIX)
        self._isOpen = True
        recorder.write("connect", c=self.number, u=user)
        try:
            if user:
                connect_as(self._socket, path, user, user)
            else:
                self._socket.connect(path)
        except OSError as error:
            self.close()
            raise Gone(str(error)) from error

    def ask(self, *requests: tuple[str, dict], batch: bool = False) -> list[dict]:
        """The replies to requests that are sent together, as lines or as a batch."""
        self.post(*requests, batch=batch)
        return self.collect()

    def post(self, *requests: tuple[str, dict], batch: bool = False) -> None:
        """Sends requests; `collect` takes the replies."""
        forward = []
        for method, params in requests:
            number, before = next(self.recorder.numbers), set(self._calls)
            self._calls[number] = method
            self._wanted.append(number)
            self.recorder.write("invoke", op=number, c=self.number, m=method, p=params)
            reaching, answered = self.way.sent(
                self, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            forward += reaching
            self._later += [(answer, before) for answer in answered]
        self._note_later()
        lines = [forward] if batch and forward else forward
        self._send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))

    def collect(self) -> list[dict]:
        """The replies to everything that was posted."""
        end = time.monotonic() + PATIENCE
        while not all(number in self._answers for number in self._wanted):
            if time.monotonic() > end:
                self.recorder.write("stuck", what=f"no reply to one of {self._wanted}")
                self._end("no reply")
            self._read(1)
        wanted, self._wanted = self._wanted, []
        return [self._answers.pop(number) for number in wanted]

    def call(self, method: str, **params: Any) -> dict:
        """The reply to one request."""
        return self.ask((method, params))[0]

    def listen(self, seconds: float) -> list[dict]:
        """The notifications of a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._read(left)
        heard, self.unread = self.unread, []
        return heard

    def close(self) -> None:
        """Hangs up."""
        if self._isOpen:
            self._isOpen = False
            self._socket.close()
            for number in self._calls:
                self.recorder.write("unknown", op=number)
            self._calls.clear()
            self.recorder.write("closed", c=self.number)

    def _end(self, why: object) -> None:
        self.close()
        raise Gone(str(why))

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(PATIENCE)
            self._socket.sendall(data)
        except OSError as error:
            # What was answered before can still be read.
            self._drain()
            self._end(error)

    def _drain(self) -> None:
        try:
            while self._isOpen:
                self._read(0.2)
        except Gone:
            pass

    def _read(self, seconds: float) -> None:
        try:
            self._socket.settimeout(max(seconds, 0.001))
            more = self._socket.recv(1 << 18)
        except TimeoutError:
            return
        except OSError as error:
            return self._end(error)
        if not more:
            self._end("closed")
        *lines, self._rest = (self._rest + more).split(b"\n")
        for line in lines:
            message = json.loads(line)
            for part in message if isinstance(message, list) else [message]:
                for arrived in self.way.received(self, part):
                    self._note(arrived)

    def _note(self, message: dict) -> None:
        if "method" in message:
            params = slim_event(message["params"])
            self.recorder.write(message["method"], c=self.number, p=params)
            self.pool.saw(message["method"], params)
            self.unread.append({"method": message["method"], **params})
        elif message.get("id") is None:
            error = message["error"]
            self.recorder.write("refused", c=self.number, code=error["code"], data=error.get("data"))
        elif method := self._calls.pop(message["id"], None):
            self._answers[message["id"]] = message
            if "result" in message:
                result = slim_result(method, message["result"])
                self.recorder.write("ok", op=message["id"], r=result)
                self.pool.answered(method, result)
            else:
                error = message["error"]
                self.recorder.write("fail", op=message["id"], code=error["code"], data=error.get("data"))
            self._note_later()


    def _note_later(self) -> None:
        while self._later and not self._later[0][1] & self._calls.keys():
            self._note(self._later.pop(0)[0])


# What a history keeps of the long shapes


def money(value: Optional[dict]) -> Optional[list]:
    """An amount and its currency."""
    return [value["amount"], value["currencyCode"]] if value else None


def without_nothing(members: dict) -> dict:
    """Without the members that are absent."""
    return {name: value for name, value in members.items() if value is not None}


def slim_transaction(entry: dict) -> dict:
    """A transaction as the rules need it."""
    return without_nothing({
        "id": entry["id"], "state": entry["transactionState"],
        "product": entry["payment"]["product"]["productIdentifier"],
        "token": entry["payment"].get("appAccountToken"), "order": entry.get("transactionIdentifier"),
        "charged": money(entry.get("charged")), "offer": entry.get("offer"),
        "revoked": entry.get("revocation"), "completing": entry.get("completing"),
        "finished": "finishedAt" in entry or None, "revision": entry["revision"], "reason": entry.get("reason")})


def slim_event(params: dict) -> dict:
    """A notification without times and texts."""
    slim = {name: value for name, value in params.items() if name not in ("time", "by", "trace")}
    if "transactions" in slim:
        slim["transactions"] = [slim_transaction(entry) for entry in slim["transactions"]]
    return slim


def slim_result(method: str, result: dict) -> dict:
    """A result without times and texts."""
    if method in ("transactions", "wait"):
        slim = dict(result)
        if "transactions" in slim:
            slim["transactions"] = [slim_transaction(entry) for entry in result["transactions"]]
        if "transaction" in slim:
            slim["transaction"] = slim_transaction(result["transaction"])
        return slim
    if method == "events":
        return {**result, "events": [slim_event(event) for event in result["events"]]}
    if method == "test.orders":
        return {"orders": [without_nothing({
            "order": order["order"], "transaction": order["transaction"], "product": order["product"],
            "token": order.get("appAccountToken"), "charged": money(order.get("charged")),
            "state": order["state"]}) for order in result["orders"]]}
    if method == "entitlements":
        return {"entitlements": [{"order": entry["transactionIdentifier"], "product": entry["productIdentifier"]}
                                 for entry in result["entitlements"]]}
    if method == "products":
        return {"products": [{"product": entry["productIdentifier"], "type": entry["type"],
                              "price": money(entry["price"])} for entry in result["products"]]}
    if method == "signedHistory":
        return {"entries": [slim_entry(entry) for entry in payload(result["jws"])["transactions"]]}
    if method == "status":
        return {name: result.get(name) for name in ("state", "queue", "restores", "shares")}
    return result


def payload(jws: str) -> dict:
    """What a compact JWS says; its signature is checked elsewhere."""
    part = jws.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))


def slim_entry(entry: dict) -> dict:
    """An entry of a signed history; its price is in cents, as everything in these histories."""
    return without_nothing({
        "order": entry["order_id"], "product": entry["product_id"], "token": entry["app_account_token"],
        "charged": [f"{entry['price'] / 100:.2f}", entry["currency"]]})
