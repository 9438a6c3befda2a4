"""Compares the JSON Schemas of configuration and catalogue with what the daemon takes.

Whatever a file is, schema and daemon have to agree on it: examples are taken by both, and so is a file
with any one member of a full file; a value of another kind, a number out of its range, a name that
nobody knows and a missing member are refused by both.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import jsonschema

arguments = argparse.ArgumentParser()
arguments.add_argument("--daemon", required=True)
arguments.add_argument("--schemas", required=True, type=pathlib.Path)
arguments.add_argument("--folder", required=True, type=pathlib.Path)
arguments.add_argument("--config", action="append", type=pathlib.Path, default=[])
arguments.add_argument("--catalog", action="append", type=pathlib.Path, default=[])
options = arguments.parse_args()

faults = []
count = {"config": [0, 0], "catalog": [0, 0]}


def schema_of(kind):
    name = {"config": "payqueued", "catalog": "payqueued-catalog"}[kind]
    schema = json.loads((options.schemas / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


schemas = {kind: schema_of(kind) for kind in count}
validators = {kind: jsonschema.Draft202012Validator(schemas[kind]) for kind in count}


def compare(kind, value, is_good, name):
    """Both sides have to say the same of a file."""
    path = options.folder / "tried.json"
    path.write_text(json.dumps(value, ensure_ascii=False))
    path.chmod(0o600)
    looking = (
        ["--print-config", "--config", str(path)]
        if kind == "config"
        else ["--check-config", "--socket", str(options.folder / "s"), "--catalog", str(path)]
    )
    done = subprocess.run([options.daemon, *looking], capture_output=True, text=True)
    problem = next(validators[kind].iter_errors(value), None)
    count[kind][0 if is_good else 1] += 1
    if (done.returncode == 0) != is_good or done.returncode not in (0, 78):
        faults.append(f"{kind}, {name}: the daemon exits with {done.returncode}: {done.stderr}")
    if (problem is None) != is_good:
        message = problem.message if problem else "nothing wrong"
        faults.append(f"{kind}, {name}: the schema says {message}")


def places(value, path=()):
    """The paths of all members and elements below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from places(inner, path + (key,))


def changed(value, path, change):
    """A copy of a value in which what is at a path was changed."""
    value = json.loads(json.dumps(value))
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return value


def replaced(value, path, new):
    return changed(value, path, lambda holder, key: holder.__setitem__(key, new))


def without(value, path):
    return changed(value, path, lambda holder, key: holder.__delitem__(key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


# The configuration: each key alone with its example, then with what it does not take.
compare("config", {}, True, "nothing")
compare("config", schemas["config"]["examples"][0], True, "the example of the schema")
for file in options.config:
    compare("config", json.loads(file.read_text()), True, file.name)
for whole in [[], "text", 7, {"nosuch": 1}]:
    compare("config", whole, False, json.dumps(whole))
keys = {}
for name, inner in schemas["config"]["properties"].items():
    members = inner.get("properties")
    keys.update({(name, member): inner["properties"][member] for member in members or ()})
    if members:
        compare("config", {name: {"nosuch": 1}}, False, f"an unknown member of {name}")
        compare("config", {name: []}, False, f"{name} as a list")
    else:
        keys[(name,)] = inner


def nested(path, value):
    return {path[0]: value} if len(path) == 1 else {path[0]: {path[1]: value}}


for path, key in keys.items():
    name = ".".join(path)
    compare("config", nested(path, key["examples"][0]), True, name)
    if "default" in key:
        compare("config", nested(path, key["default"]), True, f"the default of {name}")
    wrong = [None, 7 if key.get("type") != "integer" else "7", 1.5]
    if key.get("type") == "integer":
        compare("config", nested(path, key["minimum"]), True, f"the least {name}")
        compare("config", nested(path, key["maximum"]), True, f"the most {name}")
        wrong += [key["minimum"] - 1, key["maximum"] + 1, []]
    if "enum" in key:
        wrong += ["nosuch"]
        for word in key["enum"]:
            compare("config", nested(path, word), True, f"{name} as {word}")
    if key.get("type") == "array":
        wrong += [["nosuch"], [7], {}]
    if key.get("type") == "object":
        wrong += [[], {"root": "observe"}, {"root": ["nosuch"]}]
    wrong += {"store": ["nosuch", "ftp://a"], "socketMode": ["1777", "0888"]}.get(name, [])
    for value in wrong:
        compare("config", nested(path, value), False, f"{name} as {json.dumps(value)}")

# The catalogue: a file with everything that the schema names, with one value after the other spoilt.
EUR = {"amount": "1.99", "currencyCode": "EUR"}
FULL = {
    "$schema": "payqueued-catalog.schema.json",
    "version": 1,
    "defaultCountry": "DEU",
    "locale": "en_US",
    "bundleId": "com.example.game",
    "accounts": [
        {"name": "carol", "country": "GB", "credential": "open-sesame", "paymentsAllowed": False}
    ],
    "products": [
        {
            "productIdentifier": "pro",
            "type": "autoRenewableSubscription",
            "slug": "pro",
            "localizedTitle": "Pro",
            "localizedDescription": "All of it.",
            "localizations": [
                {"locale": "de_DE", "localizedTitle": "Profi", "localizedDescription": "Alles."},
                {"locale": "fr_FR", "displayName": "Pro", "description": "Tout."},
            ],
            "iconUrl": "https://example.com/pro.png",
            "prices": {"DE": EUR, "FR": {"value": 2, "currencyCode": "EUR"}},
            "subscriptionPeriod": {"unit": "month", "numberOfUnits": 1},
            "subscriptionGroupIdentifier": "pro",
            "subscriptionLevel": 2,
            "introductoryPrice": {"mode": "payAsYouGo", "prices": {"DE": EUR}, "period": "P1W", "periods": 2},
            "discountedPrice": {"mode": "payUpFront", "price": EUR, "period": "P3M"},
        }
    ],
}
# The daemon leaves alone what a schema is named by, and takes any text of no particular form.
FREE = {("$schema",)}
compare("catalog", FULL, True, "everything")
compare("catalog", schemas["catalog"]["examples"][0], True, "the example of the schema")
for file in options.catalog:
    compare("catalog", json.loads(file.read_text()), True, file.name)
for path in places(FULL):
    name = ".".join(map(str, path))
    if path in FREE:
        continue
    old = at(FULL, path)
    for new in [[["x"]], {"x": []}, "\u0000" * 9000, -1, True if old is not False else 7]:
        compare("catalog", replaced(FULL, path, new), False, f"{name} as {str(new)[:20]}")

# An offer that is charged costs something, which a schema cannot say; without prices it costs nothing.
PLAIN = json.loads(json.dumps(FULL))
for offer in ["introductoryPrice", "discountedPrice"]:
    del PLAIN["products"][0][offer]
REQUIRED = [
    ("version",), ("defaultCountry",), ("accounts", 0, "name"), ("accounts", 0, "country"),
    ("products", 0, "productIdentifier"), ("products", 0, "type"),
    ("products", 0, "subscriptionPeriod"), ("products", 0, "subscriptionPeriod", "unit"),
    ("products", 0, "subscriptionPeriod", "numberOfUnits"),
    ("products", 0, "localizations", 0, "locale"),
    ("products", 0, "localizations", 0, "localizedTitle"),
    ("products", 0, "localizations", 1, "locale"),
    ("products", 0, "localizations", 1, "displayName"),
    ("products", 0, "prices", "DE", "amount"), ("products", 0, "prices", "FR", "value"),
    ("products", 0, "prices", "DE", "currencyCode"),
    ("products", 0, "prices", "FR", "currencyCode"),
    ("products", 0, "introductoryPrice", "prices", "DE", "amount"),
    ("products", 0, "introductoryPrice", "prices", "DE", "currencyCode"),
    ("products", 0, "discountedPrice", "price", "amount"),
    ("products", 0, "discountedPrice", "price", "currencyCode"),
    ("products", 0, "discountedPrice", "period"),
    ("products", 0, "introductoryPrice", "prices"), ("products", 0, "introductoryPrice", "period"),
    ("products", 0, "discountedPrice", "price"),
]
for path in places(FULL):
    name = ".".join(map(str, path))
    is_good = path not in REQUIRED
    whole = FULL if path[2:3] in [("introductoryPrice",), ("discountedPrice",)] else PLAIN
    if path != ("products", 0, "introductoryPrice", "prices", "DE"):
        compare("catalog", without(whole, path), is_good, f"without {name}")

PRODUCT = ("products", 0)
OFFER = PRODUCT + ("introductoryPrice",)
for path, bad in [
    (("version",), [0, 2, "1"]), (("defaultCountry",), ["de", "D", "GERM", ""]),
    (("bundleId",), ["", "x" * 257]), (("accounts", 0, "name"), ["", "x" * 257]),
    (PRODUCT + ("type",), ["nosuch", "consumable", "nonConsumable"]),
    (PRODUCT + ("subscriptionLevel",), [0, 10000]),
    (PRODUCT + ("subscriptionPeriod",), ["P0M", "P10000D", "P1H", "1M", "P+1M"]),
    (PRODUCT + ("subscriptionPeriod", "unit"), ["hour"]),
    (PRODUCT + ("subscriptionPeriod", "numberOfUnits"), [0, 10000]),
    (PRODUCT + ("prices",), [{"Germany": EUR}, {"de": EUR}]),
    (PRODUCT + ("prices", "DE", "amount"), ["01", "1.", ".5", "-1", "1e3", "1,99", ""]),
    (PRODUCT + ("prices", "DE", "currencyCode"), ["eur", "EURO"]),
    (OFFER + ("mode",), ["nosuch"]), (OFFER + ("periods",), [0, 1000]),
]:
    for value in bad:
        name = ".".join(map(str, path))
        compare("catalog", replaced(FULL, path, value), False, f"{name} as {json.dumps(value)[:40]}")
for path, good in [
    (PRODUCT + ("subscriptionPeriod",), ["P1D", "P2W", "P3M", "P9999Y", "P007D"]),
    (PRODUCT + ("prices", "DE", "amount"), ["0", "0.5", 1, 1.5, "123456789012.99"]),
    (PRODUCT + ("prices",), [{}]), (OFFER, [{"mode": "freeTrial", "period": "P1W"}]),
    (PRODUCT + ("subscriptionLevel",), [1, 9999]), (PRODUCT + ("nosuch",), ["left alone"]),
]:
    for value in good:
        name = ".".join(map(str, path))
        compare("catalog", replaced(PLAIN, path, value), True, f"{name} as {json.dumps(value)[:40]}")

for kind, (good, bad) in count.items():
    print(f"{kind}: {good} good and {bad} bad files")
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
