"""A machine with a real systemd, made in a third of a second and thrown away afterwards."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

HERE = Path(__file__).resolve().parent
PATIENCE = 60.0


class Trouble(Exception):
    """Something that should have happened did not."""


def eventually(what: str, ask: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Asks again and again until the answer is true."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Trouble(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.02)


def obstacle(lower: str = "/") -> Optional[str]:
    """Why this machine cannot boot another; None if it can."""
    if os.geteuid() != 0:
        return "it takes root"
    for tool in ("unshare", "nsenter", "mount", "pivot_root"):
        if not shutil.which(tool):
            return f"{tool} is missing"
    if not os.access(f"{lower}/lib/systemd/systemd", os.X_OK):
        return "systemd is missing"
    if "\toverlay\n" not in Path("/proc/filesystems").read_text():
        return "the kernel has no overlay file system"
    if not control_groups():
        return "there is no control group hierarchy of version 2"
    spaces = ["unshare", "--mount", "--pid", "--fork", "--cgroup", "--ipc", "--uts", "--net"]
    attempt = "mount --make-rprivate / && mount -t tmpfs lab /mnt && mkdir /mnt/a /mnt/b /mnt/c && " \
        "mount -t overlay -o lowerdir=/,upperdir=/mnt/a,workdir=/mnt/b lab /mnt/c"
    if subprocess.run([*spaces, "sh", "-c", attempt], capture_output=True).returncode != 0:
        return "the kernel refuses namespaces or an overlay in them"
    entered = subprocess.run(
        ["nsenter", "--mount=/proc/self/ns/mnt", "stat", "-c", "%d:%i", "/"], capture_output=True,
        text=True).stdout.strip()
    root = os.stat("/")
    if entered != f"{root.st_dev}:{root.st_ino}":
        return "this process runs in a chroot, and what enters a machine would leave it"
    with contextlib.suppress(OSError):
        with own_group():
            return None
    return "control groups cannot be made here"


def control_groups() -> Optional[Path]:
    """The control group of this process in the unified hierarchy, as a folder."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            own = re.search(r"^0::/(.*)$", Path("/proc/self/cgroup").read_text(), re.M)
            return Path(place) / (own.group(1) if own else "")
    return None


@contextlib.contextmanager
def own_group() -> Iterator[Path]:
    """A fresh control group, gone with everything in it afterwards."""
    parent = control_groups()
    if parent is None:
        raise OSError("no control groups")
    group = parent / f"payqueued-lab-{os.getpid()}-{time.monotonic_ns()}"
    group.mkdir()
    try:
        yield group
    finally:
        for folder, _, _ in os.walk(group, topdown=False):
            for _ in range(100):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
                    break
                time.sleep(0.02)


class Machine:
    """The machine while it runs. Its files are seen from outside below `root`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.root = Path(f"/proc/{pid}/root")

    @classmethod
    @contextlib.contextmanager
    def booted(cls, lower: str = "/") -> Iterator[Machine]:
        """Boots a machine and takes it down again."""
        with tempfile.TemporaryDirectory(prefix="lab-") as folder, own_group() as group:
            outer = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc",
                 "--uts", "--net", "sh", str(HERE / "boot.sh"), folder, lower],
                preexec_fn=lambda: enter(group), stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                machine = cls(eventually("systemd has started", lambda: first_process(outer)))
                machine.await_boot()
                yield machine
            finally:
                outer.kill()
                outer.wait()
                eventually("its processes are gone", lambda: not (group / "cgroup.procs").exists()
                           or not any(f.read_text() for f in group.rglob("cgroup.procs")))

    def await_boot(self) -> None:
        """Waits until the manager has nothing more to start."""
        def is_up() -> bool:
            state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
            return state in ("running", "degraded")
        eventually("the machine is up", is_up)

    def run(
        self, *command: str, check: bool = True, env: Optional[dict[str, str]] = None,
        user: Optional[str] = None, seconds: float = PATIENCE,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command inside, to its end."""
        words = list(command)
        if user:
            words = ["runuser", "-u", user, "--", *words]
        settings = [f"{name}={value}" for name, value in (env or {}).items()]
        done = subprocess.run(
            ["nsenter", "-t", str(self.pid), "-m", "-u", "-i", "-n", "-p", "-C", "--", "env", "-i",
             "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *settings, *words],
            capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL, cwd="/")
        if check and done.returncode != 0:
            raise Trouble(f"{' '.join(command)}: {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def systemctl(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs systemctl inside."""
        return self.run("systemctl", "--no-pager", *words, check=check)

    def show(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.systemctl("show", "-p", name, "--value", unit).stdout.strip()

    def user_of(self, pid: str) -> int:
        """The user of a process. The files of one that keeps its memory to itself are root's."""
        lines = self.path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Uid:")).split()[1])

    def path(self, inside: str) -> Path:
        """A file inside, as seen from outside."""
        return self.root / inside.lstrip("/")

    def write(self, inside: str, text: str, mode: int = 0o644) -> None:
        """Writes a file inside, and the folders above it."""
        place = self.path(inside)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    def drop_in(self, unit: str, text: str, name: str = "test") -> None:
        """Gives a unit a drop-in until the machine is told otherwise."""
        self.write(f"/run/systemd/system/{unit}.d/{name}.conf", text)
        self.systemctl("daemon-reload")

    def undrop(self, unit: str, name: str = "test") -> None:
        """Takes a drop-in away again."""
        file = self.path(f"/run/systemd/system/{unit}.d/{name}.conf")
        file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            file.parent.rmdir()
        self.systemctl("daemon-reload")

    def journal(self, *matches: str) -> list[dict[str, Any]]:
        """Entries of the journal."""
        out = self.run("journalctl", "--no-pager", "-o", "json", *matches).stdout
        return [json.loads(line) for line in out.splitlines()]

    def restarted(self, unit: str, pid: str) -> str:
        """Waits until another process than the named one serves; its number."""
        def successor() -> Optional[str]:
            new = self.show(unit, "MainPID")
            return new if new not in ("0", pid) and self.show(unit, "ActiveState") == "active" \
                else None
        return str(eventually(f"{unit} runs anew", successor))

    def outside(self, pid: str) -> int:
        """The number that a process of the machine has on this side."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                numbers = re.search(r"^NSpid:\s+(.*)$", (folder / "status").read_text(), re.M)
                inner = numbers.group(1).split() if numbers else []
                if len(inner) > 1 and inner[-1] == pid and self._is_inside(folder):
                    return int(folder.name)
        raise Trouble(f"process {pid} is not there")

    def _is_inside(self, process: Path) -> bool:
        spaces = [os.readlink(place / "ns/pid") for place in (process, Path(f"/proc/{self.pid}"))]
        return spaces[0] == spaces[1]

    def get(self, inside: str, target: str) -> str:
        """What a request over HTTP through a socket inside is answered with."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self.path(inside)))
            connection.sendall(
                f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while more := connection.recv(65536):
                answer += more
        return answer.decode()

    def connect(self, inside: str, user: Optional[tuple[int, int]] = None) -> "Client":
        """Connects to a socket inside, as root or as somebody else."""
        return Client(self, inside, user)


class Client:
    """A connection that speaks lines of JSON."""

    def __init__(self, machine: Machine, inside: str, user: Optional[tuple[int, int]]) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.unread = b""
        self.number = 0
        # Lines that answer nothing that was asked, or something twice.
        self.surplus: list[Any] = []
        self._owed: set[int] = set()
        # The folder is opened as root: the way there leads through /proc.
        folder = os.open(machine.path(os.path.dirname(inside)), os.O_PATH | os.O_DIRECTORY)
        try:
            place = f"/proc/self/fd/{folder}/{os.path.basename(inside)}"
            if user is None:
                self.socket.connect(place)
            else:
                connect_as(self.socket, place, *user)
        finally:
            os.close(folder)

    def send(self, method: str, **params: Any) -> int:
        """Sends a request and does not wait for the answer."""
        self.number += 1
        self._owed.add(self.number)
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        return self.number

    def line(self) -> dict[str, Any]:
        """The next line; an error if the other side has closed."""
        while b"\n" not in self.unread:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionResetError("closed")
            self.unread += more
        line, self.unread = self.unread.split(b"\n", 1)
        message = dict(json.loads(line))
        if "id" in message:
            if message["id"] not in self._owed:
                self.surplus.append(message)
            self._owed.discard(message["id"])
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request; notifications before it are dropped."""
        while True:
            line = self.line()
            if line.get("id") == number:
                return line

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a call."""
        line = self.answer(self.send(method, **params))
        if "error" in line:
            raise Trouble(f"{method}: {line['error']}")
        return dict(line["result"])

    def broken(self) -> list[Any]:
        """What must not have come: half a line behind the whole ones, no JSON, and answers to no request."""
        while b"\n" in self.unread:
            try:
                self.line()
            except ValueError as error:
                self.surplus.append(error)
        return self.surplus + ([self.unread] if self.unread else [])

    def close(self) -> None:
        """Hangs up."""
        self.socket.close()


def connect_as(peer: socket.socket, place: str, uid: int, gid: int) -> None:
    """Connects as another user.

    The kernel writes down who connects, so a child does; the descriptor is shared with it.
    """
    child = os.fork()
    if child == 0:
        code = 255
        try:
            os.setgroups([gid])
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            peer.connect(place)
            code = 0
        except OSError as error:
            code = error.errno or 255
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(code, os.strerror(code))


def enter(group: Path) -> None:
    """Joins a control group, and ends when the parent does."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    (group / "cgroup.procs").write_text(str(os.getpid()))


def first_process(outer: subprocess.Popen[bytes]) -> Optional[int]:
    """The inner systemd, as soon as it is one."""
    if outer.poll() is not None:
        raise Trouble(f"the machine did not boot: status {outer.returncode}")
    children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
    for child in children:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return int(child)
    return None
