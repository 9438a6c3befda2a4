"""What the examples share: where they keep their files, and how they end."""

from __future__ import annotations

import os
import sys
from typing import Callable, NoReturn

from payqueued import ConnectionFailure, PaymentQueueError


def kept(variable: str, name: str) -> str:
    """The path of a file that outlives the program: what a variable names, or one in the user's
    state directory, never in the directory that the program is started from."""
    named = os.environ.get(variable)
    if named:
        return named
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    folder = os.path.join(state, "payqueued-examples")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return os.path.join(folder, name)


def usage(words: str) -> NoReturn:
    """Ends the program because it was not called like this."""
    print("usage:", words, file=sys.stderr)
    sys.exit(3)


def run(main: Callable[[], int]) -> NoReturn:
    """Ends the program with what it answers; 1 if the daemon refused, 2 if no answer came, and
    130 after Ctrl-C."""
    try:
        sys.exit(main())
    except ConnectionFailure as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
    except PaymentQueueError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
