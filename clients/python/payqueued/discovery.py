"""Where the daemon's socket is."""

from __future__ import annotations

import os
from typing import Mapping, Optional


def socket_path(
    named: Optional[str] = None, environment: Optional[Mapping[str, str]] = None
) -> str:
    """The socket to use: the one named, ``$PAYQUEUED_SOCKET``, the user's own, the system's."""
    variables = os.environ if environment is None else environment
    if named:
        return named
    if variables.get("PAYQUEUED_SOCKET"):
        return variables["PAYQUEUED_SOCKET"]
    runtime = variables.get("XDG_RUNTIME_DIR")
    if runtime:
        own = os.path.join(runtime, "payqueued", "payqueued.sock")
        if os.path.exists(own):
            return own
    return "/run/payqueued/payqueued.sock"
