"""Harm by JSON: deep, long, many, strange, or almost right."""

from __future__ import annotations

import itertools
import json
import random
from typing import Iterator

from fairness import line
from hostile_lines import INVALID, PARSE
from hostile_user import Hostile, case, many, rows, same

PARAMS, METHOD = -32602, -32601
# A little below the limit of a line.
ROOM = 65000


def ping(params: str, identifier: str = "1") -> bytes:
    """A ping with a payload that is written as it is."""
    return f'{{"jsonrpc":"2.0","id":{identifier},"method":"ping","params":{{"payload":{params}}}}}\n'.encode()


def add(members: str) -> bytes:
    """An add with members that are written as they are."""
    return f'{{"jsonrpc":"2.0","id":1,"method":"add","params":{{"product":"coins.100",{members}}}}}\n'.encode()


def members(count: int, name: str) -> str:
    """Members whose names differ by a number."""
    return ",".join(f'"{name}{n}":{n}' for n in range(count))


rows("json", {
    "one level too deep": (many(ping("[" * 31 + "]" * 31)), INVALID),
    "thirty thousand arrays in each other": (ping("[" * 30000 + "]" * 30000), INVALID),
    "thousands of objects in each other": (ping('{"a":' * 9000 + "1" + "}" * 9000), INVALID),
    "arrays that are never closed": (b"[" * ROOM + b"\n", INVALID),
    "objects that are never closed": (b'{"a":' * 13000 + b"\n", INVALID),
    "closing brackets only": (b"]" * ROOM + b"\n", PARSE),
    "one token too many": (ping("[" + ",".join("0" * 4090) + "]"), INVALID),
    "thirty thousand numbers": (ping("[" + ",".join("0" * 30000) + "]"), INVALID),
    "sixty thousand digits": (ping("9" * 60000), PARAMS),
    "sixty thousand digits after the point": (ping("0." + "1" * 60000), PARAMS),
    "exponents beyond every range": (many(ping("1e999999999")),),
    "exponents of sixty thousand digits": (ping("1e" + "9" * 60000), PARAMS),
    "positions beyond every range": (
        many(b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"after":1e400}}\n'), PARAMS),
    "positions that are almost whole": (
        many(b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"after":0.9999999999999999999}}\n'), PARAMS),
    "negative positions": (
        many(b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"after":-9223372036854775809}}\n'), PARAMS),
    "the method named twice": (
        many(b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"logout"}\n'), INVALID),
    "the product named twice": (many(add('"product":"book"')), INVALID),
    "one name a thousand times": (ping("{" + ",".join(['"a":1'] * 1000) + "}"), INVALID),
    "two thousand names": (ping("{" + members(2000, "n") + "}"), PARAMS),
    "two thousand parameters that do not exist": (add(members(2000, "product")), PARAMS),
    "a name of sixty thousand letters": (add(f'"{"n" * 60000}":1'), PARAMS),
    "a word of sixty thousand letters": (
        f'{{"jsonrpc":"2.0","id":1,"method":"delegate","params":{{"mode":"{"s" * 60000}"}}}}\n'.encode(), PARAMS),
    "names that differ by their normal form": (add('"e\u0301":1,"\u00e9":2'), PARAMS),
    "names with signs above letters, ten thousand in a row": (add(f'"e{chr(0x301) * 10000}":1'), PARAMS),
    "strings of escapes": (ping('"' + "\\u0041" * 10000 + '"'), PARAMS),
    "strings of escaped quotation marks": (ping('"' + '\\"' * 30000 + '"'), PARAMS),
    "strings of escaped pairs of surrogates": (ping('"' + "\\ud83d\\ude00" * 5000 + '"'), PARAMS),
    "lone surrogates as escapes": (many(ping('"\\ud800"')), INVALID),
    "surrogates in the wrong order": (many(ping('"\\ude00\\ud83d"')), INVALID),
    "escapes that do not exist": (many(ping('"\\x41"')), PARSE),
    "control characters in strings": (many(ping('"\t\x01"')), PARSE),
    "commas before the end": (many(ping("[1,]")), PARSE),
    "NaN and infinity": (many(ping("NaN") + ping("-Infinity")), PARSE),
    "comments": (many(b'{"jsonrpc":"2.0", /* note */ "id":1,"method":"ping"} // end\n'), PARSE),
    "single quotes": (many(b"{'jsonrpc':'2.0','id':1,'method':'ping'}\n"), PARSE),
    "numbers with a zero in front": (many(ping("01") + ping("+1") + ping(".5")), PARSE),
    "lines that are values, not requests": (many(b'1\n"x"\nnull\ntrue\n-0.0\n{}\n'), INVALID),
    "names written with escapes": (many(b'{"jsonrpc":"2.0","id":1,"\\u006dethod":"\\u0070ing"}\n'),),
    "ids of sixty thousand digits": (ping("1", "7" * 60000), INVALID),
    "ids of sixty thousand letters": (ping("1", '"' + "i" * 60000 + '"'), INVALID),
    "traces that are too long": (add(f'"trace":"{"t" * 257}"'), PARAMS),
    "texts that write from right to left": (many(ping('"\u202e\u2066abc\u2069"')),),
}, lambda user, text: user.flood(same(text)))


@case("json", "names chosen to collide in a simple hash", PARAMS)
def collisions(user: Hostile) -> None:
    # "Aa" and "BB" have one hash where characters are added up by powers of 31.
    names = ["".join(pair) for pair in itertools.product(("Aa", "BB"), repeat=10)][:1000]
    text = ping("{" + ",".join(f'"{name}":1' for name in names) + "}")
    user.flood(same(text))


@case("json", "values drawn from a grammar", PARAMS)
def drawn(user: Hostile) -> None:
    dice = random.Random(3)

    def value(depth: int) -> object:
        kind = dice.randrange(7 if depth < 8 else 5)
        if kind == 5:
            return [value(depth + 1) for _ in range(dice.randrange(6))]
        if kind == 6:
            return {str(n): value(depth + 1) for n in range(dice.randrange(6))}
        return (None, True, dice.random() * 10 ** dice.randrange(300), dice.getrandbits(200),
                "".join(map(chr, dice.choices(range(32, 0x2000), k=20))))[kind]

    methods = ("add", "finish", "subscribe", "transactions", "events", "ack", "products", "wait")
    chunks = [b"".join(line({"jsonrpc": "2.0", "id": n, "method": dice.choice(methods), "params": value(0)})
                       for n in range(50)) for _ in range(40)]
    user.flood(lambda _: itertools.cycle(chunks))


@case("json", "right requests with one character left out", PARSE)
def gaps(user: Hostile) -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "check",
                       "params": {"method": "add", "params": {"product": "coins.100"}}})

    def source(_: int) -> Iterator[bytes]:
        return itertools.cycle([b"".join((text[:n] + text[n + 1:]).encode() + b"\n" for n in range(len(text)))])

    user.flood(source)
