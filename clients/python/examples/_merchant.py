"""The publisher's side of the Merchant API: make a token, ask for an order, verify the answer.

PyJWT or joserfc does the cryptography, whichever is installed; LIBRARY=pyjwt or LIBRARY=joserfc
chooses.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Protocol

ALGORITHMS = ("RS256", "ES256")


class Refused(Exception):
    """The order gives no right to anything; the text says why in one word."""


class Library(Protocol):
    """What a library of JSON Web Tokens is needed for."""

    def token(self, claims: dict[str, Any], key_id: str, secret: str) -> str:
        """A token that is signed with a secret."""

    def payload(self, jws: str, keys: Sequence[dict[str, Any]]) -> bytes:
        """What was signed; raises ``KeyError`` if by none of the keys."""


class PyJWT:
    """The cryptography of PyJWT."""

    def __init__(self) -> None:
        self.jwt = importlib.import_module("jwt")

    def token(self, claims: dict[str, Any], key_id: str, secret: str) -> str:
        return str(self.jwt.encode(claims, secret, algorithm="HS256", headers={"kid": key_id}))

    def payload(self, jws: str, keys: Sequence[dict[str, Any]]) -> bytes:
        name = self.jwt.get_unverified_header(jws).get("kid")
        entry = next((key for key in keys if key["kid"] == name), None)
        if entry is None:
            raise KeyError(name)
        # How to verify is said by the key, never by the text that is verified.
        return bytes(self.jwt.PyJWS().decode(jws, self.jwt.PyJWK(entry), algorithms=[entry["alg"]]))


class Joserfc:
    """The cryptography of joserfc."""

    def __init__(self) -> None:
        self.jwk = importlib.import_module("joserfc.jwk")
        self.jws = importlib.import_module("joserfc.jws")
        self.jwt = importlib.import_module("joserfc.jwt")

    def token(self, claims: dict[str, Any], key_id: str, secret: str) -> str:
        header = {"alg": "HS256", "kid": key_id, "typ": "JWT"}
        return str(self.jwt.encode(header, claims, self.jwk.OctKey.import_key(secret)))

    def payload(self, jws: str, keys: Sequence[dict[str, Any]]) -> bytes:
        name = self.jws.extract_compact(jws.encode()).headers().get("kid")
        entry = next((key for key in keys if key["kid"] == name), None)
        if entry is None:
            raise KeyError(name)
        key = self.jwk.import_key(entry)
        return bytes(self.jws.deserialize_compact(jws, key, algorithms=[entry["alg"]]).payload)


def library() -> Library:
    """The first library that is installed, or the one that is wanted."""
    wanted = os.environ.get("LIBRARY")
    kinds: tuple[tuple[str, type[PyJWT] | type[Joserfc]], ...] = (
        ("pyjwt", PyJWT), ("joserfc", Joserfc),
    )
    for name, kind in kinds:
        if wanted not in (None, "", name):
            continue
        try:
            return kind()
        except ImportError:
            continue
    raise SystemExit(f"{wanted or 'PyJWT or joserfc'} is not installed")


class MerchantAPI:
    """One store, and the credentials of one merchant."""

    def __init__(self, store: str, merchant: str, key_id: str, secret: str) -> None:
        self.store, self.merchant = store.rstrip("/"), merchant
        self.key_id, self.secret = key_id, secret
        self.library = library()
        self.keys: list[dict[str, Any]] = []
        self.keys_at = 0.0

    def token(self) -> str:
        """A token for one request: 30 seconds, in which clocks may differ by five."""
        begin = int(time.time()) - 5
        claims = {
            "aud": "onside", "iss": "onside", "sub": self.merchant,
            "nbf": begin, "exp": begin + 30, "jti": str(uuid.uuid4()),
        }
        return self.library.token(claims, self.key_id, self.secret)

    def history(self, order: str) -> Iterator[dict[str, Any]]:
        """What the account of an order has paid for, the newest payment first, verified.

        A page is asked for when the one before it was read to its end.
        """
        # Whatever an application sends is one step of the path.
        step = urllib.parse.quote(order, safe="", errors="replace")
        first = f"/merchant-api/v1/purchases/in-app/history/{step}"
        place: str | None = first
        while place is not None:
            is_first = place is first
            try:
                # The store takes no token twice.
                jws, place = self._get(place, {"Authorization": "Bearer " + self.token()})
            except urllib.error.HTTPError as error:
                with error:
                    # Later on a page is missing, not the order: that is to be asked for again.
                    if is_first and error.code in (400, 404):
                        raise Refused("unknownOrder") from None
                    raise
            yield from self.verified(jws.decode("ascii"))["transactions"]

    def verified(self, jws: str) -> dict[str, Any]:
        """The payload of a signed history; raises if the signature is not the store's."""
        try:
            payload = self.library.payload(jws, self._known_keys())
        except KeyError:
            # The store may have changed its key; strangers must not make us ask all the time.
            if time.monotonic() - self.keys_at < 60:
                raise Refused("unknownKey") from None
            self.keys = []
            payload = self.library.payload(jws, self._known_keys())
        history: dict[str, Any] = json.loads(payload)
        return history

    def _known_keys(self) -> list[dict[str, Any]]:
        if not self.keys:
            found = json.loads(self._get("/.well-known/jwks.json")[0])["keys"]
            self.keys = [key for key in found if key.get("alg") in ALGORITHMS]
            self.keys_at = time.monotonic()
        return self.keys

    def _get(
        self, place: str, headers: Mapping[str, str] | None = None
    ) -> tuple[bytes, str | None]:
        """What stands at a place of the store, and where it goes on, if it does."""
        request = urllib.request.Request(self.store + place, headers=dict(headers or {}))
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bytes(answer.read(64 << 20)), _next_place(answer.headers.get("Link"))


def _next_place(link: str | None) -> str | None:
    """The place that a header ``Link`` names as the next; nothing if it is not of this store."""
    found = re.fullmatch(r'\s*<(/[^<>]*)>\s*;\s*rel="next"\s*', link or "")
    return found.group(1) if found else None


def entitling(
    purchases: Iterable[dict[str, Any]], order: str, bundle: str, user: str | None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """The purchase of an order if it gives a right to something; raises ``Refused`` otherwise."""
    found = next((entry for entry in purchases if entry["order_id"] == order), None)
    if found is None:
        raise Refused("unknownOrder")
    if found["bundle_id"] != bundle or found.get("app_account_token") != user:
        raise Refused("foreign")
    if found.get("revocation_date") is not None:
        raise Refused("revoked")
    # A test store may be ahead of the time here; what it fetched is not older than its own clock.
    now = max(now or datetime.now(timezone.utc), _moment(found["fetched_at"]))
    end = found.get("expires_at")
    if end is not None and _moment(end) <= now:
        raise Refused("expired")
    return found


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
