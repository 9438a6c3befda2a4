"""Verifies what signedHistory and keys have answered, with a library that is none of ours.

    { payqueuectl call keys; payqueuectl history; } | python3 verify_history.py

Reads the key set and then a page on each line from standard input; LIBRARY chooses PyJWT or joserfc.
With the path of a JSON Schema as argument each payload is held against it as well, if jsonschema is
installed. Prints how many payments there are; none may come twice, or before a later one.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _merchant import library


def main() -> None:
    keys = json.loads(sys.stdin.readline())["keys"]
    library_in_use = library()
    check = checker(sys.argv[1]) if len(sys.argv) > 1 else None
    orders: set[str] = set()
    before: str | None = None
    for line in sys.stdin:
        jws = line.strip()
        payload = json.loads(library_in_use.payload(jws, keys))
        header, body, signature = jws.split(".")
        other = ("A" if signature[9] != "A" else "B").join([signature[:9], signature[10:]])
        try:
            library_in_use.payload(".".join([header, body, other]), keys)
            sys.exit("a wrong signature was accepted")
        except Exception:  # whatever the library calls it
            pass
        if check is not None:
            check(payload)
        for entry in payload["transactions"]:
            # The store writes all times alike, so that they can be compared as texts.
            if entry["order_id"] in orders or entry["purchase_date"] > (before or "9"):
                sys.exit(f"{entry['order_id']} comes twice, or too late")
            orders.add(entry["order_id"])
            before = entry["purchase_date"]
    print(len(orders))


def checker(path: str) -> Callable[[Any], None]:
    """Holds payloads against a schema."""
    jsonschema = importlib.import_module("jsonschema")
    schema = json.loads(Path(path).read_text())
    kind = jsonschema.Draft202012Validator
    kind.check_schema(schema)
    validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
    return lambda payload: validator.validate(payload)


if __name__ == "__main__":
    main()
