"""Verifies what signedHistory and keys have answered, with a library that is none of ours.

Reads {"jws": …, "keys": […]} from standard input; LIBRARY chooses PyJWT or joserfc. With the path of
a JSON Schema as argument the payload is held against it as well, if jsonschema is installed.
"""

import importlib
import json
import sys
from pathlib import Path

from _merchant import library


def main() -> None:
    asked = json.load(sys.stdin)
    library_in_use = library()
    payload = json.loads(library_in_use.payload(asked["jws"], asked["keys"]))
    header, body, signature = asked["jws"].split(".")
    other = ("A" if signature[9] != "A" else "B").join([signature[:9], signature[10:]])
    try:
        library_in_use.payload(".".join([header, body, other]), asked["keys"])
        sys.exit("a wrong signature was accepted")
    except Exception:  # whatever the library calls it
        pass
    if len(sys.argv) > 1:
        jsonschema = importlib.import_module("jsonschema")

        schema = json.loads(Path(sys.argv[1]).read_text())
        kind = jsonschema.Draft202012Validator
        kind.check_schema(schema)
        kind(schema, format_checker=kind.FORMAT_CHECKER).validate(payload)
    print(len(payload["transactions"]))


if __name__ == "__main__":
    main()
