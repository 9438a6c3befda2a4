"""Purchases without a pause, and what became of each."""

from __future__ import annotations

import threading
import time
from typing import Any

from machine import Client, Machine, eventually
from report import Report

SOCKET = "/run/payqueued/payqueued.sock"
SERVICE = "payqueued.service"
SCRAPED = "payqueued-metrics.socket"


class Load:
    """Four buyers that never give up: each purchase has a key and is repeated until acknowledged."""

    def __init__(self, machine: Machine, report: Report, buyers: int = 4, pause: float = 0.01,
                 subscribed: bool = False) -> None:
        """Who is subscribed is kept from the first answer on, not only after a while."""
        self.pause = pause
        self.subscribed = subscribed
        self.machine = machine
        self.report = report
        self.refused = 0
        self.closed = 0
        # What a connection was told that it must never be told: half a line, or an answer twice.
        self.wrong: list[object] = []
        self.bought: dict[str, str] = {}
        self._halt = threading.Event()
        self._name = f"load-{time.monotonic_ns()}"
        self._threads = [threading.Thread(target=self._buy, args=(n,)) for n in range(buyers)]

    @property
    def acknowledged(self) -> int:
        """How many purchases were acknowledged."""
        return len(self.bought)

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._halt.set()
        for thread in self._threads:
            thread.join()

    def await_more(self, count: int) -> None:
        """Waits for further purchases."""
        goal = self.acknowledged + count
        eventually("further purchases are made", lambda: self.acknowledged >= goal)

    def _buy(self, buyer: int) -> None:
        client: Client | None = None
        number = 0
        while not self._halt.is_set():
            key = f"{self._name}-{buyer}-{number}"
            try:
                if client is None:
                    client = self.machine.connect(SOCKET)
                    if self.subscribed:
                        client.call("subscribe", after="now", passive=True, products=["nothing"])
            except OSError:
                self.refused += 1
                time.sleep(0.01)
                continue
            try:
                self.bought[key] = client.call("add", product="coins.100", key=key)["transaction"]
                number += 1
                # Hundreds in a second are enough; all are looked at afterwards.
                time.sleep(self.pause)
            except OSError:
                self.closed += 1
                self.wrong += client.broken()
                client.close()
                client = None
            except ValueError as error:
                self.wrong.append(error)
                return
        if client is not None:
            self.wrong += client.broken()
            client.close()

    def settle(self, when: str) -> None:
        """Compares what was acknowledged with what the daemon knows."""
        report = self.report
        report.same(f"no connection is refused {when}", self.refused, 0)
        report.same(f"nobody who buys is told half a line or one twice {when}", self.wrong, [])
        client = self.machine.connect(SOCKET)
        ids = set(self.bought.values())
        report.same(f"no purchase is doubled {when}", len(ids), len(self.bought))
        lost = 0
        for key, transaction in self.bought.items():
            again = client.call("add", product="coins.100", key=key)
            lost += not again["duplicate"] or again["transaction"] != transaction
        report.same(f"no purchase is lost {when}", lost, 0)
        report.note(f"{len(ids)} purchases {when}")
        for transaction in ids:
            client.call("finish", transaction=transaction)
        client.close()
