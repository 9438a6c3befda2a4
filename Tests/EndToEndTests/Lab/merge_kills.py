#!/usr/bin/env python3
"""Kills a daemon while it merges the two journals of an earlier version, and looks for everything in them.

    merge_kills.py --payqueued PROGRAM --payqueuectl PROGRAM --directory DIR [--rounds N] [--seed N]

The directory is one that an earlier version left: queue and embedded store with a journal each. It is copied
and never changed. One undisturbed start says how long the merge takes and what the directory contains. In each
round the daemon is killed at a random moment of that time, on a new copy. The copy must then be one of the two
formats, `journal verify` must accept it, and the next start must find everything.

Prints what went wrong and the totals. Exits 1 if anything did; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fairness import Client, request
from faults import Daemon
from machine import Trouble
from report import Report

# A page of a list.
PAGE = 500


def fingerprint(client: Client, method: str) -> tuple[int, str]:
    """The length of a list as text, and a digest of it. Nothing is parsed: there are a million items."""
    digest, length, page = hashlib.sha256(), 0, ""
    while True:
        params = {"limit": PAGE, "page": page} if page else {"limit": PAGE}
        client.socket.sendall(json.dumps(request(1, method, **params)).encode() + b"\n")
        reply = client.lines.readline()
        if b'"error"' in reply[:40]:
            raise Trouble(reply.decode())
        items = reply[reply.index(b"[") + 1:reply.rindex(b"]")]
        digest.update(items)
        length += len(items)
        following = re.search(rb'"next":"([^"]*)"', reply[-200:])
        if not following:
            return length, digest.hexdigest()
        page = following[1].decode()


def content(daemon: Daemon) -> dict[str, object]:
    """Everything that the queue and its store have."""
    client = daemon.connect()
    found = {method: fingerprint(client, method) for method in ("transactions", "test.orders")}
    client.close()
    return found


def is_separate(state: Path) -> bool:
    """Whether the store still has a journal of its own."""
    return "storeSince" not in json.loads((state / "format.json").read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--payqueuectl", type=Path, required=True)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    words = parser.parse_args()
    if not (words.directory / "sandbox" / "format.json").exists():
        print(f"'{words.directory}' is no state directory whose store has a journal of its own")
        return 77
    print(f"note --rounds {words.rounds} --seed {words.seed}", flush=True)
    dice, report = random.Random(words.seed), Report()
    folder = Path(tempfile.mkdtemp(prefix="merge-kills-", dir=words.directory.parent))
    state = folder / "state"
    daemon = Daemon(words.payqueued.resolve(), state, folder)

    def fresh() -> None:
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(words.directory, state)

    try:
        fresh()
        began = time.monotonic()
        daemon.start()
        seconds = time.monotonic() - began
        expected = content(daemon)
        report.same("an undisturbed start ends in order", daemon.stop(), 0)
        report.check("an undisturbed start merges", not is_separate(state))
        report.note(f"a start with the merge takes {seconds:.2f} s; {expected}")
        formats = {True: 0, False: 0}
        for number in range(1, words.rounds + 1):
            fresh()
            daemon.spawn()
            time.sleep(dice.uniform(0, 1.05 * seconds))
            daemon.kill()
            separate = is_separate(state)
            formats[separate] += 1
            verified = subprocess.run(
                [words.payqueuectl, "journal", "verify", state], capture_output=True, text=True)
            report.same(f"round {number}: verify", verified.returncode, 0)
            daemon.start()
            report.same(f"round {number}: content", content(daemon), expected)
            report.same(f"round {number}: stop", daemon.stop(), 0)
            report.check(f"round {number}: merged", not is_separate(state))
        report.note(f"after {formats[True]} kills the directory was the old one, "
                    f"after {formats[False]} the new one")
    finally:
        daemon.kill()
        shutil.rmtree(folder)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
