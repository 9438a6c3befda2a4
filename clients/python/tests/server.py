"""A daemon that says what a test wants, on a real socket."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple

JSONObject = Dict[str, Any]


class Connection:
    """One client, as the daemon sees it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def request(self) -> Optional[JSONObject]:
        """The next request, ``hello`` left out; none at the end."""
        while True:
            line = await self.reader.readline()
            if not line:
                return None
            request: JSONObject = json.loads(line)
            if request["method"] != "hello":
                return request

    def reply(self, request: JSONObject, result: Any) -> None:
        self.say({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: JSONObject, code: int, **data: Any) -> None:
        error = {"code": code, "message": "no", "data": data}
        self.say({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def notify(self, method: str, **params: Any) -> None:
        self.say({"jsonrpc": "2.0", "method": method, "params": params})

    def updated(self, seq: int, *transactions: JSONObject, **members: Any) -> None:
        self.notify(
            "event", seq=seq, kind="transactionsUpdated", transactions=list(transactions), **members
        )

    def removed(self, seq: int, *transactions: JSONObject) -> None:
        self.notify(
            "event", seq=seq, kind="transactionsRemoved", reason="finished",
            transactions=list(transactions),
        )

    def say(self, message: Any) -> None:
        self.writer.write(json.dumps(message).encode() + b"\n")

    def hang_up(self) -> None:
        self.writer.close()


class Server:
    """Answers every connection by the same function; remembers what was asked."""

    def __init__(self, serve: Callable[[Connection, JSONObject], Awaitable[None]]) -> None:
        self._serve = serve
        self._folder = tempfile.TemporaryDirectory(prefix="payqueued-")
        self.path = os.path.join(self._folder.name, "s")
        self.asked: List[JSONObject] = []
        #: How many connections are open.
        self.live = 0
        self._connections: List[Connection] = []
        self._server: Optional[asyncio.AbstractServer] = None

    def file(self, name: str) -> str:
        return os.path.join(self._folder.name, name)

    def methods(self) -> List[str]:
        return [request["method"] for request in self.asked]

    async def __aenter__(self) -> Server:
        self._server = await asyncio.start_unix_server(self._accept, self.path)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.hang_up()
        self._folder.cleanup()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer)
        self._connections.append(connection)
        self.live += 1
        try:
            while True:
                request = await connection.request()
                if request is None:
                    return
                self.asked.append(request)
                await self._serve(connection, request)
        except ConnectionError:
            return
        finally:
            self.live -= 1


async def eventually(is_so: Callable[[], bool], meanwhile: asyncio.Future[Any]) -> None:
    """Waits half a minute for something; what goes wrong meanwhile is raised."""
    for _ in range(3000):
        if is_so():
            return
        if meanwhile.done():
            meanwhile.result()
            break
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def cancelled(task: asyncio.Future[Any]) -> None:
    """Cancels a task; raises if it goes on all the same."""
    task.cancel()
    await asyncio.wait({task}, timeout=30)
    if not task.cancelled():
        raise AssertionError("it was cancelled and goes on")


def transaction(id: str, state: str, revision: int = 1, **members: Any) -> JSONObject:
    """A snapshot."""
    product = {"productIdentifier": "coins.100", "price": {"value": 1, "currencyCode": "EUR"}}
    return {
        "id": id, "payment": {"product": product}, "transactionState": state,
        "revision": revision, **members,
    }


def opened(head: int = 0, epoch: str = "e1") -> JSONObject:
    """The answer to ``subscribe``."""
    return {"subscription": "s1", "epoch": epoch, "oldest": 1, "head": head}


def params(asked: List[JSONObject], method: str) -> List[JSONObject]:
    """What came with the calls of a method."""
    return [request.get("params", {}) for request in asked if request["method"] == method]


def first_two(asked: List[JSONObject], method: str) -> Tuple[JSONObject, JSONObject]:
    """The first two of them."""
    found = params(asked, method)
    return found[0], found[1]
