"""What a client must remember over its own crashes: keys and cursors."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
from typing import Any, Dict, Iterator, Optional, Tuple

from .request import fresh_key


def _write(path: str, value: Any, *, durable: bool) -> None:
    """Replaces a file as a whole; a reader never sees half of it."""
    aside = f"{path}.{os.getpid()}.{threading.get_ident()}.new"
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(value, file)
        file.write("\n")
        file.flush()
        if durable:
            os.fsync(file.fileno())
    os.replace(aside, path)
    if durable:
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _read(path: str) -> Any:
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _alone(path: str) -> Iterator[None]:
    """Keeps all others away from a file, threads and processes alike.

    The lock is a file beside it: the file itself is another one after each change.
    """
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class KeyFile:
    """Idempotency keys by intent, on disk before they are used.

    An intent is your own name for one wish to buy, for example the number of the order. As long
    as the file is there, the same intent has the same key and is never paid twice. Threads and
    processes may share it; a file ``.lock`` beside it sees to that.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def key(self, intent: str) -> str:
        """The key of an intent; a new one is on stable storage before this returns."""
        with _alone(self.path):
            keys = self._keys()
            known = keys.get(intent)
            if known is not None:
                return known
            keys[intent] = made = fresh_key()
            _write(self.path, keys, durable=True)
            return made

    def forget(self, intent: str) -> None:
        """Drops an intent whose goods are delivered; the same name may buy again."""
        with _alone(self.path):
            keys = self._keys()
            if keys.pop(intent, None) is not None:
                _write(self.path, keys, durable=True)

    def _keys(self) -> Dict[str, str]:
        found = _read(self.path)
        return found if isinstance(found, dict) else {}


class CursorFile:
    """How far a reader of the log has come, on disk."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self) -> Tuple[Optional[str], Optional[int]]:
        """Epoch and position; nothing if none was stored."""
        found = _read(self.path)
        if not isinstance(found, dict) or not isinstance(found.get("seq"), int):
            return None, None
        return found.get("epoch"), found["seq"]

    def store(self, epoch: str, seq: int) -> None:
        """Remembers a position. What a crash of the machine forgets comes again."""
        _write(self.path, {"epoch": epoch, "seq": seq}, durable=False)
