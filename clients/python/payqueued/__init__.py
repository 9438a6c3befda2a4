"""Client of payqueued, the payment queue daemon. Needs nothing but Python 3.9.

>>> from payqueued import Client
>>> with Client() as queue:
...     queue.products()
"""

from .client import AsyncClient
from .errors import (
    AlreadyLive,
    CallTimedOut,
    ClientClosed,
    ConnectionFailure,
    ConnectionLost,
    CursorUnusable,
    Forbidden,
    KeyReuse,
    LoginDiscarded,
    NotConnected,
    NotUnderstood,
    PaymentQueueError,
    PaymentsNotAllowed,
    QuestionClosed,
    QueueFull,
    RejectedAfterLogin,
    ServerError,
    ShareExceeded,
    StoreUnavailable,
    UnknownProduct,
    UnknownTransaction,
)
from .files import CursorFile, KeyFile
from .models import (
    Charge,
    Notification,
    Price,
    Product,
    Revocation,
    Storefront,
    Transaction,
    may_unlock,
)
from .observing import Deliveries, Delivery, StopObserving
from .purchase import LeftTheQueue, StillWaiting
from .requests import Request
from .subscription import Subscription
from .sync import Client

__all__ = [
    "AlreadyLive",
    "AsyncClient",
    "CallTimedOut",
    "Charge",
    "Client",
    "ClientClosed",
    "ConnectionFailure",
    "ConnectionLost",
    "CursorFile",
    "CursorUnusable",
    "Deliveries",
    "Delivery",
    "Forbidden",
    "KeyFile",
    "KeyReuse",
    "LeftTheQueue",
    "LoginDiscarded",
    "NotConnected",
    "NotUnderstood",
    "Notification",
    "PaymentQueueError",
    "PaymentsNotAllowed",
    "Price",
    "Product",
    "QuestionClosed",
    "QueueFull",
    "RejectedAfterLogin",
    "Request",
    "Revocation",
    "ServerError",
    "ShareExceeded",
    "StillWaiting",
    "StopObserving",
    "Storefront",
    "StoreUnavailable",
    "Subscription",
    "Transaction",
    "UnknownProduct",
    "UnknownTransaction",
    "may_unlock",
]
