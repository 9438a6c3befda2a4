"""What a client must remember over its own crashes: keys and cursors."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Tuple

from .requests import fresh_key


def _write(path: str, value: Any, *, durable: bool) -> None:
    """Replaces a file as a whole; nobody ever sees half of it."""
    aside = f"{path}.{os.getpid()}.new"
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


class KeyFile:
    """Idempotency keys by intent, on disk before they are used.

    An intent is your own name for one wish to buy, for example the number of the order. As long
    as the file is there, the same intent has the same key and is never paid twice. For one process.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def key(self, intent: str) -> str:
        """The key of an intent; a new one is on stable storage before this returns."""
        keys = self._keys()
        known = keys.get(intent)
        if known is not None:
            return known
        keys[intent] = made = fresh_key()
        _write(self.path, keys, durable=True)
        return made

    def forget(self, intent: str) -> None:
        """Drops an intent whose goods are delivered; the same name may buy again."""
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
