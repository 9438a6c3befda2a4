#!/usr/bin/env python3
"""Lets a hostile user do every kind of harm beside an honest client, and looks at what the honest client notices.

    hostile.py --payqueued PROGRAM [--family FAMILY…] [--only NAME…] [--seconds S] [--list]
    hostile.py --payqueued PROGRAM --worst SECONDS

Each case is one kind of harm, by processes of user 65534. An honest client, user 20001, makes whole purchases
all the time: it connects, logs in, subscribes, adds, waits for the purchase, finishes it, waits for its removal.
For each case its calls and its purchases are measured without harm, and then beside it.

A case fails if the 99th percentile of what the honest client waits for (a connection, a reply, an event that a call
causes) is above both twice the quiet one and 10 ms more, or that of whole purchases, which are four waits, above
twice the quiet one and 40 ms more. A case that seems to fail is run three times, and the median counts. It also fails
if a purchase is lost or doubled, if the daemon has ended, if its memory or its descriptors do not return, or if the
hostile user is answered a code that is not documented or not one that the case expects.

The daemon and the honest client have real-time priority, the hostile processes come next, and all other programs
behind them: measured is the time that the daemon takes from the honest client, not the processor's.

With --worst one user does everything at once while the daemon has 256 MiB of memory, and root and another user buy,
restore and finish: at most 4 times the quiet time or 20 ms.

Controls are harm that must be noticed. Prints a line for each case. Exits 1 if one failed; 77, with the reason,
where it cannot run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import hostile_agents  # noqa: F401 - cases
import hostile_calls  # noqa: F401
import hostile_json  # noqa: F401
import hostile_lines  # noqa: F401
import hostile_places  # noqa: F401
import hostile_readers  # noqa: F401
import hostile_reads  # noqa: F401
import hostile_shares  # noqa: F401
import hostile_writes  # noqa: F401
from hostile_stage import CONTROLS, Judge
from hostile_user import CASES, Case
from hostile_worst import Worst


def chosen(families: list[str], names: list[str]) -> list[Case]:
    """The cases of some families, or whose name contains one of some texts."""
    if not families and not names:
        return [*CONTROLS, *CASES]
    return [case for case in [*CONTROLS, *CASES]
            if case.family in families or any(name in case.name for name in names)]


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--payqueued", type=Path, required=True)
    words.add_argument("--family", nargs="+", default=[])
    words.add_argument("--only", nargs="+", default=[])
    words.add_argument("--seconds", type=float, default=0.8)
    words.add_argument("--worst", type=float)
    words.add_argument("--list", action="store_true")
    options = words.parse_args()
    cases = chosen(options.family, options.only)
    if options.list:
        for case in cases:
            print(f"{case.family}: {case.name}")
        print(f"{len(cases)} cases")
        return 0
    if os.geteuid() != 0:
        print("skip everything: it takes root, to be three users")
        return 77
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        os.chmod(folder, 0o755)
        judge = Judge(options.payqueued.resolve(), Path(folder), options.seconds)
        try:
            if options.worst:
                return Worst(judge, options.worst).run()
            for case in cases:
                judge.judge(case)
        finally:
            judge.close()
        return judge.summary()


if __name__ == "__main__":
    sys.exit(main())
