#!/usr/bin/env python3
"""Runs the tests of storage and engine on mutants of the sources, and lists the mutants that no test notices.

All mutants are compiled at once, each behind a switch that an environment variable sets; see operators.py. A
first run of the tests notes which switches each suite reaches, so that a mutant meets only those. A mutant is
killed by the first test that fails, by a crash, or by running much longer than the sources do.

Results are kept in OUTPUT/results.ndjson; a mutant that is there is not run again. The file equivalent.txt
names the mutants that change nothing that a test could see, and says why.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import operators

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Targets, and files whose every statement is left out once, not only those that can throw.
MUTATED = ["Sources/PaymentStorage/**", "Sources/PaymentEngine/Pipeline/Turn.swift",
           "Sources/PaymentEngine/Pipeline/TurnPipeline.swift", "Sources/PaymentEngine/Pipeline/QueueWriter.swift"]
WHOLE = "Sources/PaymentEngine/*"

# A mutant meets one suite after the other, the quickest first. The simulation is one test of its target.
TARGETS = ["PaymentStorageTests", "PaymentEngineTests"]
SIMULATION = "SimulationTests.SimulationTests/promises"
# Suites that only measure.
MEASURING = ("Bench", "Figures")
# `--quick` leaves out suites that take more seconds than this.
QUICK = 20
# Fewer cases than `make test` has, so that a mutant takes seconds.
SMALL = {"PAYQUEUED_SIMULATION_SEEDS": "60", "PAYQUEUED_MUTATIONS": "900", "PAYQUEUED_BIT_STRIDE": "1999",
         "PAYQUEUED_CRASH_STATES": "3000"}

SWITCH = """#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Whether this process runs as a mutant.
enum Mutant {
    private static let active = getenv("PAYQUEUED_MUTANT").map { Int(atoi($0)) } ?? 0
    nonisolated(unsafe) private static let reached: UnsafeMutablePointer<UInt8>? = {
        guard let path = getenv("PAYQUEUED_MUTANTS_REACHED") else { return nil }
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, 1 << 16) == 0,
            let bytes = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            bytes != MAP_FAILED
        else { return nil }
        return bytes.assumingMemoryBound(to: UInt8.self)
    }()

    @inline(never)
    static func isOn(_ number: Int) -> Bool {
        reached?[number] = 1
        return number == active
    }
}
"""

MANIFEST = """
let kept: Set<String> = ["PaymentCore", "SandboxControl", "StrictJSON", "CCRC32C", "PaymentEngine", "PaymentStorage",
    "PaymentHistory", "PaymentSandbox", "StoreMessages", "SandboxStorage", "PaymentTesting", "PaymentStorageTests",
    "PaymentEngineTests", "SimulationTests"]
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
"""


def sources():
    files = subprocess.run(["git", "ls-files", "Sources"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in files.stdout.split():
        if path.endswith(".swift") and any(fnmatch.fnmatch(path, pattern) for pattern in MUTATED):
            yield path


def find(pattern):
    """All mutants, numbered, with their sources."""
    texts, found = {}, []
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            texts[path] = file.read()
        found += operators.mutants(path, texts[path], fnmatch.fnmatch(path, WHOLE))
    if pattern:
        found = [mutant for mutant in found if re.search(pattern, mutant.name)]
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    return texts, found


def overlay(package, texts, chosen):
    """Writes a package with the switches of the mutants beside links to everything else."""
    os.makedirs(package, exist_ok=True)
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        manifest = file.read().replace(".treatAllWarnings(as: .error),", "")
    write(os.path.join(package, "Package.swift"), manifest + MANIFEST)
    tests = os.path.join(package, "Tests")
    if not os.path.islink(tests):
        os.symlink(os.path.join(ROOT, "Tests"), tests)
    files = subprocess.run(["git", "ls-files", "Sources"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in files.stdout.split():
        target = os.path.join(package, path)
        if path in texts:
            mutants = [mutant for mutant in chosen if mutant.path == path]
            write(target, operators.apply(texts[path], mutants))
        elif not os.path.lexists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(os.path.join(ROOT, path), target)
    for module in {path.split("/")[1] for path in texts}:
        write(os.path.join(package, "Sources", module, "Mutant.swift"), SWITCH)


def write(path, text):
    """Writes a file unless it has that text, so that builds compile only what has changed."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def lines_of(mutants, texts, path):
    """The lines that each mutant has in the overlay."""
    text = operators.apply(texts[path], [mutant for mutant in mutants if mutant.path == path])
    places = {}
    for number, line in enumerate(text.split("\n"), 1):
        for match in re.finditer(r"Mutant\.isOn\((\d+)\)", line):
            places.setdefault(int(match.group(1)), number)
    return places


def build(options, texts, found, log):
    """Builds; takes out mutants that do not compile until it does.

    Returns the mutants that are in the build."""
    chosen = list(found)
    for _ in range(12):
        overlay(options.package, texts, chosen)
        with open(log, "w", encoding="utf-8") as file:
            # Running no test builds them all, and testable as the tests need it.
            command = ["swift", "test", "--disable-xctest", "-c", "release", "--filter", "NoSuchTest",
                       "--scratch-path", options.scratch]
            done = subprocess.run([*options.prefix.split(), *command], cwd=options.package, stdout=file,
                                  stderr=subprocess.STDOUT, check=False)
        if done.returncode == 0:
            return chosen
        with open(log, encoding="utf-8") as file:
            errors = set(re.findall(r"(Sources/[\w/+.]+\.swift):(\d+):\d+: error", file.read()))
        bad = set()
        for path in {path for path, _ in errors}:
            places = lines_of(chosen, texts, path)
            for line in (int(line) for other, line in errors if other == path):
                # The switch is in the line of the error or before it.
                near = [(line - place, number) for number, place in places.items() if 0 <= line - place <= 40]
                if near:
                    nearest = min(near)[0]
                    bad |= {number for distance, number in near if distance == nearest}
        if not bad:
            sys.exit(f"the build fails, see {log}")
        for mutant in chosen:
            if mutant.number in bad:
                print(f"does not compile: {mutant.name}", flush=True)
        chosen = [mutant for mutant in chosen if mutant.number not in bad]
    sys.exit("too many builds")


def run(binary, arguments, environment, limit):
    """Runs tests until one fails. Returns what ended it, and the seconds; None if all pass."""
    began = time.monotonic()
    process = subprocess.Popen(
        [binary, "--testing-library", "swift-testing", "--no-parallel", *arguments], env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    reason = None
    os.set_blocking(process.stdout.fileno(), False)
    buffer = ""
    try:
        while True:
            if time.monotonic() - began > limit:
                reason = "time"
                break
            try:
                piece = os.read(process.stdout.fileno(), 1 << 16)
            except BlockingIOError:
                piece = None
            if piece == b"":
                break
            if piece is None:
                time.sleep(0.01)
                continue
            text = re.sub(r"\x1b\[[0-9;]*m", "", piece.decode(errors="replace"))
            buffer = (buffer + text)[-20000:]
            failed = re.search(r"✘ Test (.+?) recorded an issue", buffer)
            if failed:
                reason = failed.group(1)
                break
    finally:
        if reason:
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    if reason is None and status != 0:
        reason = "crash" if status < 0 or "Fatal error" in buffer else f"status {status}"
    if reason is None and "Test run with" not in buffer:
        reason = "no tests"
    return reason, time.monotonic() - began


def read_equivalent():
    known = {}
    with open(os.path.join(HERE, "equivalent.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, why = line.strip().partition(" :: ")
                known[name] = why
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--output", default=os.path.join(ROOT, ".build", "mutants"))
    parser.add_argument("--only", default="", help="mutants whose name has this pattern")
    parser.add_argument("--list", action="store_true", help="list the mutants and do nothing")
    parser.add_argument("--again", action="store_true", help="run survivors once more")
    parser.add_argument("--no-build", action="store_true", help="use the last build")
    parser.add_argument("--quick", action="store_true", help="only suites that take seconds")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants run at the same time")
    parser.add_argument("--build-only", action="store_true", help="build and stop")
    parser.add_argument("--package", help="the directory of the package with the switches")
    parser.add_argument("--scratch", help="the directory of its build")
    parser.add_argument("--prefix", default="", help="a command that runs the build")
    options = parser.parse_args()
    options.package = options.package or os.path.join(options.output, "package")
    options.scratch = options.scratch or os.path.join(options.output, "build")
    texts, found = find(options.only)
    if not options.only and (unknown := read_equivalent().keys() - {mutant.name for mutant in found}):
        sys.exit("equivalent.txt names what is no mutant: " + ", ".join(sorted(unknown)))
    if options.list:
        for mutant in found:
            print(mutant.name)
        return
    os.makedirs(options.output, exist_ok=True)
    chosen_file = os.path.join(options.output, "compiled.json")
    if options.no_build:
        with open(chosen_file, encoding="utf-8") as file:
            numbers = json.load(file)
        names = {name: number for name, number in numbers.items()}
        chosen = [mutant for mutant in found if mutant.name in names]
        for mutant in chosen:
            mutant.number = names[mutant.name]
    else:
        chosen = build(options, texts, found, os.path.join(options.output, "build.log"))
        built = os.path.join(options.scratch, "release", "payqueuedPackageTests.xctest")
        shutil.copy(built, os.path.join(options.output, "tests.xctest"))
        with open(chosen_file, "w", encoding="utf-8") as file:
            json.dump({mutant.name: mutant.number for mutant in chosen}, file)
    if options.build_only:
        return
    judge(options, found, chosen)


def suites(binary):
    """The suites, each as the pattern that selects it."""
    listed = subprocess.run([binary, "--testing-library", "swift-testing", "--list-tests"], capture_output=True,
                            text=True, check=True)
    names = {line.split("/")[0] for line in listed.stdout.split("\n") if line.split(".")[0] in TARGETS}
    return [SIMULATION, *(f"{name}/" for name in sorted(names) if not name.endswith(MEASURING))]


def judge(options, found, chosen):
    binary = os.path.join(options.output, "tests.xctest")
    measured = []
    for suite in suites(binary):
        path = os.path.join(options.output, "reached")
        with open(path, "wb") as file:
            file.truncate(1 << 16)
        environment = {**SMALL, "PAYQUEUED_MUTANTS_REACHED": path}
        reason, seconds = run(binary, ["--filter", suite], environment, QUICK if options.quick else 600)
        if options.quick and reason == "time":
            print(f"{suite}: left out", flush=True)
            continue
        if reason:
            sys.exit(f"{suite} fails without a mutant: {reason}")
        with open(path, "rb") as file:
            reached = file.read()
        measured.append((seconds, suite, reached))
        print(f"{suite}: {seconds:.1f} s, reaches {sum(reached)} mutants", flush=True)
    measured.sort()
    results_file = os.path.join(options.output, "results.ndjson")
    results = {}
    if os.path.exists(results_file):
        with open(results_file, encoding="utf-8") as file:
            for line in file:
                result = json.loads(line)
                results[result["name"]] = result
    waiting = [mutant for mutant in chosen
               if mutant.name not in results or options.again and not results[mutant.name]["killed"]]

    def meet(mutant):
        result = {"name": mutant.name, "line": mutant.line, "killed": None, "suites": 0}
        for seconds, suite, reached in measured:
            if not reached[mutant.number]:
                continue
            result["suites"] += 1
            switch = {**SMALL, "PAYQUEUED_MUTANT": str(mutant.number)}
            reason, _ = run(binary, ["--filter", suite], switch, 4 * seconds * options.jobs + 5)
            if reason:
                result["killed"] = f"{suite} {reason}"
                break
        return result

    with open(results_file, "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(meet, waiting):
            results[result["name"]] = result
            file.write(json.dumps(result) + "\n")
            file.flush()
            if not result["killed"]:
                print(f"survives: {result['name']}", flush=True)
    report(found, chosen, results)


def report(found, chosen, results):
    equivalent = read_equivalent()
    kinds = collections.defaultdict(collections.Counter)
    survivors = []
    for mutant in chosen:
        result = results[mutant.name]
        area = mutant.path.split("/")[1]
        if result["killed"]:
            outcome = "killed"
        elif mutant.name in equivalent:
            outcome = "equivalent"
        else:
            outcome = "survives"
            survivors.append((mutant, result))
        kinds[area, mutant.kind][outcome] += 1
    print(f"\n{'':16}{'':14}{'killed':>8}{'equivalent':>12}{'survives':>10}")
    total = collections.Counter()
    for (area, kind), counts in sorted(kinds.items()):
        total += counts
        print(f"{area:16}{kind:14}{counts['killed']:8}{counts['equivalent']:12}{counts['survives']:10}")
    print(f"{'all':30}{total['killed']:8}{total['equivalent']:12}{total['survives']:10}")
    print(f"{len(found) - len(chosen)} more do not compile")
    for mutant, result in survivors:
        print(f"{mutant.path}:{mutant.line}: survives {result['suites']} suites: {mutant.name}")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
