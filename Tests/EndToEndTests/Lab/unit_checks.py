"""Other ways to run the daemon: instances, a person's own, a user that exists only meanwhile."""

from __future__ import annotations

import json

from load import SERVICE, SOCKET
from machine import Machine, eventually
from report import Report

BUYER = "lab-buyer"


class UnitChecks:
    """Templates, user units, drop-ins."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report

    def instances(self) -> None:
        """Two instances of the template are two queues."""
        machine, report = self.machine, self.report
        names = ["red", "blue"]
        machine.systemctl("start", "payqueued-metrics@red.socket")
        for name in names:
            machine.systemctl("start", f"payqueued@{name}.service")
        sockets = {name: f"/run/payqueued-{name}/payqueued.sock" for name in names}
        pids = {machine.show(f"payqueued@{name}.service", "MainPID") for name in names}
        report.check("two instances run", len(pids) == 2 and "0" not in pids, pids)
        machine.connect(sockets["red"]).call("login", account="demo")
        machine.connect(sockets["red"]).call("add", product="remove-ads")
        listed = {name: machine.connect(path).call("transactions")["transactions"]
                  for name, path in sockets.items()}
        report.check("each has a queue of its own",
                     len(listed["red"]) == 1 and not listed["blue"], listed)
        report.check("and a state of its own", all(
            machine.path(f"/var/lib/payqueued-{name}/format.json").exists() for name in names))
        answer = machine.get("/run/payqueued-red/metrics.sock", "/metrics")
        report.check("an instance is measured at a socket of its own",
                     " 200 " in answer.split("\r\n")[0], answer[:300])
        report.same("an instance reloads",
                    machine.systemctl("reload", "payqueued@red", check=False).returncode, 0)
        machine.systemctl("kill", "-s", "KILL", "--kill-who=main", "payqueued@red")
        again = machine.connect(sockets["red"]).call("transactions")["transactions"]
        report.same("an instance that was killed comes back with its queue", len(again), 1)
        machine.systemctl("stop", "system-payqueued.slice")
        states = {machine.show(f"payqueued@{name}", "ActiveState") for name in names}
        report.same("stopping the slice stops every instance", states, {"inactive"})
        for name in names:
            machine.systemctl("stop", f"payqueued@{name}.socket")
            machine.run("rm", "-rf", f"/var/lib/payqueued-{name}", f"/etc/payqueued-{name}",
                        f"/run/payqueued-{name}")

    def dynamic_user(self) -> None:
        """With the drop-in the daemon's user exists only while it runs; the queue stays."""
        machine, report = self.machine, self.report
        machine.run("payqueuectl", "login", "demo")
        bought = machine.connect(SOCKET).call("add", product="coins.100")["transaction"]
        text = machine.path("/usr/share/payqueued/drop-ins/site/dynamic-user.conf").read_text()
        machine.drop_in(SERVICE, text)
        machine.systemctl("restart", SERVICE)
        pid = machine.show(SERVICE, "MainPID")
        uid = machine.user_of(pid)
        report.check("a dynamic user runs the daemon", 61184 <= uid <= 65519, uid)
        listed = machine.connect(SOCKET).call("transactions")["transactions"]
        report.check("it has the queue", any(t["id"] == bought for t in listed), listed)
        report.same("it reloads",
                    machine.systemctl("reload", SERVICE, check=False).returncode, 0)
        machine.systemctl("stop", SERVICE)
        machine.undrop(SERVICE)
        # The way back, as the drop-in tells it.
        machine.run("sh", "-c", "rm /var/lib/payqueued && mv /var/lib/private/payqueued "
                                "/var/lib/payqueued && chown -R payqueued: /var/lib/payqueued")
        machine.systemctl("start", SERVICE)
        listed = machine.connect(SOCKET).call("transactions")["transactions"]
        report.check("and the way back keeps it", any(t["id"] == bought for t in listed), listed)
        machine.run("payqueuectl", "finish", bought)

    def further_sockets(self) -> None:
        """The drop-in for several sockets gives the daemon a second door."""
        machine = self.machine
        # Read again while it is open, the unit would lose the place that it has.
        machine.systemctl("stop", "payqueued.socket", SERVICE)
        machine.drop_in("payqueued.socket", "[Socket]\nListenStream=/run/shop/pay.sock\n")
        machine.systemctl("start", SERVICE)
        for path in (SOCKET, "/run/shop/pay.sock"):
            answer = machine.connect(path).call("ping")
            self.report.check(f"{path} answers", answer is not None)
        machine.systemctl("stop", "payqueued.socket", SERVICE)
        machine.undrop("payqueued.socket")
        machine.systemctl("start", SERVICE)

    def store(self) -> None:
        """A queue whose store is the server of the same host, behind a Unix socket."""
        machine, report = self.machine, self.report
        if not machine.path("/usr/bin/payqueue-store").exists():
            return report.skip("the store server", "payqueue-store is not built")
        machine.systemctl("start", "payqueue-store.service")
        report.check("the store server serves its group alone", machine.run(
            "stat", "-c", "%U:%G %a", "/run/payqueue-store/store.sock").stdout.strip()
            == "payqueue-store:payqueue-store 660")
        text = machine.path("/usr/share/payqueued/drop-ins/site/store-unix.conf").read_text()
        machine.drop_in("payqueued@remote.service", text)
        machine.systemctl("start", "payqueued@remote.service")
        client = machine.connect("/run/payqueued-remote/payqueued.sock")
        client.call("login", account="demo")
        client.call("subscribe")
        sold = client.call("add", product="coins.100")
        bought = client.call("wait", transaction=sold["transaction"], timeout=60)
        report.check("a queue buys at it through its socket", "purchased" in json.dumps(bought),
                     bought)
        machine.systemctl("restart", "payqueue-store.service")
        again = client.call("add", product="coins.100")
        bought = client.call("wait", transaction=again["transaction"], timeout=60)
        report.check("and goes on when it was restarted", "purchased" in json.dumps(bought), bought)
        machine.systemctl("stop", "payqueued@remote.socket", "payqueued@remote.service",
                          "payqueue-store.service")
        machine.undrop("payqueued@remote.service")
        machine.run("rm", "-rf", "/var/lib/payqueued-remote", "/etc/payqueued-remote",
                    "/run/payqueued-remote", "/var/lib/payqueue-store")

    def person(self) -> None:
        """A person's own manager runs the daemon for that person alone."""
        machine, report = self.machine, self.report
        machine.run("useradd", "--create-home", "--shell", "/bin/sh", BUYER)
        uid = int(machine.run("id", "-u", BUYER).stdout)
        home = f"/run/user/{uid}"
        machine.write("/run/systemd/system/lab-person.service", f"""[Service]
Type=notify
User={BUYER}
Environment=XDG_RUNTIME_DIR={home} HOME=/home/{BUYER}
RuntimeDirectory=user/{uid}
RuntimeDirectoryMode=0700
Delegate=yes
ExecStart=/lib/systemd/systemd --user --unit=basic.target
""")
        machine.systemctl("daemon-reload")
        machine.systemctl("start", "lab-person.service")

        def as_person(*words: str) -> str:
            return machine.run(*words, user=BUYER, check=False, env={
                "XDG_RUNTIME_DIR": home, "HOME": f"/home/{BUYER}"}).stdout.strip()
        as_person("systemctl", "--user", "start", "payqueued.socket")
        socket = f"{home}/payqueued/payqueued.sock"
        eventually("the person's socket is there", lambda: machine.path(socket).is_socket())
        report.check("a person's socket starts the person's daemon",
                     machine.connect(socket).call("ping") is not None)
        pid = as_person("systemctl", "--user", "show", "-p", "MainPID", "--value", SERVICE)
        report.same("which is that person's process",
                    machine.user_of(pid), uid)
        bought = as_person("sh", "-c", "payqueuectl login demo && payqueuectl buy coins.100 --finish")
        report.check("payqueuectl finds it before the system's",
                     "coins.100" in bought and machine.path(
                         f"/home/{BUYER}/.local/state/payqueued/format.json").exists(), bought)
        report.check("the person's status line is there", as_person(
            "systemctl", "--user", "show", "-p", "StatusText", "--value", SERVICE))
        as_person("systemctl", "--user", "reload", SERVICE)
        report.same("it reloads", as_person(
            "systemctl", "--user", "show", "-p", "ActiveState", "--value", SERVICE), "active")
        as_person("systemctl", "--user", "kill", "-s", "KILL", "--kill-who=main", SERVICE)
        report.check("it comes back when it is killed",
                     machine.connect(socket).call("ping") is not None)
        machine.systemctl("stop", "lab-person.service")
        machine.run("userdel", "--remove", BUYER, check=False)
