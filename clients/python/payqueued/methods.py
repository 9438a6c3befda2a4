"""The methods of the daemon, given to both clients from the one list in ``requests``."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import requests

if TYPE_CHECKING:
    from typing import Coroutine, Generic, TypeVar, overload

    from typing_extensions import ParamSpec

    from .client import AsyncClient
    from .sync import Client

    Parameters = ParamSpec("Parameters")
    Result = TypeVar("Result")

    class method(Generic[Parameters, Result]):
        """A method that sends the request which a function makes."""

        def __init__(self, make: Callable[Parameters, requests.Request[Result]]) -> None: ...

        @overload
        def __get__(
            self, client: None, owner: Optional[type] = None
        ) -> method[Parameters, Result]: ...

        @overload
        def __get__(
            self, client: AsyncClient, owner: Optional[type] = None
        ) -> Callable[Parameters, Coroutine[Any, Any, Result]]: ...

        @overload
        def __get__(
            self, client: Client, owner: Optional[type] = None
        ) -> Callable[Parameters, Result]: ...

        def __get__(self, client: object, owner: Optional[type] = None) -> object: ...

else:

    class method:
        """A method that sends the request which a function makes."""

        def __init__(self, make: Callable[..., Any]) -> None:
            self.make = make
            functools.update_wrapper(self, make)

        def __get__(self, client: Any, owner: Optional[type] = None) -> Any:
            if client is None:
                return self
            make = self.make

            @functools.wraps(make)
            def call(*args: Any, **kwargs: Any) -> Any:
                return client.send(make(*args, **kwargs))

            return call


class Methods:
    """One method for each of the daemon; ``send`` of the client decides how it is carried out."""

    add = method(requests.add)
    restore = method(requests.restore)
    finish = method(requests.finish)
    transactions = method(requests.transactions)
    wait = method(requests.wait)
    events = method(requests.events)
    ack = method(requests.ack)
    observers = method(requests.observers)
    products = method(requests.products)
    entitlements = method(requests.entitlements)
    login = method(requests.login)
    logout = method(requests.logout)
    storefront = method(requests.storefront)
    delegate = method(requests.delegate)
    questions = method(requests.questions)
    answer = method(requests.answer)
    signed_history = method(requests.signed_history)
    keys = method(requests.keys)
    ping = method(requests.ping)
    help = method(requests.help)
    check = method(requests.check)
    status = method(requests.status)
    metrics = method(requests.metrics)
    discover = method(requests.discover)
    drain = method(requests.drain)
    reload = method(requests.reload)
    backup = method(requests.backup)
    decide = method(requests.decide)
    test = method(requests.test)
