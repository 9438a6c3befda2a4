"""What the checks of pages share: their command line, their report, and programs that serve something."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).parent.parent / "Lab"))

from browser import Failed, Missing, eventually, programs  # noqa: E402
from report import Report  # noqa: E402

# How a script ends where there is no browser.
NOTHING_TO_TRY = 77


class Options(argparse.Namespace):
    """The command line of a script that checks pages."""

    bins: Path
    axe: Path | None
    pictures: Path | None
    folder: Path
    counts: list[int]
    states: Path | None


def main(check: Callable[[Report, Options], None]) -> None:
    """Runs the checks of a script and ends the process: 0 all is well, 1 something is not, 77 no browser."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bins", type=Path, default=Path(".build/debug"), help="where the programs are")
    parser.add_argument("--axe", type=Path, help="axe.min.js; without it accessibility is skipped")
    parser.add_argument("--pictures", type=Path, help="write pictures of the main views into this folder")
    parser.add_argument("--counts", type=lambda text: [int(word) for word in text.split(",")], default=[],
                        help="sizes of the queue for the long run, such as 0,1000,100000")
    parser.add_argument("--states", type=Path, help="stores with a past, a folder each: busy, and named by these sizes")
    options = parser.parse_args(namespace=Options())
    options.bins = options.bins.resolve()
    try:
        programs()
    except Missing as missing:
        print(f"skip everything: {missing}")
        sys.exit(NOTHING_TO_TRY)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="payqueued-pages-") as folder:
        options.folder = Path(folder)
        try:
            check(report, options)
        except (Failed, OSError) as error:
            report.check("everything could be tried", False, error)
            raise
        finally:
            status = report.close()
    sys.exit(status)


class Server:
    """A program that runs beside a test, and says on a line when it is ready."""

    def __init__(self, command: list[str | Path], log: Path) -> None:
        """Starts it; what it says goes to a file."""
        self.log = log
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                        stdout=open(log, "ab"), stderr=subprocess.STDOUT)

    def said(self) -> str:
        """What it has said so far."""
        return self.log.read_text(errors="replace")

    def wait(self, text: str) -> str:
        """Waits until it has said something, and returns the line."""
        def line() -> str | None:
            if self.process.poll() is not None:
                raise Failed(f"it ended with {self.process.returncode}: {self.said()[-600:]}")
            return next((line for line in self.said().splitlines() if text in line), None)
        return str(eventually(f"'{text}' of {self.log.name}", line, 60))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it by a signal and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)


class Daemon:
    """A daemon with its embedded store, in a folder of its own."""

    def __init__(self, options: Options, folder: Path, *flags: str) -> None:
        """Starts it."""
        self.program = options.bins / "payqueued"
        self.folder = folder
        self.flags = flags
        self.socket = folder / "s"
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Starts it, also again, and waits until it serves."""
        self.starts += 1
        self.server = Server(
            [self.program, *(self.flags or ("--demo",)), "--socket", self.socket,
             "--state-directory", self.folder / "state"], self.folder / f"daemon-{self.starts}.log")
        eventually("the daemon serves", lambda: self.server.process.poll() is not None or self._answers())
        if self.server.process.poll() is not None:
            raise Failed(f"the daemon ended: {self.server.said()[-600:]}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it by a signal."""
        return self.server.stop(number)

    def call(self, method: str, **params: Any) -> Any:
        """Calls a method on a connection of its own."""
        answer = self.calls([(method, params)])[0]
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']}")
        return answer["result"]

    def calls(self, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Makes many calls on one connection and returns the answers in order."""
        lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                 for number, (method, params) in enumerate(calls)]
        answers: list[dict[str, Any]] = []
        with Line(self.socket) as line:
            for first in range(0, len(lines), 30):
                part = lines[first:first + 30]
                line.write(part)
                answers += [line.answer() for _ in part]
        return answers

    def _answers(self) -> bool:
        try:
            self.call("ping")
            return True
        except OSError:
            return False


class Line:
    """A connection to the daemon's socket."""

    def __init__(self, path: Path) -> None:
        """Connects."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._socket.settimeout(120)
        self._file = self._socket.makefile("rb")
        self._last = time.monotonic_ns()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, lines: list[str]) -> None:
        """Sends lines."""
        self._socket.sendall("".join(line + "\n" for line in lines).encode())

    def call(self, method: str, **params: Any) -> Any:
        """Calls a method and returns its answer."""
        self._last += 1
        self.write([json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})])
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """The next answer; notifications before it are passed over."""
        while line := self._file.readline():
            message = json.loads(line)
            if "id" in message:
                return dict(message)
        raise Failed("the daemon closed the connection")

    def batch(self) -> list[dict[str, Any]]:
        """The next answer, which is that of a batch."""
        return list(json.loads(self._file.readline()))

    def calls(self, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Makes calls and returns their answers."""
        return [self.call(method, **params) for method, params in calls]

    def close(self) -> None:
        """Ends it."""
        self._file.close()
        self._socket.close()


def private(folder: Path) -> Path:
    """A folder that is only ours, for sockets and state."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o700)
    return folder
