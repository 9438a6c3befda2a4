"""A daemon on a file system of its own, in an image on a loop device, for tests of real faults."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterator, Optional

from fairness import Client
from machine import Trouble

# The same number for ext4, XFS and others: the file system stops as if the power had failed.
FS_IOC_SHUTDOWN = 0x8004587D
# The journal of the file system is written before the stop, or is not.
LOG_FLUSH, NO_LOG_FLUSH = 1, 2
# What makes a loop device shorter than its image, from <linux/loop.h>.
LOOP_SET_STATUS64, LOOP_GET_STATUS64 = 0x4C04, 0x4C05
LOOP_INFO_BYTES, LOOP_INFO_SIZE_LIMIT = 232, 32
# mkfs.xfs makes none that is smaller than 300 MiB. Images are sparse.
IMAGE_BYTES = 320 << 20
# A step that takes longer, in seconds, has failed.
PATIENCE = 120


def run(*words: object) -> str:
    """The output of a command; an error if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise Trouble(f"{words[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def obstacle(*tools: str) -> Optional[str]:
    """Why no file system can be made here; None if one can."""
    if os.geteuid() != 0:
        return "it takes root"
    for tool in ("losetup", "mkfs.ext4", *tools):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    try:
        with FileSystem("ext4"):
            return None
    except (Trouble, OSError) as error:
        return f"no file system in an image can be mounted: {error}"


def in_own_namespace(script: str, words: list[str]) -> None:
    """Starts the script again where its mounts are seen by no other process, and end with it."""
    mark = "FAULTS_OWN_MOUNTS"
    if os.geteuid() == 0 and mark not in os.environ:
        os.execvpe("unshare", ["unshare", "--mount", "python3", script, *words],
                   {**os.environ, mark: "1"})


class FileSystem:
    """A mounted file system in an image; the image and the loop device go with it."""

    def __init__(self, kind: str, size: int = IMAGE_BYTES, options: tuple[str, ...] = (),
                 mounted: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.options = options
        self.mounted = mounted
        # Images in memory: what a file system has not written is lost there as on a disk.
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self._folder = Path(tempfile.mkdtemp(prefix="faults-", dir=memory))
        self.place = self._folder / "mounted"
        self.place.mkdir()
        self.image = self._folder / "image"
        with open(self.image, "wb") as image:
            image.truncate(size)
        self.device = ""
        self._isMounted = False
        try:
            self.device = run("losetup", "--find", "--show", self.image).strip()
            self.format()
            self.mount()
        except Trouble:
            self.close()
            raise

    def __enter__(self) -> FileSystem:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def format(self) -> None:
        """Makes the file system anew; it must not be mounted."""
        force = "-F" if self.kind.startswith("ext") else "-f"
        run(f"mkfs.{self.kind}", "-q", force, *self.options, self.device)

    def mount(self) -> None:
        """Mounts it, and replays its journal if it was cut."""
        run("mount", *self.mounted, self.device, self.place)
        self._isMounted = True

    def unmount(self) -> None:
        """Unmounts it, as soon as the kernel has let go of the files of a killed process."""
        end = time.monotonic() + PATIENCE
        while self._isMounted:
            try:
                run("umount", self.place)
                self._isMounted = False
            except Trouble:
                if time.monotonic() > end:
                    raise
                time.sleep(0.005)

    def cut(self, flags: int) -> None:
        """Stops the file system where it is, mounts it again: what was not synced is gone."""
        folder = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, FS_IOC_SHUTDOWN, struct.pack("I", flags))
        finally:
            os.close(folder)
        self.unmount()
        self.mount()

    @contextlib.contextmanager
    def broken(self) -> Iterator[None]:
        """The device ends behind its first sectors: each read and write of it fails with EIO."""
        self._limit(4096)
        try:
            yield
        finally:
            self._limit(0)

    def _limit(self, size: int) -> None:
        device = os.open(self.device, os.O_RDONLY)
        try:
            status = bytearray(LOOP_INFO_BYTES)
            fcntl.ioctl(device, LOOP_GET_STATUS64, status)
            struct.pack_into("Q", status, LOOP_INFO_SIZE_LIMIT, size)
            fcntl.ioctl(device, LOOP_SET_STATUS64, bytes(status))
        finally:
            os.close(device)

    def repair(self) -> None:
        """Mounts it again after errors of its device, checked as at a boot."""
        self.unmount()
        if self.kind == "ext4":
            # 1 stands for errors that were corrected.
            checked = subprocess.run(["e2fsck", "-fp", self.device], capture_output=True, text=True)
            if checked.returncode > 1:
                raise Trouble(f"e2fsck ended with {checked.returncode}: {checked.stdout}")
        self.mount()

    def close(self) -> None:
        """Unmounts it and removes everything."""
        self.unmount()
        if self.device:
            run("losetup", "--detach", self.device)
        self.image.unlink()
        shutil.rmtree(self._folder)


class Daemon:
    """payqueued with the embedded store and its state on a file system; started again and again."""

    def __init__(self, program: Path, state: Path, folder: Path, config: str = "{}",
                 environment: dict[str, str] = {}) -> None:
        """The folder for socket, configuration and log is not on the file system with the state."""
        self.program = program
        self.environment = {**os.environ, **environment}
        self.state = state
        self.socket = folder / "socket"
        self.config = folder / "payqueued.json"
        self.config.write_text(config)
        self.log = folder / "log"
        # The words of a program that becomes the daemon.
        self.before: tuple[str, ...] = ()
        self.process: Optional[subprocess.Popen[bytes]] = None

    def spawn(self) -> None:
        """Starts it and waits for nothing."""
        self.socket.unlink(missing_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*self.before, self.program, "--demo", "--socket", self.socket,
                 "--state-directory", self.state, "--config", self.config],
                env=self.environment, stdout=log, stderr=log)

    def start(self) -> None:
        """Starts it and waits until it answers; an error, with the log, if it does not."""
        self.spawn()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                Client(str(self.socket)).close()
                return
            except OSError:
                if self.process is None or self.process.poll() is not None:
                    raise Trouble(f"the start ended with {self.exit()}: {self.text()}") from None
                if time.monotonic() > end:
                    raise Trouble(f"no start within {PATIENCE} s: {self.text()}") from None
                time.sleep(0.002)

    def connect(self) -> Client:
        """A connection to it."""
        return Client(str(self.socket))

    def kill(self) -> None:
        """Ends it at once."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def stop(self) -> int:
        """Ends it in order; its exit code."""
        if self.process:
            self.process.terminate()
        return self.exit()

    def exit(self) -> int:
        """Waits for its end; its exit code."""
        if not self.process:
            raise Trouble("it was never started")
        return self.process.wait(PATIENCE)

    def text(self) -> str:
        """What it has logged since its start."""
        return self.log.read_text(errors="replace")
