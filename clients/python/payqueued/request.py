"""A call that is not sent yet."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Generic, Mapping, Sequence, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request(Generic[Result]):
    """A call that is not sent yet."""

    method: str
    params: Dict[str, Any] = field(default_factory=dict)
    #: Whether sending it twice does no harm, so that it may be repeated on a new connection.
    repeatable: bool = True
    #: Seconds that the daemon may take beyond the usual.
    patience: float = 0


def given(**members: Any) -> Dict[str, Any]:
    """The parameters that were given; sequences and mappings as JSON has them."""
    return {name: _plain(value) for name, value in members.items() if value is not None}


def fresh_key() -> str:
    """A unique key."""
    return secrets.token_hex(16)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return value
