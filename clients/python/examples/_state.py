"""Where the examples keep their files."""

from __future__ import annotations

import os


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
