"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Type


class PaymentQueueError(Exception):
    """Everything that this library raises on its own account."""


class ConnectionFailure(PaymentQueueError):
    """No answer came. Whether the call had an effect is not known."""


class NotConnected(ConnectionFailure):
    """Nothing answered at the socket; nothing was sent."""


class ConnectionLost(ConnectionFailure):
    """The connection ended before the answer came. Repeat the call with the same key."""


class ClientClosed(ConnectionLost):
    """The client was closed, by you, before the answer came or even before the call."""

    def __init__(self) -> None:
        super().__init__("the client is closed")


class CallTimedOut(ConnectionFailure):
    """The time that the caller allowed ran out. Repeat the call with the same key."""


class NotUnderstood(ConnectionFailure):
    """What came over the connection is not the daemon's language."""


class ServerError(PaymentQueueError):
    """The daemon answered a call with an error.

    ``code`` alone says which failure it is, ``kind`` is its word. ``retry`` is ``no``, ``same``
    (send the same again, with the same key) or ``later`` (after ``retry_after`` seconds if given).
    ``effect`` is ``none``, ``done`` or ``unknown``; ``data`` holds all of it and the ids concerned.
    """

    def __init__(self, method: str, error: Mapping[str, Any]) -> None:
        """Takes the ``error`` member of a reply and tolerates what is missing in it."""
        code = error.get("code")
        message = error.get("message")
        data = error.get("data")
        self.method = method
        self.code: int = code if isinstance(code, int) else 0
        self.message: str = message if isinstance(message, str) else "an error without a message"
        self.data: Dict[str, Any] = data if isinstance(data, dict) else {}
        super().__init__(method, error)

    def __str__(self) -> str:
        return f"cannot call '{self.method}': {self.message} (code {self.code}, {self.kind})"

    @property
    def kind(self) -> str:
        """The stable word of the failure; empty if the daemon gave none."""
        return str(self.data.get("kind", ""))

    @property
    def retry(self) -> str:
        """Whether asking again can help."""
        return str(self.data.get("retry", "no"))

    @property
    def retry_after(self) -> Optional[float]:
        """Seconds to wait before asking again, if the daemon knows."""
        milliseconds = self.data.get("retryAfterMs")
        return milliseconds / 1000 if isinstance(milliseconds, (int, float)) else None

    @property
    def effect(self) -> str:
        """Whether the call changed anything before it failed."""
        return str(self.data.get("effect", "unknown"))


class UnknownProduct(ServerError):
    """1101: the product is not sold here."""


class KeyReuse(ServerError):
    """1102: the key was used for something else."""


class PaymentsNotAllowed(ServerError):
    """1103: this account may not pay."""


class LoginDiscarded(ServerError):
    """1104: the person dismissed the login; no transaction was made."""


class QueueFull(ServerError):
    """1105: too many unfinished transactions."""


class RejectedAfterLogin(ServerError):
    """1106: the purchase was refused after the login that it caused."""


class AlreadyLive(ServerError):
    """1107: an unfinished transaction for the same goods is in the queue."""


class UnknownTransaction(ServerError):
    """1201: there is no such transaction, or it is hidden from this session."""


class CursorUnusable(ServerError):
    """1301, 1302, 1303: the cursor is too old, ahead of the log, or of another log."""


class QuestionClosed(ServerError):
    """1402: another client answered first, or the time ran out."""


class Forbidden(ServerError):
    """-32007: this user does not hold the role that the call needs."""


class TooManyAttempts(ServerError):
    """-32012: this user had too many wrong logins; ``retry_after`` is the time to wait."""


class ShareExceeded(ServerError):
    """-32013: this user has its share of a limit, or the limit is reached; ``data`` names its ``limit`` and ``number``."""


class StoreUnavailable(ServerError):
    """-32009, -32011: the store did not answer, or answered with a failure of its own."""


_CLASSES: Dict[int, Type[ServerError]] = {
    1101: UnknownProduct,
    1102: KeyReuse,
    1103: PaymentsNotAllowed,
    1104: LoginDiscarded,
    1105: QueueFull,
    1106: RejectedAfterLogin,
    1107: AlreadyLive,
    1201: UnknownTransaction,
    1301: CursorUnusable,
    1302: CursorUnusable,
    1303: CursorUnusable,
    1402: QuestionClosed,
    -32007: Forbidden,
    -32009: StoreUnavailable,
    -32011: StoreUnavailable,
    -32012: TooManyAttempts,
    -32013: ShareExceeded,
}


def server_error(method: str, error: Mapping[str, Any]) -> ServerError:
    """The exception for the ``error`` member of a reply; codes yet unknown are plain ones."""
    code = error.get("code")
    chosen = _CLASSES.get(code, ServerError) if isinstance(code, int) else ServerError
    return chosen(method, error)
