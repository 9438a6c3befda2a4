"""Client of payqueued, the payment queue daemon. Needs nothing but Python 3.9.

``payqueued.contract`` has a type for the parameters and the result of every method.

>>> from payqueued import Client
>>> with Client() as queue:
...     queue.products()
"""

from .client import AsyncClient
from .contract import (
    Charge,
    ErrorCode,
    Event,
    Order,
    Price,
    Product,
    Question,
    Revocation,
    Storefront,
    Transaction,
)
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
    TooManyAttempts,
    UnknownProduct,
    UnknownTransaction,
)
from .files import CursorFile, KeyFile
from .models import Notification, may_unlock
from .observing import Deliveries, Delivery, StopObserving
from .purchase import LeftTheQueue, StillWaiting
from .request import Request
from .subscription import Subscription
from .sync import Client
from .working import work

#: The release of the product that this is of.
__version__ = "0.1.0"

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
    "ErrorCode",
    "Event",
    "Forbidden",
    "KeyFile",
    "KeyReuse",
    "LeftTheQueue",
    "LoginDiscarded",
    "NotConnected",
    "NotUnderstood",
    "Notification",
    "Order",
    "PaymentQueueError",
    "PaymentsNotAllowed",
    "Price",
    "Product",
    "Question",
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
    "TooManyAttempts",
    "Transaction",
    "UnknownProduct",
    "UnknownTransaction",
    "__version__",
    "may_unlock",
    "work",
]
