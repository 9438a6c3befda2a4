"""A function of ``requests`` as a method of both clients."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Optional

from .request import Request

if TYPE_CHECKING:
    from typing import Coroutine, Generic, TypeVar, overload

    from typing_extensions import ParamSpec

    from .client import AsyncClient
    from .sync import Client

    Parameters = ParamSpec("Parameters")
    Result = TypeVar("Result")

    class method(Generic[Parameters, Result]):
        """A method that sends the request which a function makes."""

        def __init__(self, make: Callable[Parameters, Request[Result]]) -> None: ...

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


