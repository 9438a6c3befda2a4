"""A publisher's backend: applications name an order, it asks the store and grants.

    STORE=http://127.0.0.1:8080 MERCHANT=mer_… MERCHANT_KEY=key_… MERCHANT_SECRET_FILE=secret \
        BUNDLE=com.example.app python3 examples/publisher.py

    curl -d '{"order": "…", "user": "user-1"}' http://127.0.0.1:PORT/validate

With an order and a user as arguments it validates that one order, says so and ends.

The application finishes its transaction when it received {"granted": true}: asking again for the
same order grants nothing twice.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from _merchant import MerchantAPI, Refused, entitling
from _state import kept

BUNDLE = os.environ.get("BUNDLE", "com.example.app")
NEEDED = ("STORE", "MERCHANT", "MERCHANT_KEY", "MERCHANT_SECRET_FILE")


class Grants:
    """What was granted: a line of JSON for each order, written before the application is notified.

    The user is a text that the application made up; in JSON it cannot look like a line of its own.
    """

    def __init__(self, path: str) -> None:
        self.path, self.lock = Path(path), Lock()
        data = self.path.read_bytes() if self.path.exists() else b""
        self.orders = {order for line in data.split(b"\n") if (order := self.order(line))}

    @staticmethod
    def order(line: bytes) -> str | None:
        """What a line grants; nothing if it was cut off: that grant was not reported."""
        try:
            order: str = json.loads(line)["order"]
            return order
        except ValueError:
            return None

    def grant(self, purchase: dict[str, Any], user: str) -> bool:
        """Grants a purchase unless it was granted before; says whether it was new."""
        with self.lock:
            if purchase["order_id"] in self.orders:
                return False
            entry = {
                "order": purchase["order_id"], "user": user, "product": purchase["product_id"],
            }
            with self.path.open("a+b") as file:
                # What a crash or a full disk left of a line is not to take this one along.
                file.seek(max(0, file.tell() - 1))
                is_cut = file.read(1) not in (b"", b"\n")
                file.write((b"\n" if is_cut else b"") + json.dumps(entry).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            self.orders.add(purchase["order_id"])
            return True


def validate(api: MerchantAPI, grants: Grants, order: str, user: str) -> dict[str, Any]:
    """The answer to the application about an order."""
    try:
        purchase = entitling(api.history(order), order, BUNDLE, user)
    except Refused as reason:
        return {"granted": False, "reason": str(reason)}
    is_new = grants.grant(purchase, user)
    return {"granted": True, "new": is_new, "product": purchase["product_id"]}


class Backend(BaseHTTPRequestHandler):
    """Answers the application."""

    api: MerchantAPI
    grants: Grants

    def do_POST(self) -> None:
        if self.path != "/validate":
            return self.answer(404, {"error": "notFound"})
        asked = self.asked()
        if asked is None:
            return self.answer(400, {"error": "badRequest"})
        try:
            told = validate(self.api, self.grants, *asked)
        except Exception:
            # Whatever kept the store from saying it: the application asks again.
            return self.answer(503, {"error": "the store cannot be asked"})
        self.answer(200, told)

    def asked(self) -> tuple[str, str] | None:
        """What the application sent, if it is a request that makes sense."""
        try:
            length = int(self.headers.get("Content-Length", "0"))
            if not 0 < length <= 4096:
                return None
            asked = json.loads(self.rfile.read(length))
            order, user = asked["order"], asked["user"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        return (order, user) if isinstance(order, str) and isinstance(user, str) else None

    def answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Orders and accounts are private."""


def merchant_secret() -> str:
    """The secret of the merchant; ends the program in words if something is not set or readable."""
    missing = [name for name in NEEDED if not os.environ.get(name)]
    if missing:
        sys.exit(f"publisher.py: set {', '.join(missing)}; the head of the file shows how")
    try:
        return Path(os.environ["MERCHANT_SECRET_FILE"]).read_text().strip()
    except (OSError, ValueError) as reason:
        sys.exit(f"publisher.py: cannot read the merchant's secret: {reason}")


def main() -> None:
    secret = merchant_secret()
    Backend.api = MerchantAPI(
        os.environ["STORE"], os.environ["MERCHANT"], os.environ["MERCHANT_KEY"], secret
    )
    Backend.grants = Grants(kept("GRANTS", "grants"))
    if len(sys.argv) == 3:
        return print(json.dumps(validate(Backend.api, Backend.grants, *sys.argv[1:])))
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Backend)
    print(f"ready on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
