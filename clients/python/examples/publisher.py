"""A publisher's backend: applications name an order, it asks the store and grants.

    STORE=http://127.0.0.1:8080 MERCHANT=mer_… MERCHANT_KEY=key_… MERCHANT_SECRET_FILE=secret \
        BUNDLE=com.example.app python3 examples/publisher.py

    curl -d '{"order": "…", "user": "user-1"}' http://127.0.0.1:PORT/validate

With an order and a user as arguments it validates that one order, says so and ends.

The application finishes its transaction when it was told {"granted": true}: asking again for the
same order grants nothing twice.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.error import URLError

from _merchant import MerchantAPI, Refused, entitling

BUNDLE = os.environ.get("BUNDLE", "com.example.app")


class Grants:
    """What was granted: one line for each order, written before anybody is told."""

    def __init__(self, path: str) -> None:
        self.path, self.lock = Path(path), Lock()
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.orders = {line.split()[0] for line in lines if line}

    def grant(self, purchase: dict[str, Any], user: str) -> bool:
        """Grants a purchase unless it was granted before; says whether it was new."""
        with self.lock:
            if purchase["order_id"] in self.orders:
                return False
            with self.path.open("a") as file:
                file.write(f"{purchase['order_id']} {user} {purchase['product_id']}\n")
                file.flush()
                os.fsync(file.fileno())
            self.orders.add(purchase["order_id"])
            return True


def validate(api: MerchantAPI, grants: Grants, order: str, user: str) -> dict[str, Any]:
    """What the application is told about an order."""
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
        try:
            length = min(int(self.headers.get("Content-Length", "0")), 4096)
            asked = json.loads(self.rfile.read(length))
            order, user = str(asked["order"]), str(asked["user"])
        except (ValueError, KeyError, TypeError):
            return self.answer(400, {"error": "badRequest"})
        try:
            self.answer(200, validate(self.api, self.grants, order, user))
        except URLError as error:
            self.answer(503, {"error": f"the store cannot be asked: {error.reason}"})

    def answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Orders and accounts are nobody's business."""


def main() -> None:
    secret = Path(os.environ["MERCHANT_SECRET_FILE"]).read_text().strip()
    Backend.api = MerchantAPI(
        os.environ["STORE"], os.environ["MERCHANT"], os.environ["MERCHANT_KEY"], secret
    )
    Backend.grants = Grants(os.environ.get("GRANTS", "grants"))
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
