#!/usr/bin/env python3
"""Has nodes share a queue over etcd while owners, etcd's members and nodes are killed and stopped.

    cluster.py --payqueued PROGRAM [--payqueuectl PROGRAM] [--rounds N] [--seed N] [--lease S]

Starts three members of etcd and three nodes on this machine. Buyers add payments at all nodes, each with a key, and
repeat what was not answered; nodes that do not own the queue pass that on. What was acknowledged must be found at the
same node at once. An observer on each node reads the events. In each round one thing
happens: the owner is killed, stopped for longer than its lease, or asked to end; a follower is killed; etcd's leader
is killed, or a member is stopped. What has ended is started again. The round ends when purchases are made.

In the end every acknowledged payment must be in the queue of each node, once; each key must stand for one payment; the
observers must have seen no gap; the files of the nodes must be equal, and `journal verify` must find them sound. Prints
each round, what went wrong, the times without an owner, and the totals. Exits 1 if anything went wrong; 77, with the
reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, Optional

from report import Report

NO_OWNER = -32014
NODES = 3
PATIENCE = 60
# The payments of a buyer that are not finished yet.
OPEN = 20


def free_port() -> int:
    """A port that no program listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def certify(folder: Path) -> dict[str, str]:
    """Makes the certificate of all nodes, which is its own authority; returns the configuration."""
    certificate, key, credentials = folder / "nodes.pem", folder / "nodes-key.pem", folder / "nodes.json"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=nodes", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        capture_output=True, check=True)
    credentials.touch(0o600)
    credentials.write_text(json.dumps({"certificate": certificate.read_text(), "key": key.read_text()}))
    return {"peerCertificates": str(certificate), "peerCredentials": str(credentials)}


class Program:
    """A program that is started again and again."""

    def __init__(self, name: str, command: list[str], log: Path) -> None:
        self.name, self.command, self.log = name, command, log
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        """Starts it and waits for nothing."""
        with open(self.log, "ab") as log:
            # It ends with this program, however this ends.
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *self.command], stdout=log, stderr=log)

    def signal(self, number: int) -> None:
        """Sends a signal."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Ends it at once."""
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()


class Connection:
    """A connection to a node."""

    def __init__(self, path: str, seconds: float) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def call(self, method: str, **params: object) -> dict:
        """The reply to a request."""
        self.number += 1
        self.send(method, **params)
        while True:
            message = self.message()
            if message.get("id") == self.number:
                return message

    def send(self, method: str, **params: object) -> None:
        """Sends a request."""
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def message(self) -> dict:
        """The next message."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise OSError("the connection has ended")
        return json.loads(line)

    def close(self) -> None:
        """Closes it."""
        self.lines.close()
        self.socket.close()


class Cluster:
    """Members of etcd and nodes."""

    def __init__(self, folder: Path, program: Path, lease: int) -> None:
        self.folder, self.lease = folder, lease
        ports = [(free_port(), free_port()) for _ in range(3)]
        peers = ",".join(f"m{n}=http://127.0.0.1:{peer}" for n, (_, peer) in enumerate(ports))
        self.clients = [f"127.0.0.1:{client}" for client, _ in ports]
        self.members = [
            Program(f"m{n}", [
                "etcd", "--name", f"m{n}", "--data-dir", str(folder / f"m{n}"), "--log-level", "error",
                "--listen-client-urls", f"http://127.0.0.1:{client}",
                "--advertise-client-urls", f"http://127.0.0.1:{client}",
                "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster", peers],
                folder / f"m{n}.log")
            for n, (client, peer) in enumerate(ports)]
        self.nodes = []
        certificates = certify(folder)
        for number in range(NODES):
            name = f"n{number}"
            config = folder / f"{name}.json"
            config.write_text(json.dumps({"cluster": {
                "node": name, "leaseSeconds": lease, "peer": f"127.0.0.1:{free_port()}", **certificates}}))
            self.nodes.append(Program(name, [
                str(program), "--journal", f"etcd://{','.join(self.clients)}/lab", "--config", str(config),
                "--socket", self.path(number), "--state-directory", str(folder / f"{name}-state")],
                folder / f"{name}.log"))

    def path(self, number: int) -> str:
        """The socket of a node."""
        return str(self.folder / f"n{number}.sock")

    def start(self) -> None:
        """Starts everything."""
        for program in self.members + self.nodes:
            program.start()

    def stop(self) -> None:
        """Ends everything: the nodes in order, then etcd."""
        for node in self.nodes:
            node.signal(signal.SIGCONT)
            node.signal(signal.SIGTERM)
        for node in self.nodes:
            if node.process:
                node.process.wait(PATIENCE)
        for member in self.members:
            member.kill()

    def owner(self) -> int:
        """The node that owns the queue; the first if no one is known to."""
        key = base64.b64encode(b"lab/owner").decode()
        for client in self.clients:
            found = subprocess.run(
                ["curl", "-s", "-m", "1", "-d", json.dumps({"key": key}), f"http://{client}/v3/kv/range"],
                capture_output=True, check=False)
            with contextlib.suppress(ValueError, LookupError):
                value = json.loads(base64.b64decode(json.loads(found.stdout)["kvs"][0]["value"]))
                return int(value["node"][1:])
        return 0

    def leader(self) -> int:
        """The member that is etcd's leader; the first if none answers."""
        for number, client in enumerate(self.clients):
            found = subprocess.run(
                ["curl", "-s", "-m", "1", "-d", "{}", f"http://{client}/v3/maintenance/status"],
                capture_output=True, check=False)
            try:
                status = json.loads(found.stdout)
            except ValueError:
                continue
            if status.get("leader") == status["header"]["member_id"]:
                return number
        return 0


class Supervisor(threading.Thread):
    """Starts what has ended, as a service manager does."""

    def __init__(self, programs: list[Program], world: "World") -> None:
        super().__init__(daemon=True)
        self.programs, self.world = programs, world

    def run(self) -> None:
        # This thread does not end before the process does: what it has started would end with it.
        while True:
            time.sleep(0.25)
            for program in self.programs:
                is_gone = program.process is not None and program.process.poll() is not None
                if is_gone and not self.world.is_over.is_set():
                    program.start()


class Buyer(threading.Thread):
    """Adds payments at one node, and at the next while that one does not answer; each until it is acknowledged."""

    def __init__(self, number: int, cluster: Cluster, world: "World") -> None:
        super().__init__(daemon=True)
        self.number, self.cluster, self.world = number, cluster, world

    def run(self) -> None:
        node, count, connection = self.number % NODES, 0, None
        open_ones: list[str] = []
        while not self.world.is_over.is_set():
            key = f"b{self.number}-{count}"
            try:
                connection = connection or Connection(self.cluster.path(node), 2)
                reply = connection.call("add", product="coins.100", key=key)
            except OSError:
                reply = {}
            if "result" in reply:
                transaction = reply["result"]["transaction"]
                self.world.acknowledged(key, transaction)
                count += 1
                open_ones.append(transaction)
                with contextlib.suppress(OSError):
                    if count % 8 == 0:
                        found = connection.call("transactions", ids=[transaction])
                        if not found.get("result", {}).get("transactions"):
                            self.world.wrong(f"n{node} does not have {transaction}, which it has acknowledged: {found}")
                    # What is refused, or not answered, is finished later.
                    if len(open_ones) > OPEN and "result" in connection.call("finish", transaction=open_ones[0]):
                        open_ones.pop(0)
                continue
            code = reply.get("error", {}).get("code")
            if code not in (None, NO_OWNER, -32006, -32008):
                self.world.wrong(f"add was refused with {reply['error']}")
            if connection:
                connection.close()
            # A node that says that there is no owner is asked again.
            if code != NO_OWNER:
                node = (node + 1) % NODES
            connection = None
            time.sleep(0.02)


class Observer(threading.Thread):
    """Reads the events of a node, and those of its next process behind them."""

    def __init__(self, number: int, cluster: Cluster, world: "World") -> None:
        super().__init__(daemon=True)
        self.number, self.cluster, self.world = number, cluster, world
        self.last: Optional[int] = None

    def run(self) -> None:
        while not self.world.is_over.is_set():
            try:
                self._read()
            except OSError:
                time.sleep(0.02)

    def _read(self) -> None:
        connection = Connection(self.cluster.path(self.number), 5)
        position = {} if self.last is None else {"after": self.last}
        reply = connection.call("subscribe", **position)
        if "result" not in reply:
            self.world.wrong(f"n{self.number} refuses a subscription after {self.last}: {reply['error']}")
            connection.close()
            return
        begun = self.last
        while not self.world.is_over.is_set():
            try:
                message = connection.message()
            except TimeoutError:
                continue
            params = message.get("params", {})
            if message.get("method") == "gap":
                self.world.wrong(f"n{self.number} has a gap: {params}")
            if message.get("method") == "caughtUp":
                self.last = max(self.last or 0, params["seq"])
            if message.get("method") != "event" or params.get("redelivery"):
                continue
            if begun is not None and params["prev"] > (self.last or 0):
                self.world.wrong(f"n{self.number}: after {self.last} comes {params['seq']}, behind {params['prev']}")
            begun = params["seq"]
            self.last = max(self.last or 0, params["seq"])
        connection.close()


class World:
    """What happened, for the judgement in the end."""

    def __init__(self) -> None:
        self.is_over = threading.Event()
        self._lock = threading.Lock()
        self.payments: dict[str, str] = {}
        self.last = time.monotonic()
        self.faults: list[str] = []

    def acknowledged(self, key: str, transaction: str) -> None:
        """Notes that an add was answered."""
        with self._lock:
            if self.payments.setdefault(key, transaction) != transaction:
                self.faults.append(f"key {key} stands for {self.payments[key]} and {transaction}")
            self.last = time.monotonic()

    def wrong(self, text: str) -> None:
        """Notes a broken promise."""
        with self._lock:
            self.faults.append(text)

    def await_purchase(self) -> float:
        """Waits until an add that is made from now on is answered; returns the seconds."""
        began = time.monotonic()
        before = len(self.payments)
        # Adds that were on their way may be answered by the former owner.
        while self.last < began + 0.05 or len(self.payments) < before + 8:
            if time.monotonic() > began + PATIENCE:
                raise TimeoutError("no purchase is made")
            time.sleep(0.005)
        return time.monotonic() - began


def rounds(cluster: Cluster, world: World, count: int, chance: random.Random) -> list[float]:
    """Has things happen; returns the seconds without purchases of those that take the owner away."""
    def owner() -> Program:
        return cluster.nodes[cluster.owner()]

    def follower() -> Program:
        return cluster.nodes[(cluster.owner() + chance.randrange(1, NODES)) % NODES]

    def pause(program: Program, seconds: float) -> None:
        program.signal(signal.SIGSTOP)
        timer = threading.Timer(seconds, program.signal, [signal.SIGCONT])
        timer.daemon = True
        timer.start()

    events: dict[str, Callable[[], None]] = {
        "the owner is killed": lambda: owner().kill(),
        "the owner is stopped": lambda: pause(owner(), cluster.lease + 1 + 2 * chance.random()),
        "the owner ends": lambda: owner().signal(signal.SIGTERM),
        "a follower is killed": lambda: follower().kill(),
        "etcd's leader is killed": lambda: cluster.members[cluster.leader()].kill(),
        "a member is stopped": lambda: pause(chance.choice(cluster.members), 2 * chance.random()),
    }
    gone = []
    for number in range(count):
        name = chance.choice(list(events))
        events[name]()
        seconds = world.await_purchase()
        if "owner" in name:
            gone.append(seconds)
        print(f"note round {number}: {name}, purchases after {seconds:.2f} s, {len(world.payments)} in all", flush=True)
        time.sleep(0.5 + chance.random())
        if world.faults:
            break
    return gone


def listed(cluster: Cluster, number: int) -> list[str]:
    """All transactions that a node has."""
    connection, page, found = Connection(cluster.path(number), 10), None, []
    while True:
        params = {"states": ["purchasing", "purchased", "failed", "restored", "finished"], "limit": 500}
        result = connection.call("transactions", **params, **({"page": page} if page else {}))["result"]
        found += [transaction["id"] for transaction in result["transactions"]]
        page = result.get("next")
        if not page:
            connection.close()
            return found


def equal(cluster: Cluster, report: Report, control: Optional[Path]) -> None:
    """Judges the files of the nodes that have ended."""
    logs = []
    for number in range(NODES):
        state = cluster.folder / f"n{number}-state"
        logs.append({path.name: path.read_bytes().rstrip(b"\n\0") for path in state.glob("journal-*.ndjson")})
        if control:
            verified = subprocess.run(
                [control, "journal", "verify", "--state-directory", state], capture_output=True, check=False)
            report.check(f"the files of n{number} are sound", verified.returncode == 0, verified.stdout)
    common = set.intersection(*(set(log) for log in logs))
    report.check("the nodes have segments in common", common)
    for name in sorted(common):
        report.check(f"{name} is the same on all nodes", len({log[name] for log in logs}) == 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payqueued", type=Path, required=True)
    parser.add_argument("--payqueuectl", type=Path)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--lease", type=int, default=5)
    options = parser.parse_args()
    for tool in ("etcd", "setpriv", "curl", "openssl"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    print(f"note seed {options.seed}", flush=True)
    report, world = Report(), World()
    with tempfile.TemporaryDirectory(prefix="payqueued-cluster-") as folder:
        cluster = Cluster(Path(folder), options.payqueued.resolve(), options.lease)
        cluster.start()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                replies = [
                    Connection(cluster.path(number), 5).call("login", account="demo") for number in range(NODES)]
                if any("result" in reply for reply in replies):
                    break
            except OSError:
                pass
            time.sleep(0.1)
        threads: list[threading.Thread] = [Buyer(number, cluster, world) for number in range(4)]
        threads.append(Supervisor(cluster.members + cluster.nodes, world))
        threads += [Observer(number, cluster, world) for number in range(NODES)]
        for thread in threads:
            thread.start()
        gone: list[float] = []
        try:
            world.await_purchase()
            gone = rounds(cluster, world, options.rounds, random.Random(options.seed))
        except TimeoutError as failure:
            world.wrong(str(failure))
        time.sleep(3)
        world.is_over.set()
        for thread in threads:
            thread.join(10)
        for number in range(NODES):
            try:
                ids = listed(cluster, number)
            except (OSError, KeyError) as failure:
                report.check(f"n{number} lists its transactions", False, failure)
                continue
            missing = set(world.payments.values()) - set(ids)
            report.check(f"n{number} has every acknowledged payment", not missing, sorted(missing)[:5])
            report.check(f"n{number} has each payment once", len(ids) == len(set(ids)))
        cluster.stop()
        for fault in world.faults[:10]:
            report.check("a promise", False, fault)
        equal(cluster, report, options.payqueuectl)
        if report.failed:
            kept = Path(".build") / f"cluster-{options.seed}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("*.sock"))
            print(f"note the files are in {kept}")
    gone.sort()
    if gone:
        print(f"note without purchases: median {gone[len(gone) // 2]:.2f} s, at most {gone[-1]:.2f} s")
    print(f"note {len(world.payments)} payments, {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
