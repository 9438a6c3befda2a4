"""Members of etcd, nodes that share a queue over it, and the connections to them, for labs on one machine."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional

from cluster_links import Link, Loop

NO_OWNER = -32014
# What is refused now, and may be taken later: there is no owner, the node drains, its storage has failed.
LATER = (NO_OWNER, -32006, -32008)
PATIENCE = 60
STATES = ["purchasing", "purchased", "failed", "restored", "finished"]
TOOLS = ("etcd", "setpriv", "openssl")


def obstacle() -> Optional[str]:
    """Why no cluster can run here; None if one can."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    return f"{missing[0]} is not installed" if missing else None


def free_port() -> int:
    """A port that no program listens on, below those that the system gives to outgoing connections."""
    while True:
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", random.SystemRandom().randrange(12_000, 32_000)))
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
        """A program that is not started yet."""
        self.name, self.command, self.log = name, command, log
        self.process: Optional[subprocess.Popen[bytes]] = None
        # The exit status of each process that the supervisor has replaced.
        self.endings: list[int] = []
        # Whether the supervisor leaves it alone.
        self.rests = False

    def start(self) -> None:
        """Starts it and waits for nothing."""
        with open(self.log, "ab") as log:
            # It ends with this program, however this ends.
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *self.command], stdout=log, stderr=log)

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended."""
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        """Sends a signal."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Ends it at once."""
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def pause(self, seconds: float) -> None:
        """Stops it, and continues it later."""
        self.signal(signal.SIGSTOP)
        after(seconds, lambda: self.signal(signal.SIGCONT))


def after(seconds: float, work: Callable[[], None]) -> None:
    """Does something later."""
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    timer.start()


class Supervisor(threading.Thread):
    """Starts what has ended, as a service manager does."""

    def __init__(self, programs: list[Program], is_over: threading.Event) -> None:
        """Cares for programs until it is over."""
        super().__init__(daemon=True)
        self.programs, self.is_over = programs, is_over

    def run(self) -> None:
        """Looks again and again; does not end before the process does, since what it has started would end with it."""
        while True:
            time.sleep(0.25)
            for program in self.programs:
                if program.process is None or program.is_running or program.rests or self.is_over.is_set():
                    continue
                program.endings.append(program.process.returncode)
                program.start()


class Connection:
    """A connection to a node."""

    def __init__(self, path: str, seconds: float) -> None:
        """Connects to a socket; no call waits longer than some seconds for bytes."""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("rb")
        self.number = 0
        # The notifications that came before a reply.
        self.early: list[dict] = []

    def call(self, method: str, **params: object) -> dict:
        """The reply to a request."""
        self.number += 1
        self.send(method, **params)
        while True:
            message = self.read()
            if message.get("id") == self.number:
                return message
            self.early.append(message)

    def send(self, method: str, **params: object) -> None:
        """Sends a request."""
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def message(self) -> dict:
        """The next message that is not the reply to a call."""
        return self.early.pop(0) if self.early else self.read()

    def read(self) -> dict:
        """The next message from the socket."""
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise OSError("the connection has ended")
        return json.loads(line)

    def cut(self) -> None:
        """Ends the connection while another thread reads from it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes it."""
        self.lines.close()
        self.socket.close()


class Etcd:
    """Three members of etcd."""

    def __init__(self, folder: Path, count: int = 3, has_links: bool = False) -> None:
        """With links, the others reach each member by a way that can be cut."""
        self.folder = folder
        self.ports = [(free_port(), free_port()) for _ in range(count)]
        self.links = [Loop.link(peer) for _, peer in self.ports] if has_links else []
        # Where the others reach each member.
        self.peers = [f"http://127.0.0.1:{link.port}" for link in self.links] or [
            f"http://127.0.0.1:{peer}" for _, peer in self.ports]
        self.members = [
            Program(f"m{number}", self._command(number, "new"), folder / f"m{number}.log") for number in range(count)]
        self.clients = [f"127.0.0.1:{client}" for client, _ in self.ports]
        self.replacing = threading.Lock()

    def _command(self, number: int, state: str) -> list[str]:
        """The command of a member."""
        client, peer = self.ports[number]
        peers = ",".join(f"m{n}={address}" for n, address in enumerate(self.peers))
        return [
            "etcd", "--name", f"m{number}", "--data-dir", str(self.folder / f"m{number}"), "--log-level", "error",
            "--listen-client-urls", f"http://127.0.0.1:{client}",
            "--advertise-client-urls", f"http://127.0.0.1:{client}",
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-advertise-peer-urls", self.peers[number],
            "--initial-cluster", peers, "--initial-cluster-state", state]

    def start(self) -> None:
        """Starts the members."""
        for member in self.members:
            member.start()

    def stop(self) -> None:
        """Ends the members."""
        for member in self.members:
            member.signal(signal.SIGCONT)
            member.kill()

    def ask(self, path: str, seconds: float = 1, **body: object) -> dict:
        """The answer of the first member that has one; empty if none has."""
        for number in range(len(self.members)):
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                answer = self.ask_member(number, path, seconds, **body)
                if "error" not in answer:
                    return answer
        return {}

    def ask_member(self, number: int, path: str, seconds: float = 1, **body: object) -> dict:
        """The answer of a member."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[number][0], timeout=seconds)
        try:
            connection.request("POST", f"/v3/{path}", json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def entry(self, key: str) -> Optional[dict]:
        """A key, with its value as text; None if it does not exist, or no member answers."""
        found = self.ask("kv/range", key=encoded(key)).get("kvs")
        return {**found[0], "value": decoded(found[0]["value"])} if found else None

    def revision(self) -> int:
        """The revision of the store; 0 if no member answers."""
        return int(self.ask("kv/range", key=encoded("none")).get("header", {}).get("revision", 0))

    def election(self) -> int:
        """The number of the last election of a leader that a member knows of; 0 if none answers."""
        elections = [0]
        for number in range(len(self.members)):
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                elections.append(int(self.ask_member(number, "maintenance/status", 0.3).get("raftTerm", 0)))
        return max(elections)

    def leader(self) -> int:
        """The member that is the leader; the first if none answers."""
        for number in range(len(self.members)):
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                status = self.ask_member(number, "maintenance/status")
                if "leader" in status and status["leader"] == status["header"]["member_id"]:
                    return number
        return 0

    def compact(self) -> None:
        """Has etcd forget everything before now."""
        self.ask("kv/compaction", revision=str(self.revision()))

    def run_out_of_room(self, seconds: float) -> None:
        """Has each member refuse what takes room, for a time."""
        members = [member["ID"] for member in self.ask("cluster/member/list").get("members", [])]

        def set_alarm(action: str) -> None:
            """Sets or clears the alarm of each member."""
            for member in members:
                self.ask("maintenance/alarm", action=action, memberID=member, alarm="NOSPACE")

        def disarm() -> None:
            """Clears the alarm until no member has it."""
            # The alarm would stay if no member answers in this moment.
            for _ in range(PATIENCE):
                set_alarm("DEACTIVATE")
                answer = self.ask("maintenance/alarm", action="GET")
                if answer and not answer.get("alarms"):
                    return
                time.sleep(0.5)

        set_alarm("ACTIVATE")
        after(seconds, disarm)

    def replace(self, number: int) -> bool:
        """Removes a member with its data, and adds it anew; false if etcd does not do so now.

        One member at a time: while two are away, the third has no majority, and neither can be removed.
        """
        if not self.replacing.acquire(blocking=False):
            return False
        try:
            return self._replace(number)
        finally:
            self.replacing.release()

    def _replace(self, number: int) -> bool:
        """Does that, while no other member is replaced."""
        name, peer = f"m{number}", self.peers[number]
        listed = self.ask("cluster/member/list").get("members", [])
        identity = next((member["ID"] for member in listed if peer in member["peerURLs"]), None)
        if identity is None or len(listed) < len(self.members):
            return False
        member = self.members[number]
        member.rests = True
        member.kill()
        try:
            others = [other for other in range(len(self.members)) if other != number]
            deadline = time.monotonic() + PATIENCE
            if not self._insist(others, "cluster/member/remove", deadline, ID=identity):
                return False
            shutil.rmtree(self.folder / name, ignore_errors=True)
            member.command = self._command(number, "existing")
            return self._insist(others, "cluster/member/add", deadline, peerURLs=[peer])
        finally:
            member.start()
            member.rests = False

    def _insist(self, members: list[int], path: str, deadline: float, **body: object) -> bool:
        """Asks members until one has done something."""
        while time.monotonic() < deadline:
            for number in members:
                with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
                    answer = self.ask_member(number, path, 3, **body)
                    # What is done already was done by an attempt whose answer did not arrive.
                    if "header" in answer or "not found" in str(answer) or "already exists" in str(answer):
                        return True
            time.sleep(0.3)
        return False


def encoded(key: str) -> str:
    """A key or value as etcd takes it."""
    return base64.b64encode(key.encode()).decode()


def decoded(value: str) -> str:
    """A key or value as text."""
    return base64.b64decode(value).decode()


class Cluster:
    """Nodes that share a queue."""

    def __init__(
        self, folder: Path, program: Path, etcd: Etcd, lease: int, count: int = 3, prefix: str = "lab",
        stores: Optional[list[str]] = None, has_links: bool = False, limits: Optional[dict[str, int]] = None,
    ) -> None:
        """With links, each node reaches each member of etcd by a way of its own."""
        self.folder, self.etcd, self.lease, self.prefix, self.count = folder, etcd, lease, prefix, count
        folder.mkdir(exist_ok=True)
        certificates = certify(folder)
        self.links: list[list[Link]] = []
        # The ports where the other nodes reach each node.
        self.peers: list[int] = []
        self.nodes: list[Program] = []
        for number in range(count):
            name, members = f"n{number}", etcd.clients
            if has_links:
                self.links.append([Loop.link(client) for client, _ in etcd.ports])
                members = [f"127.0.0.1:{link.port}" for link in self.links[-1]]
            config = folder / f"{name}.json"
            self.peers.append(free_port())
            config.write_text(json.dumps({"limits": limits or {}, "cluster": {
                "node": name, "leaseSeconds": lease, "peer": f"127.0.0.1:{self.peers[-1]}", **certificates}}))
            command = [
                str(program), "--journal", f"etcd://{','.join(members)}/{prefix}", "--config", str(config),
                "--socket", self.path(number), "--state-directory", str(self.state(number))]
            if stores:
                command += ["--store", stores[number]]
            self.nodes.append(Program(name, command, folder / f"{name}.log"))

    def path(self, number: int) -> str:
        """The socket of a node."""
        return str(self.folder / f"n{number}.sock")

    def state(self, number: int) -> Path:
        """The state directory of a node."""
        return self.folder / f"n{number}-state"

    def start(self) -> None:
        """Starts the nodes."""
        for node in self.nodes:
            node.start()

    def stop(self) -> None:
        """Ends the nodes in order."""
        for node in self.nodes:
            node.signal(signal.SIGCONT)
            node.signal(signal.SIGTERM)
        for node in self.nodes:
            if node.process:
                try:
                    node.process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    node.kill()

    def known_owner(self) -> Optional[int]:
        """The node that owns the queue; None if no one is known to."""
        entry = self.etcd.entry(f"{self.prefix}/owner")
        return int(json.loads(entry["value"])["node"][1:]) if entry else None

    def owner(self) -> int:
        """The node that owns the queue; the first if no one is known to."""
        return self.known_owner() or 0

    def revoke(self) -> None:
        """Ends the lease of the owner."""
        entry = self.etcd.entry(f"{self.prefix}/owner")
        if entry:
            self.etcd.ask("lease/revoke", ID=json.loads(entry["value"])["lease"])

    def log_in(self, seconds: float = PATIENCE) -> bool:
        """Logs the account in, at whichever node takes that; false if none does."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for number in range(self.count):
                with contextlib.suppress(OSError, ValueError), self.connected(number, 5) as connection:
                    if "result" in connection.call("login", account="demo"):
                        return True
            time.sleep(0.1)
        return False

    @contextlib.contextmanager
    def connected(self, number: int, seconds: float = 10) -> Iterator[Connection]:
        """A connection to a node for a while."""
        connection = Connection(self.path(number), seconds)
        try:
            yield connection
        finally:
            connection.close()

    def pages(self, number: int, method: str, member: str, **params: object) -> Iterator[dict]:
        """All entries that a node lists."""
        page = None
        with self.connected(number, 30) as connection:
            while True:
                reply = connection.call(method, **params, **({"page": page} if page else {}))
                if "result" not in reply:
                    raise OSError(f"{method} is refused: {reply}")
                yield from reply["result"][member]
                page = reply["result"].get("next")
                if not page:
                    return

    def transactions(self, number: int) -> list[dict]:
        """All transactions that a node has."""
        return list(self.pages(number, "transactions", "transactions", states=STATES, limit=500))

    def journal(self, number: int) -> Iterator[dict]:
        """The lines in the files of a node that has ended."""
        for path in sorted(self.state(number).glob("journal-*.ndjson")):
            for line in path.read_bytes().rstrip(b"\n\0").splitlines():
                yield json.loads(line)


def keep(folder: Path, place: Path) -> None:
    """Keeps the files of a run."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("*.sock", "nodes*"))
    print(f"note the files are in {place}", flush=True)


def percentiles(seconds: Iterable[float]) -> str:
    """The median, the 99th percentile and the maximum, as text."""
    times = sorted(seconds)
    if not times:
        return "none"
    rank = min(len(times) - 1, int(0.99 * len(times)))
    return (f"{len(times)} times, median {times[len(times) // 2]:.2f} s, p99 {times[rank]:.2f} s, "
            f"at most {times[-1]:.2f} s")
