"""Reads a dashboard with the types that Grafana makes of its own schema, and writes it again.

What a type does not know, or has with another value, is not there afterwards: each such place is told.
"""

import json
import sys

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard


def lost(given, kept, path=""):
    """The places of the given value that the kept one does not have."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            yield from lost(value, kept.get(name), f"{path}/{name}")
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for index, (left, right) in enumerate(zip(given, kept)):
            yield from lost(left, right, f"{path}/{index}")
    elif given != kept:
        yield f"{path}: {json.dumps(given)} became {json.dumps(kept)}"


plugins.register_default_plugins()
with open(sys.argv[1]) as file:
    given = json.load(file)
model = dashboard.Dashboard.from_json(given)
kept = json.loads(JSONEncoder(sort_keys=True).encode(model))
faults = list(lost(given, kept))
print(f"{len(model.panels)} panels")
print("\n".join(faults), file=sys.stderr)
sys.exit(1 if faults else 0)
