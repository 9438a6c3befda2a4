"""How the examples end: one line instead of a trace for what may happen on any machine."""

from __future__ import annotations

import sys
from typing import Callable, NoReturn

from payqueued import ConnectionFailure, PaymentQueueError


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
