"""The history of a queue's keys in etcd: a watch that notes every write, and the judgement whose writes they are."""

from __future__ import annotations

import http.client
import itertools
import json
import threading
import time
from typing import NamedTuple, Optional

from cluster_stage import Etcd, decoded, encoded


class Write(NamedTuple):
    """A key that was put, or removed, at a revision."""

    revision: int
    key: str
    # None if the key was removed.
    value: Optional[str]
    # The revision at which the key was created.
    created: int


class History(threading.Thread):
    """All writes below a prefix, from its first one on, in the order of etcd."""

    def __init__(self, etcd: Etcd, prefix: str) -> None:
        """A history that is read when it is started."""
        super().__init__(daemon=True)
        self.etcd, self.prefix = etcd, prefix
        self.writes: list[Write] = []
        self.trouble = ""

    def run(self) -> None:
        """Reads the watch, and begins it again where it ends."""
        while not self.trouble:
            try:
                self._watch()
            except (OSError, http.client.HTTPException):
                time.sleep(0.2)

    def _watch(self) -> None:
        """Reads one watch until it ends."""
        start = self.writes[-1].revision + 1 if self.writes else 1
        request = {"create_request": {
            "key": encoded(f"{self.prefix}/"), "range_end": encoded(f"{self.prefix}0"), "start_revision": str(start)}}
        connection = http.client.HTTPConnection(self.etcd.clients[0], timeout=60)
        connection.request("POST", "/v3/watch", json.dumps(request), {"Content-Type": "application/json"})
        answers = connection.getresponse()
        while line := answers.readline():
            result = json.loads(line).get("result", {})
            if result.get("canceled"):
                self.trouble = f"etcd has ended the watch: {result}"
                return
            for event in result.get("events", []):
                pair = event["kv"]
                is_removed = event.get("type") == "DELETE"
                self.writes.append(Write(
                    int(pair["mod_revision"]), decoded(pair["key"])[len(self.prefix) + 1:],
                    None if is_removed else decoded(pair.get("value", "")), int(pair.get("create_revision", 0))))

    def await_end(self) -> bool:
        """Waits until everything has arrived that is in etcd now; false if it does not."""
        self.etcd.ask("kv/put", key=encoded(f"{self.prefix}/lab"), value="")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if any(write.key == "lab" for write in self.writes[-50:]):
                return True
            time.sleep(0.1)
        return False


class Judgement:
    """Whose writes the lines and the heads are."""

    def __init__(self, writes: list[Write]) -> None:
        """Judges writes in their order."""
        self.faults: list[str] = []
        self.terms: list[int] = []
        self.lines = 0
        # The term of the owner whose key is there; None if none is.
        self._owner: Optional[int] = None
        # The term, and the number of the next line, of the last head.
        self._term = 0
        self._next: Optional[int] = None
        for revision, together in itertools.groupby(writes, key=lambda write: write.revision):
            self._judge(revision, {write.key: write for write in together})

    def _judge(self, revision: int, together: dict[str, Write]) -> None:
        """Judges what was written at one revision."""
        head = together.get("head")
        lines = [write for key, write in together.items() if key.startswith("log/") and write.value is not None]
        if lines and (head is None or head.value is None):
            self.faults.append(f"revision {revision}: {lines[0].key} is written without a head")
        elif head and head.value is None:
            self.faults.append(f"revision {revision}: the head is removed")
        elif head and head.value is not None:
            self._judge_head(revision, json.loads(head.value), lines)
        owner = together.get("owner")
        if owner:
            self._owner = owner.created if owner.value is not None else None

    def _judge_head(self, revision: int, head: dict, lines: list[Write]) -> None:
        """Judges a head, and the lines that were written with it."""
        term = head["term"]
        if term < self._term:
            self.faults.append(f"revision {revision}: term {term} writes after term {self._term} has begun: {head}")
        elif term and term != self._owner:
            self.faults.append(f"revision {revision}: term {term} writes, and the owner's is {self._owner}: {head}")
        if term > self._term:
            self.terms.append(term)
        for write in lines:
            first = int(write.key.removeprefix("log/"))
            if self._next is not None and first != self._next:
                self.faults.append(f"revision {revision}: line {first} is written, and {self._next} is next")
        if self._next is not None and not lines and head["next"] != self._next:
            self.faults.append(f"revision {revision}: the head goes from {self._next} to {head['next']} without lines")
        self.lines += len(lines)
        self._term, self._next = max(self._term, term), head["next"]
