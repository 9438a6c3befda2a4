"""Connections that live longer than the process behind them."""

from __future__ import annotations

import time
from typing import Any, Callable

from load import SERVICE, SOCKET, Load
from machine import Client, Machine, eventually
from report import Report


class Follower:
    """A subscribed client that checks what it is told: each event names the one before it."""

    def __init__(self, machine: Machine, user: tuple[int, int]) -> None:
        self.machine = machine
        self.user = user
        self.client = machine.connect(SOCKET, user)
        self.head = self.client.call("subscribe", after="now", passive=True)["head"]
        self.seen: list[int] = []
        self.broken: list[Any] = []

    def follow(self, until: int) -> None:
        """Reads events up to a position, and an answer behind them."""
        number = self.client.send("ping")
        answered = False
        while not answered or (self.seen or [self.head])[-1] < until:
            line = self.client.line()
            answered = answered or line.get("id") == number
            self.note(line)

    def resume(self, until: int) -> None:
        """Connects again and goes on behind the last record seen."""
        self.client = self.machine.connect(SOCKET, self.user)
        self.client.call("subscribe", after=(self.seen or [self.head])[-1], passive=True)
        self.follow(until)

    def note(self, line: dict[str, Any]) -> None:
        """Compares an event with the one before it."""
        if line.get("method") != "event":
            return
        params = line["params"]
        if params["prev"] != (self.seen or [self.head])[-1]:
            self.broken.append((params["prev"], self.seen[-1:]))
        self.seen.append(params["seq"])


class KeptChecks:
    """Nobody has to connect again."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report
        group = machine.run("getent", "group", "payqueued-clients").stdout
        self.clients = int(group.split(":")[2])

    def kept(self) -> None:
        """200 subscribed clients of four users stay connected, whatever ends the process."""
        machine, report = self.machine, self.report
        followers = [Follower(machine, (20000 + n % 4, self.clients)) for n in range(200)]
        report.check("the manager keeps two descriptors for each connection", eventually(
            "they are kept", lambda: int(machine.show(SERVICE, "NFileDescriptorStore")) >= 400))
        restart = lambda: machine.systemctl("restart", SERVICE)  # noqa: E731
        self._outlive(followers, "a restart", restart)
        self._outlive(followers, "kill -9", self._kill, may_close=True)
        self._outlive(followers, "another restart", restart)
        report.same("all have seen the same", len({tuple(f.seen) for f in followers}), 1)
        for follower in followers:
            follower.client.close()
        eventually("the manager lets go of who hung up",
                   lambda: int(machine.show(SERVICE, "NFileDescriptorStore")) <= 4)
        report.check("who hangs up is kept no longer", True)

    def _outlive(self, followers: list[Follower], way: str, end: Callable[[], Any],
                 may_close: bool = False) -> None:
        """The process ends in some way while purchases are made, and nobody notices but by waiting."""
        report = self.report
        load = Load(self.machine, report, buyers=2, pause=0.05)
        with load:
            eventually("purchases are made", lambda: load.acknowledged > 4)
            began = time.monotonic()
            end()
            self._hear(followers[0])
            report.note(f"a client waits {time.monotonic() - began:.2f} s at most over {way}")
            load.await_more(4)
        load.settle(f"over {way} with kept connections")
        head = self._buy()
        closed = 0
        for follower in followers:
            try:
                follower.follow(head)
            except OSError:
                closed += 1
                follower.resume(head)
        if may_close:
            # A write that was under way at that instant cannot be taken back; such a connection is closed,
            # and its client goes on behind the last record that it saw.
            report.note(f"{closed} connections of 200 were closed over {way}")
            report.check(f"few connections are closed over {way}", closed < 200, closed)
        else:
            report.same(f"no connection of 200 is closed over {way}", closed, 0)
        report.same(f"nobody missed or doubled a record over {way}",
                    [f.broken for f in followers if f.broken], [])

    def _hear(self, follower: Follower) -> None:
        """Waits until the daemon answers a client; one that was closed is counted with the others."""
        try:
            follower.follow(0)
        except OSError:
            eventually("the daemon answers", lambda: self._buy() > 0)

    def _buy(self) -> int:
        """One more purchase; the newest position afterwards."""
        client: Client = self.machine.connect(SOCKET)
        client.call("subscribe", after="now", passive=True)
        sold = client.call("add", product="coins.100")
        seq = int(sold["seq"])
        client.close()
        return seq

    def _kill(self) -> None:
        pid = self.machine.show(SERVICE, "MainPID")
        self.machine.systemctl("kill", "-s", "KILL", "--kill-who=main", SERVICE)
        self.machine.restarted(SERVICE, pid)

    def signalled(self) -> None:
        """SIGHUP reloads as well, and the manager sees when it is over."""
        machine, report = self.machine, self.report
        pid = machine.show(SERVICE, "MainPID")
        machine.write("/etc/payqueued/payqueued.json", '{"limits": {"batchElements": 9}}')
        machine.systemctl("kill", "-s", "HUP", "--kill-who=main", SERVICE)

        def is_in_force() -> bool:
            client = machine.connect(SOCKET)
            limits = client.call("hello")["limits"]
            client.close()
            return bool(limits["batchElements"] == 9)
        eventually("SIGHUP reloads", is_in_force)
        report.check("SIGHUP reloads the configuration", True)
        eventually("the reload is over", lambda: machine.show(SERVICE, "ActiveState") == "active")
        report.same("in the same process", machine.show(SERVICE, "MainPID"), pid)
        machine.path("/etc/payqueued/payqueued.json").unlink()
        machine.systemctl("reload", SERVICE)
