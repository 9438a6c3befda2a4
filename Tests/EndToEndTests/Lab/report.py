"""What was checked and how it went: a line each, for people and for the test that reads them."""

from __future__ import annotations

import time
import traceback
from typing import Any, Callable


class Report:
    """Prints each check as it is made and counts them."""

    def __init__(self, explain: Callable[[], str] = str) -> None:
        """What `explain` says is printed after a part that stumbled."""
        self.explain = explain
        self.passed = 0
        self.failed = 0
        self._began = time.monotonic()

    def check(self, name: str, is_so: Any, detail: object = "") -> None:
        """Says whether something is as its name says; the detail matters if it is not."""
        if is_so:
            self.passed += 1
            print(f"ok   {name}", flush=True)
        else:
            self.failed += 1
            print(f"FAIL {name}: {str(detail).strip()}".replace("\n", " | "), flush=True)

    def repeat(self, line: str) -> None:
        """Says what another report has said."""
        self.passed += line.startswith("ok ")
        self.failed += line.startswith("FAIL ")
        print(line, flush=True)

    def same(self, name: str, value: object, expected: object) -> None:
        """Says whether two values are the same."""
        self.check(name, value == expected, f"{value!r} instead of {expected!r}")

    def skip(self, name: str, reason: str) -> None:
        """Says what was not checked and why."""
        print(f"skip {name}: {reason}", flush=True)

    def note(self, text: str) -> None:
        """A figure that nothing depends on."""
        print(f"note {text}", flush=True)

    def part(self, title: str, body: Callable[[], None]) -> None:
        """Runs some checks; what they stumble over is a failure, and the next part goes on."""
        began = time.monotonic()
        try:
            body()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            where = traceback.extract_tb(error.__traceback__)[1:]
            place = ", ".join(f"{frame.name}:{frame.lineno}" for frame in where)
            self.check(title, False, f"{type(error).__name__} {error} [{place}]")
            for line in self.explain().splitlines():
                self.note(f"  {line}")
        self.note(f"{title}: {time.monotonic() - began:.1f} s")

    def close(self) -> int:
        """The closing line; 1 if anything failed."""
        print(f"note {time.monotonic() - self._began:.1f} s in all")
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0
