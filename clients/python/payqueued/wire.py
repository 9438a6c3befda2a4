"""One connection: lines out, lines in, and no opinion about what they mean."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple, Union

from .errors import ConnectionLost, NotConnected, NotUnderstood, server_error
from .models import Notification
from .timing import within

#: The daemon pages what would be longer than 4 MiB.
_LINE_LIMIT = 16 * 1024 * 1024
#: The socket is not read beyond about this much ahead of what is taken.
_READ_AHEAD = 64 * 1024


@dataclass(frozen=True)
class Reply:
    """The answer to a call; exactly one of ``result`` and ``error`` counts."""

    id: Any
    result: Any
    error: Optional[Mapping[str, Any]]

    def value(self, method: str) -> Any:
        """The result; raises the error."""
        if self.error is not None:
            raise server_error(method, self.error)
        return self.result


def parse(line: Union[str, bytes]) -> Union[Reply, Notification]:
    """Reads one line of the daemon.

    Raises ``NotUnderstood`` for what is neither an answer nor a notification.
    """
    try:
        message = json.loads(line)
    except ValueError:
        raise NotUnderstood("the daemon sent a line that is not JSON") from None
    if isinstance(message, dict):
        method, params, error = message.get("method"), message.get("params"), message.get("error")
        if isinstance(method, str) and "id" not in message:
            return Notification(method, params if isinstance(params, dict) else {})
        if "id" in message and ("result" in message or isinstance(error, dict)):
            return Reply(message["id"], message.get("result"), error)
    raise NotUnderstood("the daemon sent a line that is neither an answer nor a notification")


def _close_unclaimed(
    opening: asyncio.Future[Tuple[asyncio.StreamReader, asyncio.StreamWriter]],
) -> None:
    """The caller that asked for the connection was cancelled in the turn in which it was made."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[1].close()


class Wire:
    """A connection. One task reads; any may write."""

    def __init__(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.path = path
        self._reader = reader
        self._writer = writer
        self._draining = asyncio.Lock()
        self._unread = bytearray()
        self._scanned = 0

    @classmethod
    async def open(cls, path: str, timeout: float = 5) -> Wire:
        """Connects; raises ``NotConnected``."""
        opening = asyncio.ensure_future(asyncio.open_unix_connection(path, limit=_READ_AHEAD))
        try:
            reader, writer = await within(timeout, opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unclaimed)
            raise
        except asyncio.TimeoutError:
            raise NotConnected(f"cannot connect to '{path}': it did not accept in time") from None
        except OSError as error:
            reason = error.strerror or error
            raise NotConnected(f"cannot connect to '{path}': {reason}") from error
        return cls(path, reader, writer)

    async def send(
        self, method: str, params: Mapping[str, Any], id: Optional[int] = None
    ) -> None:
        """Writes a request and waits until the daemon takes in what was written.

        May be cancelled; the request is sent all the same.
        """
        self.post(method, params, id)
        try:
            # In turns: before Python 3.11 no two may wait for the same writer.
            async with self._draining:
                await self._writer.drain()
        except (OSError, RuntimeError):
            raise self.lost() from None

    def post(self, method: str, params: Mapping[str, Any], id: Optional[int] = None) -> None:
        """Writes a request without waiting; without an id nothing is answered."""
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        if id is None:
            del message["id"]
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        try:
            self._writer.write(text.encode() + b"\n")
        except (OSError, RuntimeError):
            raise self.lost() from None

    async def receive(self) -> Union[Reply, Notification]:
        """Waits for the next line. May be cancelled without losing any."""
        while True:
            end = self._unread.find(b"\n", self._scanned)
            if end >= 0:
                line = bytes(self._unread[:end])
                del self._unread[: end + 1]
                self._scanned = 0
                return parse(line)
            self._scanned = len(self._unread)
            if self._scanned > _LINE_LIMIT:
                raise NotUnderstood(f"'{self.path}' sent a line of more than {_LINE_LIMIT} bytes")
            try:
                chunk = await self._reader.read(_READ_AHEAD)
            except OSError:
                raise self.lost() from None
            if not chunk:
                raise self.lost()
            self._unread += chunk

    def lost(self) -> ConnectionLost:
        """What to raise when the connection ended."""
        return ConnectionLost(f"the connection to '{self.path}' ended before the answer came")

    def close(self) -> None:
        """Ends the connection; a second call changes nothing."""
        self._writer.close()
