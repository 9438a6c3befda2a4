"""The service as it runs: purchases, reloads, restarts, crashes, stops."""

from __future__ import annotations

import json
import time

from load import SERVICE, SOCKET, Load
from machine import Client, Machine, eventually
from report import Report

CONFIGURATION = "/etc/payqueued/payqueued.json"
MEMBER = 12345
STRANGER = 12346


class ServiceChecks:
    """One daemon of the system, looked at from outside."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report
        group = machine.run("getent", "group", "payqueued-clients").stdout
        self.clients = int(group.split(":")[2])

    @property
    def pid(self) -> str:
        """The process that serves."""
        return self.machine.show(SERVICE, "MainPID")

    def connect(self) -> Client:
        """A connection as root."""
        return self.machine.connect(SOCKET)

    def buying(self) -> None:
        """A member of the group logs in and buys through the socket."""
        report = self.report
        client = self.machine.connect(SOCKET, (MEMBER, self.clients))
        client.call("login", account="demo")
        client.call("subscribe")
        sold = client.call("add", product="coins.100", key="first")
        bought = client.call("wait", transaction=sold["transaction"], timeout=60)
        report.check("a member of the group buys through the socket",
                     "purchased" in json.dumps(bought), bought)
        observers = client.call("observers")["observers"]
        report.check("the daemon knows the client's user id",
                     any(o["uid"] == MEMBER for o in observers), observers)
        finished = client.call("finish", transaction=sold["transaction"])
        report.check("and finishes", finished["disposition"] in ("completing", "removed"), finished)
        tool = self.machine.run("payqueuectl", "buy", "coins.100", "--finish", check=False)
        report.check("payqueuectl finds the socket and buys", tool.returncode == 0, tool.stderr)
        try:
            self.machine.connect(SOCKET, (STRANGER, STRANGER))
            refused = "nothing refused it"
        except PermissionError:
            refused = ""
        report.check("who is not in the group cannot connect", not refused, refused)

    def places(self) -> None:
        """Files and processes have the owners and rights that they should."""
        def status(path: str) -> str:
            return self.machine.run("stat", "-c", "%U:%G %a", path).stdout.strip()
        report = self.report
        report.same("the socket is the group's", status(SOCKET), "payqueued:payqueued-clients 660")
        report.same("the state is the daemon's alone",
                    status("/var/lib/payqueued"), "payqueued:payqueued 700")
        report.same("so is its private folder", status("/run/payqueued/private"),
                    "payqueued:payqueued 700")
        process = self.machine.path(f"/proc/{self.pid}")
        facts = dict(line.split(":\t", 1) for line in
                     (process / "status").read_text().splitlines() if ":\t" in line)
        report.same("the daemon has no capability", set(facts["CapBnd"].strip()), {"0"})
        report.same("nor can it get one", facts["NoNewPrivs"].strip(), "1")
        report.same("a filter of system calls is on", facts["Seccomp"].strip(), "2")
        links = (process / "net/dev").read_text()
        report.check("its network is empty", "lo:" in links and links.count(":") == 1, links)
        limits = (process / "limits").read_text()
        core = [line.split() for line in limits.splitlines() if line.startswith("Max core")][0]
        report.same("it leaves no core file", core[4:6], ["0", "0"])

    def credential(self) -> None:
        """A catalogue with passwords is read as a credential and by nobody else."""
        machine, report = self.machine, self.report
        text = machine.path("/usr/share/doc/payqueued/examples/catalog.json").read_text()
        machine.write("/etc/credstore/payqueued.catalog",
                      text.replace("100 coins", "100 secret coins"), 0o600)
        machine.write(CONFIGURATION, json.dumps(
            {"catalog": "/run/credentials/payqueued.service/catalog"}))
        machine.systemctl("restart", SERVICE)
        titles = [p["localizedTitle"] for p in self.connect().call("products")["products"]]
        report.check("the catalogue comes as a credential", "100 secret coins" in titles, titles)
        other = machine.run("cat", "/run/credentials/payqueued.service/catalog",
                            user="nobody", check=False)
        report.check("nobody else reads it", other.returncode != 0)
        machine.run("rm", "-r", "/etc/credstore")
        machine.path(CONFIGURATION).unlink()
        machine.systemctl("restart", SERVICE)
        report.check("without one it starts as well", self.connect().call("ping") is not None)
        self._store_credential()

    def _store_credential(self) -> None:
        """The credentials of accounts at a store are found without being named."""
        machine, report = self.machine, self.report
        place = "/etc/credstore/payqueued.store-credentials"
        machine.write(place, '{"accounts":{"demo":7}}', 0o600)
        machine.systemctl("restart", SERVICE, check=False)
        eventually("the daemon refuses credentials that are none",
                   lambda: "store-credentials" in machine.show(SERVICE, "StatusText"))
        machine.write(place, '{"accounts":{"demo":"secret"}}', 0o600)
        machine.systemctl("restart", SERVICE)
        report.check("the store's credentials come as a credential",
                     self.connect().call("ping") is not None)
        machine.run("rm", "-r", "/etc/credstore")
        machine.systemctl("restart", SERVICE)

    def reloading(self) -> None:
        """A good configuration is in force when reload returns, a bad one changes nothing."""
        machine, report = self.machine, self.report
        pid = self.pid
        machine.write(CONFIGURATION, '{"limits": {"batchElements": 7}}')
        report.same("a good configuration is taken",
                    machine.systemctl("reload", SERVICE, check=False).returncode, 0)
        limits = self.connect().call("hello")["limits"]
        report.same("it is in force when reload returns", limits["batchElements"], 7)
        machine.write(CONFIGURATION, '{"limits": {"batchElements": "many"}}')
        done = machine.systemctl("reload", SERVICE, check=False)
        report.check("a bad configuration fails the reload", done.returncode != 0)
        reasons = [str(e.get("MESSAGE")) for e in machine.journal("-u", SERVICE)]
        report.check("the journal has the reason and the file",
                     any("batchElements" in r and CONFIGURATION in r for r in reasons[-8:]),
                     reasons[-8:])
        report.same("the service goes on", machine.show(SERVICE, "ActiveState"), "active")
        limits = self.connect().call("hello")["limits"]
        report.same("with the old configuration", limits["batchElements"], 7)
        machine.path(CONFIGURATION).unlink()
        machine.systemctl("reload", SERVICE)
        report.same("and in the same process", self.pid, pid)

    def restart_under_load(self) -> None:
        """Clients buy while the service restarts: none is refused, nothing is lost or doubled."""
        load = Load(self.machine, self.report)
        with load:
            eventually("purchases are made", lambda: load.acknowledged > 20)
            began = time.monotonic()
            self.machine.systemctl("restart", SERVICE)
            self.report.note(f"a restart under load took {time.monotonic() - began:.2f} s")
            load.await_more(20)
        load.settle("over a restart under load")

    def kill(self) -> None:
        """`kill -9` under load costs a second and no purchase."""
        pid, restarts = self.pid, int(self.machine.show(SERVICE, "NRestarts"))
        load = Load(self.machine, self.report)
        with load:
            eventually("purchases are made", lambda: load.acknowledged > 20)
            self.machine.systemctl("kill", "-s", "KILL", "--kill-who=main", SERVICE)
            self.machine.restarted(SERVICE, pid)
            load.await_more(20)
        load.settle("over kill -9")
        self.report.same("the manager counts it",
                         int(self.machine.show(SERVICE, "NRestarts")), restarts + 1)

    def crash_loop(self) -> None:
        """A daemon that cannot start leaves its socket alive, and clients wait for a better one."""
        machine, report = self.machine, self.report
        machine.systemctl("stop", SERVICE)
        machine.write(CONFIGURATION, '{"logLevel": "nonsense"}')
        # Later managers try less and less often.
        if machine.show(SERVICE, "RestartSteps"):
            machine.drop_in(SERVICE, "[Service]\nRestartSteps=0\n")
        client = self.connect()
        number = client.send("ping")
        before = int(machine.show(SERVICE, "NRestarts"))
        # A unit with the usual limits is given up after five.
        eventually("it failed seven times",
                   lambda: int(machine.show(SERVICE, "NRestarts")) >= before + 7)
        report.same("a crash loop leaves the socket alive",
                    machine.show("payqueued.socket", "ActiveState"), "active")
        # Both are there between one try and the next.
        eventually("the exit status says that it is the configuration",
                   lambda: machine.show(SERVICE, "ExecMainStatus") == "78")
        eventually("the status line says what is wrong with it",
                   lambda: "'nonsense'" in machine.show(SERVICE, "StatusText"))
        report.check("the exit status and the status line say what is wrong", True)
        machine.path(CONFIGURATION).unlink()
        report.check("who has waited is answered after the repair",
                     "result" in client.answer(number))
        machine.undrop(SERVICE)
        machine.systemctl("restart", SERVICE)

    def activation(self) -> None:
        """The first request starts the daemon, and none of its bytes is lost."""
        machine, report = self.machine, self.report
        began = time.monotonic()
        machine.systemctl("stop", SERVICE)
        took = time.monotonic() - began
        report.check("stopping keeps within the timeout", took < 30, f"{took:.1f} s")
        report.same("it ends well", machine.show(SERVICE, "Result"), "success")
        report.same("with status 0", machine.show(SERVICE, "ExecMainStatus"), "0")
        report.check("its socket stays in place", machine.path(SOCKET).is_socket())
        report.same("and open", machine.show("payqueued.socket", "ActiveState"), "active")
        client = self.connect()
        numbers = [client.send("ping") for _ in range(50)]
        answers = [client.answer(number) for number in numbers]
        report.check("the first requests start the daemon and are all answered",
                     all("result" in answer for answer in answers))
        report.same("now it runs", machine.show(SERVICE, "ActiveState"), "active")
        machine.systemctl("stop", "payqueued.socket", SERVICE)
        report.check("stopping the socket unit takes the socket away",
                     not machine.path(SOCKET).exists())
        machine.systemctl("start", SERVICE)
        report.check("starting the service brings it back", machine.path(SOCKET).is_socket())

    def stop_with_clients(self) -> None:
        """Idle and subscribed connections hold up no stop."""
        machine = self.machine
        clients = [self.connect() for _ in range(20)]
        for client in clients[:10]:
            client.call("subscribe")
        began = time.monotonic()
        machine.systemctl("stop", SERVICE)
        took = time.monotonic() - began
        self.report.check("clients hold up no stop", took < 15, f"{took:.1f} s")
        self.report.same("and none is killed for it", machine.show(SERVICE, "Result"), "success")
        machine.systemctl("start", SERVICE)
        for client in clients:
            client.close()
