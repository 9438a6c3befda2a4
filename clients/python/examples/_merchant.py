"""The publisher's side of the Merchant API: make a token, ask for an order, verify the answer.

PyJWT or joserfc does the cryptography, whichever is installed; LIBRARY=pyjwt or LIBRARY=joserfc
chooses.
"""

import json
import os
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

ALGORITHMS = ("RS256", "ES256")


class Refused(Exception):
    """The order gives no right to anything; the text says why in one word."""


class PyJWT:
    """The cryptography of PyJWT."""

    def __init__(self):
        import jwt

        self.jwt = jwt

    def token(self, claims, key_id, secret):
        return self.jwt.encode(claims, secret, algorithm="HS256", headers={"kid": key_id})

    def payload(self, jws, keys):
        name = self.jwt.get_unverified_header(jws).get("kid")
        entry = next((key for key in keys if key["kid"] == name), None)
        if entry is None:
            raise KeyError(name)
        # How to verify is said by the key, never by the text that is verified.
        return self.jwt.PyJWS().decode(jws, self.jwt.PyJWK(entry), algorithms=[entry["alg"]])


class Joserfc:
    """The cryptography of joserfc."""

    def __init__(self):
        from joserfc import jwk, jws, jwt

        self.jwk, self.jws, self.jwt = jwk, jws, jwt

    def token(self, claims, key_id, secret):
        header = {"alg": "HS256", "kid": key_id, "typ": "JWT"}
        return self.jwt.encode(header, claims, self.jwk.OctKey.import_key(secret))

    def payload(self, jws, keys):
        name = self.jws.extract_compact(jws.encode()).headers().get("kid")
        entry = next((key for key in keys if key["kid"] == name), None)
        if entry is None:
            raise KeyError(name)
        key = self.jwk.import_key(entry)
        return self.jws.deserialize_compact(jws, key, algorithms=[entry["alg"]]).payload


def library():
    """The first library that is installed, or the one that is wanted."""
    wanted = os.environ.get("LIBRARY")
    for name, kind in (("pyjwt", PyJWT), ("joserfc", Joserfc)):
        if wanted not in (None, "", name):
            continue
        try:
            return kind()
        except ImportError:
            continue
    raise SystemExit(f"{wanted or 'PyJWT or joserfc'} is not installed")


class MerchantAPI:
    """One store, and the credentials of one merchant."""

    def __init__(self, store, merchant, key_id, secret):
        self.store, self.merchant = store.rstrip("/"), merchant
        self.key_id, self.secret = key_id, secret
        self.library = library()
        self.keys, self.keys_at = [], 0.0

    def token(self):
        """A token for one request: 30 seconds, in which clocks may differ by five."""
        begin = int(time.time()) - 5
        claims = {
            "aud": "onside", "iss": "onside", "sub": self.merchant,
            "nbf": begin, "exp": begin + 30, "jti": str(uuid.uuid4()),
        }
        return self.library.token(claims, self.key_id, self.secret)

    def history(self, order):
        """Everything that the account of an order has paid for, verified."""
        path = f"/merchant-api/v1/purchases/in-app/history/{order}"
        try:
            jws = self._get(path, {"Authorization": "Bearer " + self.token()}).decode("ascii")
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (400, 404):
                    raise Refused("unknownOrder") from None
                raise
        return self.verified(jws)["transactions"]

    def verified(self, jws):
        """The payload of a signed history; raises if the signature is not the store's."""
        try:
            payload = self.library.payload(jws, self._known_keys())
        except KeyError:
            # The store may have changed its key; strangers must not make us ask all the time.
            if time.monotonic() - self.keys_at < 60:
                raise Refused("unknownKey") from None
            self.keys = []
            payload = self.library.payload(jws, self._known_keys())
        return json.loads(payload)

    def _known_keys(self):
        if not self.keys:
            found = json.loads(self._get("/.well-known/jwks.json"))["keys"]
            self.keys = [key for key in found if key.get("alg") in ALGORITHMS]
            self.keys_at = time.monotonic()
        return self.keys

    def _get(self, path, headers=None):
        request = urllib.request.Request(self.store + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read(64 << 20)


def entitling(purchases, order, bundle, user, now=None):
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


def _moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
