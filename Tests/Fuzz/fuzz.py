#!/usr/bin/env python3
"""Draws inputs for the readers of the product, by the coverage of their code.

    fuzz.py [--seconds N] [--keep] [TARGET…]

Builds the program `fuzz` with libFuzzer of the Swift toolchain, and runs each target, or those that are named, for
N seconds (60). An execution fails if the reader traps, if the rule of the target does not hold, if it takes more
than 100 ms each time, or if memory grows by more than 64 MiB beyond what the program takes with the kept inputs
alone. The input is then written below .build/fuzz/failed.

Inputs that reach new code are kept in .build/fuzz, and the counts of each run are appended to .build/fuzz.ndjson,
so that both grow over many runs. --keep draws none, and reduces all inputs to the few in Tests/Fuzz/Corpus that
`make test` runs. Exits 1 after a failure; 77, with the reason, where there is no libFuzzer.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "Corpus"
BUILD = ROOT / ".build" / "fuzzing"
GROWN = ROOT / ".build" / "fuzz"
COUNTS = ROOT / ".build" / "fuzz.ndjson"

MEMORY_MIB, TIMEOUT_SECONDS = 64, 2
KEPT_FILES, KEPT_BYTES = 48, 64_000


def driver() -> str:
    """The archive with libFuzzer's driver in the toolchain."""
    info = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True).stdout)
    name = f"libclang_rt.fuzzer_no_main-{platform.machine()}.a"
    path = Path(info["paths"]["runtimeResourcePath"]) / "clang" / "lib" / "linux" / name
    if not path.exists():
        print(f"skipped: the Swift toolchain has no {name}")
        sys.exit(77)
    return str(path)


def build() -> Path:
    """The program, built as a release is, with counters of the edges that run."""
    environment = os.environ | {"PAYQUEUED_FUZZER": driver(), "PAYQUEUED_WITHOUT_STORES": "1"}
    subprocess.run([ROOT / ".ci" / "progress", ROOT / ".build" / "fuzz.log", "swift", "build", "-c", "release",
                    "--scratch-path", BUILD, "--product", "fuzz"], cwd=ROOT, env=environment, check=True)
    return BUILD / "release" / "fuzz"


class Target:
    """A reader, and the folders of its inputs."""

    def __init__(self, program: Path, name: str, limit: str) -> None:
        self.program, self.name, self.limit = program, name, limit
        self.kept, self.grown = KEPT / name, GROWN / name
        self.kept.mkdir(parents=True, exist_ok=True)
        self.grown.mkdir(parents=True, exist_ok=True)
        self.failed = GROWN / "failed" / name
        self.failed.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Runs libFuzzer. The runtime of Swift must not handle the signal of a trap, or no input is written."""
        environment = os.environ | {"PAYQUEUED_FUZZ_TARGET": self.name, "SWIFT_BACKTRACE": "enable=no"}
        return subprocess.run([self.program, f"-max_len={self.limit}", f"-timeout={TIMEOUT_SECONDS}",
                               f"-artifact_prefix={self.failed}/", *map(str, arguments)], cwd=ROOT,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")

    def fuzz(self, seconds: int) -> dict:
        """Draws inputs; the counts of the run."""
        before = set(self.failed.iterdir())
        began = time.monotonic()
        result = self.run("-runs=0", self.grown, self.kept)
        if result.returncode == 0:
            memory = max(map(int, re.findall(r"rss: (\d+)Mb", result.stdout)))
            result = self.run(f"-max_total_time={seconds}", f"-rss_limit_mb={memory + MEMORY_MIB}",
                              "-print_final_stats=1", self.grown, self.kept)
        elapsed = time.monotonic() - began
        counts = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", result.stdout)
        edges, features, inputs = map(int, counts[-1]) if counts else (0, 0, 0)
        done = re.search(r"number_of_executed_units: *(\d+)", result.stdout)
        # A failed execution ends the run before its counts; the last line of progress has nearly all of them.
        executions = int(done[1]) if done else max(map(int, re.findall(r"^#(\d+)", result.stdout, re.M)), default=0)
        failed = sorted(str(path.relative_to(ROOT)) for path in set(self.failed.iterdir()) - before)
        if result.returncode != 0:
            sys.stderr.write(result.stdout[-4000:])
            failed = failed or [f"status {result.returncode}"]
        total = re.search(r"Loaded 1 PC tables \((\d+) PCs\)", result.stdout)
        return {"target": self.name, "time": int(time.time()), "seconds": round(elapsed, 1),
                "executions": executions, "edges": edges, "allEdges": int(total[1]) if total else 0,
                "features": features, "inputs": inputs, "failed": failed}

    def keep(self) -> None:
        """Reduces all inputs to the few that reach most code together. Files with a name of their own stay."""
        scratch, control = GROWN / f"{self.name}.merged", GROWN / f"{self.name}.merge"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        control.unlink(missing_ok=True)
        self.run("-set_cover_merge=1", f"-merge_control_file={control}", scratch, self.kept, self.grown)
        features = reached(control)
        shutil.rmtree(scratch)
        control.unlink()
        named = [path for path in features if path.parent == self.kept and not drawn(path)]
        seen: set[int] = set().union(*(features.pop(path) for path in named))
        # What an input adds only shrinks, so that one that still adds most need not be compared with the others.
        heap = [(-len(reaches), path) for path, reaches in features.items()]
        heapq.heapify(heap)
        chosen: list[tuple[Path, bytes]] = []
        room = KEPT_BYTES
        while heap and len(chosen) < KEPT_FILES:
            _, path = heapq.heappop(heap)
            added = len(features[path] - seen)
            if heap and added < -heap[0][0]:
                heapq.heappush(heap, (-added, path))
            elif added and path.stat().st_size <= room:
                seen |= features[path]
                room -= path.stat().st_size
                chosen.append((path, path.read_bytes()))
        for path in filter(drawn, list(self.kept.iterdir())):
            path.unlink()
        for path, data in chosen:
            (self.kept / path.name).write_bytes(data)


def drawn(path: Path) -> bool:
    """Whether libFuzzer named a file, by the digest of its bytes."""
    return re.fullmatch(r"[0-9a-f]{40}", path.name) is not None


def reached(control: Path) -> dict[Path, set[int]]:
    """What each input reaches, as a merge noted it: the number of files, how many are of the first folder, the
    names, and lines such as `FT 3 17 18`."""
    lines = control.read_text().splitlines()
    paths = [Path(line) for line in lines[2:2 + int(lines[0])]]
    found: dict[Path, set[int]] = {}
    for line in lines[2 + len(paths):]:
        word, number, *numbers = line.split()
        if word == "FT":
            found[paths[int(number)]] = set(map(int, numbers))
    return found


def totals() -> dict[str, int]:
    """The executions of all runs so far, by target."""
    sums: dict[str, int] = {}
    if COUNTS.exists():
        for line in COUNTS.read_text().splitlines():
            row = json.loads(line)
            sums[row["target"]] = sums.get(row["target"], 0) + row["executions"]
    return sums


def main() -> int:
    """Runs the targets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    program = build()
    listed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    targets = [Target(program, *line.split()) for line in listed.splitlines()]
    unknown = set(options.targets) - {target.name for target in targets}
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    chosen = [target for target in targets if target.name in options.targets or not options.targets]
    failed: list[str] = []
    if not options.keep:
        print(f"{'target':14}{'executions':>12}{'per second':>12}{'edges':>8}{'features':>10}{'inputs':>8}"
              f"{'of all runs':>14}", flush=True)
    for target in chosen:
        if options.keep:
            target.keep()
            continue
        row = target.fuzz(options.seconds)
        with COUNTS.open("a") as counts:
            counts.write(json.dumps(row) + "\n")
        print(f"{row['target']:14}{row['executions']:12,}{row['executions'] / row['seconds']:12,.0f}{row['edges']:8,}"
              f"{row['features']:10,}{row['inputs']:8,}{totals()[row['target']]:14,}", flush=True)
        failed += row["failed"]
    for path in failed:
        print(f"failed: {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
