"""What schemathesis has to know to get in: sessions of an account and tokens of a merchant."""

import json
import os
import re
import threading
import time
import urllib.request
import uuid
from typing import Any, Optional

import jwt
import schemathesis

STORE = os.environ["STORE"]
MERCHANT = json.loads(os.environ["MERCHANT"])
# The account is the one of the description's examples.
ACCOUNT = b'{"account":"demo"}'
AMOUNT = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
CURRENCY, COUNTRY = re.compile(r"[A-Z]{3}"), re.compile(r"[A-Z]{2}")
# How long a stream is read before its session ends, and the stream with it.
STREAM_SECONDS = 0.02


def ask(method: str, path: str, body: Optional[bytes] = None, token: str = "") -> bytes:
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(STORE + path, data=body, headers=headers, method=method)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            request, timeout=10) as answer:
        return bytes(answer.read())


def session() -> str:
    return str(json.loads(ask("POST", "/store-api/v1/sessions", ACCOUNT))["accessToken"])


def place(count: int) -> None:
    """Places orders, so that there is something to list, complete and ask about."""
    order = json.dumps({
        "product": "coins.100", "price": {"amount": "1.99", "currencyCode": "EUR"},
        "country": "DE", "attempt": 1,
    }).encode()
    token = session()
    for _ in range(count):
        ask("PUT", f"/store-api/v1/orders/{uuid.uuid4()}", order, token)


place(int(os.environ.get("ORDERS", "0")))


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    """Makes orders of what is sold from those that are right but for it, so that some are paid."""
    if "/orders/" in context.operation.path and isinstance(body, dict):
        product, price, country = (body.get(name) for name in ("product", "price", "country"))
        if (
            isinstance(product, str) and 0 < len(product) <= 256 and isinstance(price, dict)
            and set(price) == {"amount", "currencyCode"} and AMOUNT.fullmatch(str(price["amount"]))
            and CURRENCY.fullmatch(str(price["currencyCode"])) and COUNTRY.fullmatch(str(country))
        ):
            real = {"amount": "1.99", "currencyCode": "EUR"}
            return {**body, "product": "coins.100", "price": real, "country": "DE"}
    return body


class Bearer:
    def set(self, case: Any, data: str, context: Any) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(
    path_regex="^/store-api/v1/(account|orders|completions|purchases|history|sessions/current)")
class Account(Bearer):
    """A session for each case: any of them may be the one that ends it."""

    def get(self, case: Any, context: Any) -> str:
        return session()


@schemathesis.auth(refresh_interval=None).apply_to(path="/store-api/v1/feed")
class Listener(Bearer):
    """A session that ends soon, because the stream ends with it."""

    def get(self, case: Any, context: Any) -> str:
        token = session()

        def end() -> None:
            time.sleep(STREAM_SECONDS)
            ask("DELETE", "/store-api/v1/sessions/current", token=token)

        threading.Thread(target=end).start()
        return token


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/merchant-api/")
class Merchant(Bearer):
    """A token for each case: the store takes none twice."""

    def get(self, case: Any, context: Any) -> str:
        begin = int(time.time()) - 5
        claims = {
            "aud": "onside", "iss": "onside", "sub": MERCHANT["merchant"], "nbf": begin,
            "exp": begin + 30, "jti": str(uuid.uuid4()),
        }
        return str(jwt.encode(
            claims, MERCHANT["secret"], algorithm="HS256", headers={"kid": MERCHANT["kid"]}))
