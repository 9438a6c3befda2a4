#!/usr/bin/env python3
"""Lets the disk under a daemon fail in every way that a kernel knows, and looks at what clients are told.

    io_faults.py --payqueued PROGRAM [PART]…

The daemon sells on a file system in an image on a loop device. The device fails (EIO), is full, by others or by
the daemon itself (ENOSPC), has no more inodes, is read-only (EROFS); the daemon runs under a quota (EDQUOT), a
limit of file sizes (EFBIG), of descriptors, of memory. Each part checks what the client is told, the exit code
and what the log names, removes the fault, and checks that everything acknowledged is there.

Prints a line for each check. Exits 1 if one failed; 77, with the reason, where it cannot run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from fairness import Client
from faults import PATIENCE, Daemon, FileSystem, in_own_namespace, obstacle, run
from machine import Trouble, control_groups, eventually
from queue_world import World
from report import Report

NOT_DURABLE = -32008
STORAGE, SYSTEM, CONFIGURATION = 74, 71, 78
MIB = 1 << 20
# The checks of the free space are a second apart; a busy machine takes a while.
SOON = 20


class Faults:
    """The parts, each with a file system and a daemon of its own."""

    def __init__(self, program: Path, report: Report, folder: Path) -> None:
        self.program = program
        self.report = report
        self.folder = folder
        self.title = ""

    # What the parts share

    @contextlib.contextmanager
    def system(self, kind: str = "ext4", size: int = 320 * MIB, options: tuple[str, ...] = (),
               before: tuple[str, ...] = (), mounted: tuple[str, ...] = ()
               ) -> Iterator[tuple[FileSystem, World]]:
        """A file system and a daemon for it, which is not started."""
        with FileSystem(kind, size, options, mounted) as system:
            daemon = Daemon(self.program, system.place / "state", self.folder)
            daemon.before = before
            world = World(daemon, random.Random(1))
            try:
                yield system, world
            finally:
                daemon.kill()
                world.end()

    @contextlib.contextmanager
    def world(self, *words: Any, **named: Any) -> Iterator[tuple[FileSystem, World]]:
        """The same, and the daemon has sold something and sells on."""
        with self.system(*words, **named) as (system, world):
            world.daemon.start()
            world.begin()
            eventually("purchases are made", lambda: world.acknowledged > 200)
            yield system, world

    def check(self, name: str, is_so: object, detail: object = "") -> None:
        """Says whether something is as its name says, and in which part."""
        self.report.check(f"{self.title}: {name}", is_so, detail)

    def refused(self, world: World) -> None:
        """Whether each refused request was told that nothing was kept."""
        codes = {(entry.get("error") or {}).get("code") for entry in world.refused}
        self.check("what is refused is refused as not durable", codes <= {NOT_DURABLE},
                   world.refused[:3])

    def ended(self, world: World, code: int, *causes: str) -> None:
        """Whether the daemon has ended with a code, and names the cause and the file."""
        try:
            found: object = world.daemon.process.wait(SOON)
        except subprocess.TimeoutExpired:
            found = "nothing: it runs"
        self.check(f"the daemon ends with {code}", found == code,
                   f"it ended with {found}: {world.daemon.text()[-400:]}")
        self.names(world.daemon, *causes)

    def names(self, daemon: Daemon, *causes: str) -> None:
        """Whether the log names one of the causes and a file of the state directory in one line."""
        lines = [line for line in daemon.text().splitlines()
                 if any(cause.lower() in line.lower() for cause in causes)]
        self.check(f"the log says '{causes[0]}'", lines, daemon.text()[-400:])
        files = (str(daemon.state), "journal-", "'lock'")
        self.check("and names the file",
                   any(file in line for line in lines for file in files), lines[:2])

    def nothing_lost(self, world: World) -> None:
        """Starts the daemon again without the fault and asks for everything that was acknowledged."""
        world.end()
        world.refused.clear()
        try:
            world.daemon.start()
            world.check()
            world.settle()
        except Trouble as trouble:
            world.lost.add(str(trouble))
        self.check(f"nothing of {world.acknowledged} acknowledged is lost or doubled",
                   not (world.lost or world.doubled or world.refused),
                   [*world.lost, *world.doubled, *world.refused][:3])

    def full(self, world: World, room: Callable[[], None], again: Optional[Path] = None) -> None:
        """On a full disk adds are refused, everything accepted can be finished, and a restart works.

        Before the restart, others fill what the daemon has left free, if there is a file for it.
        """
        self.check("adds are refused in time", world.buyers_ended(PATIENCE), "they go on")
        self.check("the daemon stays up", world.daemon.process.poll() is None,
                   world.daemon.text()[-400:])
        self.refused(world)
        hints = ["retryAfterMs" in entry["error"]["data"] for entry in world.refused
                 if "error" in entry]
        self.check("a refusal has a hint when to try again", all(hints), world.refused[:2])
        self.finished(world, 0.5)
        world.daemon.kill()
        world.end()
        if again:
            fill(again)
        try:
            world.daemon.start()
        except Trouble as trouble:
            self.check("a start on the full disk works", False, trouble)
        else:
            self.check("a start on the full disk works", True)
            self.finished(world, 1)
        room()
        if again:
            again.unlink()
        if world.daemon.process.poll() is None:
            self.goes_on(world, "with room")
        world.daemon.kill()
        self.nothing_lost(world)

    def goes_on(self, world: World, when: str) -> None:
        """Whether something can be bought again, without a restart."""
        client = world.daemon.connect()
        eventually(f"{when}, an add", lambda: world.trade(client, random.Random(1)) or
                   world.refused.clear(), SOON)
        self.check(f"{when} adds go on without a restart", True)
        client.close()

    def finished(self, world: World, part: float) -> None:
        """Whether what was accepted, or a part of it, can be finished."""
        try:
            left = world.finish(part)
        except (OSError, ValueError) as error:
            left = [f"the connection ended: {error}", world.daemon.text()[-300:]]
        self.check(f"{part:.0%} of what was accepted can be finished", not left, left[:2])

    # The device

    def eio(self) -> None:
        """A device that fails for good."""
        for kind in ("ext4", "xfs"):
            self.title = f"EIO on {kind}"
            with self.world(kind) as (system, world):
                with system.broken():
                    self.ended(world, STORAGE, "Input/output error")
                self.refused(world)
                system.repair()
                self.nothing_lost(world)

    def passing_eio(self) -> None:
        """A device that fails for a moment: what one sync lost, no later sync brings back."""
        self.title = "EIO for a moment"
        with self.world() as (system, world):
            with system.broken():
                time.sleep(0.05)
            self.ended(world, STORAGE, "Input/output error", "Read-only file system")
            self.refused(world)
            system.repair()
            self.nothing_lost(world)

    def eio_at_start(self) -> None:
        """A device that cannot be read when the daemon starts."""
        self.title = "EIO at the start"
        with self.world("xfs") as (system, world):
            world.daemon.kill()
            world.end()
            system.unmount()
            system.mount()
            # The folder can be read, since it was; the content of its files cannot.
            os.listdir(world.daemon.state)
            with system.broken():
                world.daemon.spawn()
                self.ended(world, STORAGE, "Input/output error")
            system.repair()
            self.nothing_lost(world)

    # Room

    def full_disk(self) -> None:
        """A disk that the daemon itself fills."""
        self.title = "ENOSPC by adds"
        with self.world(size=48 * MIB) as (system, world):
            filler = system.place / "filler"
            run("fallocate", "--length", str(8 * MIB), filler)
            self.full(world, filler.unlink)

    def filled_disk(self) -> None:
        """A disk that others fill."""
        self.title = "ENOSPC by others"
        with self.world(size=64 * MIB) as (system, world):
            filler = system.place / "filler"
            fill(filler)
            self.full(world, filler.unlink, again=system.place / "more")

    def no_inodes(self) -> None:
        """A disk without inodes."""
        self.title = "no inodes"
        with self.world(options=("-N", "256")) as (system, world):
            folder = system.place / "many"
            folder.mkdir()
            with contextlib.suppress(OSError):
                for number in range(1000):
                    (folder / str(number)).touch()
            self.full(world, lambda: shutil.rmtree(folder))

    def first_start(self) -> None:
        """A state directory that cannot be made, for want of room or of inodes."""
        self.title = "ENOSPC at the first start"
        with self.system(size=48 * MIB) as (system, world):
            world.daemon.state.mkdir(mode=0o700)
            fill(system.place / "filler")
            world.daemon.spawn()
            self.ended(world, STORAGE, "No space left on device")
        self.title = "no inodes at the first start"
        with self.system(options=("-N", "16")) as (system, world):
            world.daemon.state.mkdir(mode=0o700)
            with contextlib.suppress(OSError):
                for number in range(1000):
                    (system.place / str(number)).touch()
            world.daemon.spawn()
            self.ended(world, STORAGE, "No space left on device")

    def quota(self) -> None:
        """A project quota below the size of the disk."""
        self.title = "EDQUOT"
        features = ("-O", "quota,project", "-E", "quotatype=prjquota")
        without = ("setpriv", "--bounding-set", "-sys_resource")
        try:
            with FileSystem("ext4", options=features, mounted=("-o", "prjquota")):
                pass
        except Trouble as trouble:
            return self.report.skip(self.title, f"no quotas here: {trouble}")
        with self.world(options=features, mounted=("-o", "prjquota"), before=without) as (
                system, world):
            def allow(kibibytes: int) -> None:
                run("setquota", "-P", "1", "0", kibibytes, "0", "0", system.place)
            run("chattr", "-R", "-p", "1", "+P", world.daemon.state)
            allow(32 << 10)
            self.full(world, lambda: allow(0))

    def file_size(self) -> None:
        """A limit of file sizes, set while the daemon runs."""
        self.title = "EFBIG"
        with self.world() as (_, world):
            def allow(length: int) -> None:
                resource.prlimit(world.daemon.process.pid, resource.RLIMIT_FSIZE,
                                 (length, resource.RLIM_INFINITY))
            # Above what was written, and below the length of a segment.
            allow(8 * MIB)
            self.check("adds are refused", world.buyers_ended(PATIENCE), "they go on")
            self.refused(world)
            self.finished(world, 1)
            # The daemon writes to the log in the background, a moment after the refusal.
            eventually("the log says why", lambda: "new payments are refused" in
                       world.daemon.text(), SOON)
            self.names(world.daemon, "the limit of file sizes is too low")
            allow(resource.RLIM_INFINITY)
            self.goes_on(world, "with a higher limit")
            world.daemon.kill()
            self.nothing_lost(world)

    def file_size_at_start(self) -> None:
        """A limit of file sizes below every file of the state directory."""
        self.title = "EFBIG at the first start"
        with self.system(before=("prlimit", "--fsize=100")) as (_, world):
            world.daemon.spawn()
            self.ended(world, STORAGE, "File too large")

    # Rights and limits

    def read_only(self) -> None:
        """A file system that becomes read-only after an error of its own."""
        self.title = "EROFS while it runs"
        with self.world(options=("-e", "remount-ro")) as (system, world):
            error = Path("/sys/fs/ext4", os.path.basename(system.device), "trigger_fs_error")
            if not error.exists():
                return self.report.skip(self.title, "this kernel cannot cause an error of ext4")
            error.write_text("1")
            self.ended(world, STORAGE, "Read-only file system", "Input/output error")
            self.refused(world)
            system.repair()
            self.nothing_lost(world)

    def read_only_at_start(self) -> None:
        """A file system that is read-only when the daemon starts."""
        self.title = "EROFS at the start"
        with self.world() as (system, world):
            world.daemon.kill()
            world.end()
            run("mount", "-o", "remount,ro", system.place)
            world.daemon.spawn()
            self.ended(world, STORAGE, "Read-only file system")
            run("mount", "-o", "remount,rw", system.place)
            self.nothing_lost(world)

    def descriptors(self) -> None:
        """More connections than descriptors: the buyers that are there go on."""
        self.title = "descriptors"
        with self.world(before=("prlimit", "--nofile=40")) as (_, world):
            crowd = [Client(str(world.daemon.socket)) for _ in range(100)]
            before = world.acknowledged
            try:
                eventually("more", lambda: world.acknowledged > before + 200, SOON)
                self.check("buyers that are connected go on", True)
            except Exception as error:
                self.check("buyers that are connected go on", False,
                           f"{error}: {world.refused[:2]} {world.daemon.text()[-400:]}")
            for client in crowd:
                client.close()
            client = world.daemon.connect()
            client.socket.settimeout(SOON)
            self.check("a new client is served when others have left",
                       "result" in client.call("hello"))
            client.close()
            world.daemon.kill()
            self.nothing_lost(world)
        self.title = "descriptors at the start"
        with self.system(before=("prlimit", "--nofile=9")) as (_, world):
            world.daemon.spawn()
            code = world.daemon.exit()
            self.check("the daemon ends as for a missing resource", code in (SYSTEM, STORAGE),
                       f"{code}: {world.daemon.text()}")
            self.check("the log says so", "Too many open files" in world.daemon.text(),
                       world.daemon.text())

    def memory(self) -> None:
        """A memory limit that purchases reach."""
        self.title = "memory"
        group = memory_group()
        if group is None:
            return self.report.skip(self.title, "no control group for memory can be made here")
        try:
            with self.world() as (_, world):
                pid = world.daemon.process.pid
                (group / "cgroup.procs").write_text(str(pid))
                used = int((Path("/proc") / str(pid) / "statm").read_text().split()[1]) * 4096
                limit_memory(group, used + 2 * MIB)
                halted = world.buyers_ended(PATIENCE)
                if not halted:
                    self.report.note(f"memory: {world.acknowledged} acknowledged within the limit")
                else:
                    self.check("the kernel ends the daemon", world.daemon.exit() == -9,
                               world.daemon.text()[-400:])
                world.daemon.kill()
                self.nothing_lost(world)
        finally:
            group.rmdir()


PARTS: dict[str, Callable[[Faults], None]] = {
    "eio": Faults.eio, "passing-eio": Faults.passing_eio, "eio-at-start": Faults.eio_at_start,
    "full-disk": Faults.full_disk, "filled-disk": Faults.filled_disk, "no-inodes": Faults.no_inodes,
    "first-start": Faults.first_start, "quota": Faults.quota,
    "file-size": Faults.file_size, "file-size-at-start": Faults.file_size_at_start,
    "read-only": Faults.read_only, "read-only-at-start": Faults.read_only_at_start,
    "descriptors": Faults.descriptors, "memory": Faults.memory,
}


def fill(path: Path) -> None:
    """Takes all the room that there is."""
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        for size in (MIB, 4096, 512):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)):
                    pass
        os.fsync(file.fileno())


def memory_group() -> Optional[Path]:
    """A control group that can limit memory, of either version."""
    for root in (Path("/sys/fs/cgroup/memory"), control_groups()):
        if root is None or not root.is_dir():
            continue
        group = root / f"io-faults-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        if any((group / name).exists() for name in ("memory.max", "memory.limit_in_bytes")):
            return group
        group.rmdir()
    return None


def limit_memory(group: Path, size: int) -> None:
    """Limits the memory of a group."""
    name = "memory.max" if (group / "memory.max").exists() else "memory.limit_in_bytes"
    (group / name).write_text(str(size))


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = words.parse_args()
    in_own_namespace(__file__, sys.argv[1:])
    if reason := obstacle("mkfs.xfs"):
        print(f"skip everything: {reason}")
        return 77
    report = Report()
    with tempfile.TemporaryDirectory(prefix="io-faults-") as folder:
        faults = Faults(options.payqueued.resolve(), report, Path(folder))
        for name in options.parts or PARTS:
            report.part(name, lambda: PARTS[name](faults))
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
