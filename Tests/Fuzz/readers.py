#!/usr/bin/env python3
"""Compares the strict reader of JSON with Python and jq.

    readers.py python|jq < TEXTS

Each line of TEXTS is an object: `name` and `hex` are a text and its name, `fault` the word of its fault or null,
`json` the canonical text of an accepted one. Prints each contradiction that no known difference explains, then
the counts of texts and of known differences. Exits 1 after a contradiction.

The known differences of Python, which is asked to note repeated names and to refuse NaN and Infinity:
  half of a surrogate pair, repeated names, deep nesting: accepted; they are not against the grammar.

The known differences of jq, which reads a stream of values and is meant for text that is mostly right:
  repeated names, deep nesting, in some versions half of a surrogate pair: accepted, the last member of a name counts;
  what is not UTF-8, a byte order mark: replaced, passed over;
  no value, several values: accepted as a stream;
  numbers of C, such as 01, 1., .5 and +1, nan and Infinity: accepted;
  control characters in strings: accepted;
  numbers: read as doubles, so that large ones lose digits.
"""

from __future__ import annotations

import collections
import json
import re
import subprocess
import sys

LENIENT = {"loneSurrogate", "duplicateName", "tooDeep"}
LARGEST = 1.7976931348623157e308


def constant(word: str) -> object:
    """Refuses a number that is not one of JSON."""
    raise ValueError(word)


def strict(text: bytes) -> tuple[object, bool]:
    """The value that Python reads, with numbers as they are written, and whether a name is repeated in it."""
    repeated = []

    def members(pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
        if len({name for name, _ in pairs}) < len(pairs):
            repeated.append(pairs)
        return [("member", pair) for pair in pairs]

    value = json.loads(text.decode(), parse_float=lambda digits: ("number", digits),
                       parse_int=lambda digits: ("number", digits), parse_constant=constant,
                       object_pairs_hook=members)
    return value, bool(repeated)


def python_rule(case: dict, text: bytes) -> str | None:
    """Nothing if Python and the strict reader agree; the known difference; else raises."""
    try:
        value, is_repeated = strict(text)
    except RecursionError:
        if case["fault"] == "tooDeep":
            return "deep nesting"
        raise AssertionError("Python finds the nesting too deep") from None
    except ValueError as error:
        # Nesting beyond the limit is reported before a later fault of the grammar.
        if case["fault"] in ("syntax", "encoding", "tooDeep"):
            return None
        raise AssertionError(f"Python refuses: {error}") from None
    if case["fault"] in ("loneSurrogate", "tooDeep"):
        return "deep nesting" if case["fault"] == "tooDeep" else "half of a surrogate pair"
    if (case["fault"] == "duplicateName") != is_repeated:
        raise AssertionError("Python finds a repeated name" if is_repeated else "Python finds no repeated name")
    if is_repeated:
        return "repeated names"
    if case["fault"] is not None:
        raise AssertionError("Python accepts")
    if strict(case["json"].encode())[0] != value:
        raise AssertionError(f"Python reads another value than {case['json']}")
    return None


def number(digits: str) -> float:
    """A number as jq keeps it."""
    return max(-LARGEST, min(LARGEST, float(digits)))


def doubles(text: str) -> object:
    """The value of a text, with numbers as doubles."""
    return json.loads(text, parse_int=number, parse_float=number)


def stream_rule(text: bytes, found: str) -> str | None:
    """Why jq accepts what is not JSON; nothing if no known difference explains it."""
    if len(found.splitlines()) != 1:
        return "no value, or several values"
    shown = text.decode(errors="replace")
    if re.search(r"nan|inf", shown, re.I):
        return "nan and Infinity"
    if any(re.search(r"[\x00-\x1f]", string) for string in re.findall(r'"(?:[^"\\]|\\.)*"', shown, re.S)):
        return "control characters in strings"
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', shown, flags=re.S)
    if re.search(r"(?<![\w.])[-+]*0\d|\d\.(?!\d)|(?<!\d)\.\d|(?<![eE])\+", bare):
        return "numbers of C"
    return None


def jq_rule(case: dict, text: bytes) -> str | None:
    """Nothing if jq and the strict reader agree; the known difference; else raises."""
    result = subprocess.run(["jq", "-c", "."], input=text, capture_output=True, check=False)
    found = result.stdout.decode(errors="replace")
    if case["fault"] is None:
        if result.returncode != 0:
            raise AssertionError(f"jq refuses: {result.stderr.decode(errors='replace').strip()}")
        if doubles(found) != doubles(case["json"]):
            raise AssertionError(f"jq reads {found.strip()}, not {case['json']}")
        return None
    if result.returncode != 0:
        return None
    if case["fault"] in LENIENT:
        return case["fault"]
    if case["fault"] == "encoding":
        return "what is not UTF-8"
    rule = stream_rule(text, found)
    if rule is None:
        raise AssertionError(f"jq accepts, as {found.strip()}")
    return rule


def main() -> int:
    """Compares all texts."""
    rule = {"python": python_rule, "jq": jq_rule}[sys.argv[1]]
    differences: collections.Counter[str] = collections.Counter()
    count = contradictions = 0
    for line in sys.stdin:
        case = json.loads(line)
        count += 1
        try:
            known = rule(case, bytes.fromhex(case["hex"]))
        except AssertionError as error:
            contradictions += 1
            print(f"{case['name']}: fault {case['fault']}; {error}: {bytes.fromhex(case['hex'])!r}")
            continue
        if known:
            differences[known] += 1
    known = ", ".join(f"{name}: {times}" for name, times in sorted(differences.items()))
    print(f"{count} texts, known differences: {known or 'none'}")
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
