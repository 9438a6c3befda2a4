"""The whole market on one machine: a store, two devices, two publishers, and what they tell each other.

    python3 clients/market.py --bins .build/debug

Starts `payqueue-store --demo` and two `payqueued --store URL` with an account in common, and shows a
purchase, another of what is owned, a renewal, a restore on the other device, refunds, an end, and what
the publishers' examples in Python and Node make of each. Ends with 0 if everything was as it should be,
with 75 if something that is needed cannot be had here, with 1 otherwise; nothing is left running.
"""

import argparse
import http.client
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python"))

from payqueued import Client, Notification, PaymentQueueError, may_unlock  # noqa: E402

USER, STRANGER = "user-1", "user-2"
PATIENCE = 60.0


class Wrong(Exception):
    """Something is not as it should be."""


class Missing(Exception):
    """Something that is needed cannot be had on this machine."""


# This machine is reached directly, whatever stands between it and others.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def say(who: str, text: str) -> None:
    print(f"{who:<11} {text}", flush=True)


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise Wrong(f"{what}: {found!r} instead of {wanted!r}")


class Programs:
    """What was started, in order; ended backwards."""

    def __init__(self, bins: Path, place: Path) -> None:
        self.bins, self.place = bins, place
        self.running: List[subprocess.Popen[bytes]] = []

    def start(self, name: str, *arguments: str) -> Path:
        """Starts a program and returns the file that it writes its log to."""
        log = self.place / f"{name}-{len(self.running)}.log"
        with log.open("wb") as file:
            self.running.append(subprocess.Popen(
                [str(self.bins / name), *arguments, "--log-format", "json"],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            ))
        return log

    def ready(self, log: Path) -> Dict[str, Any]:
        """Waits until a program says that it is ready, and returns what it said."""
        child = self.running[-1]

        def look() -> Optional[Dict[str, Any]]:
            for line in log.read_text(errors="replace").splitlines():
                entry = json.loads(line) if line.startswith("{") else {}
                if entry.get("message") == "ready":
                    return dict(entry["metadata"])
            if child.poll() is not None:
                raise Wrong(f"{child.args} ended: {log.read_text(errors='replace')[-1000:]}")
            return None

        return until("the program is ready", look)

    def run(self, name: str, *arguments: str) -> str:
        """Runs a program to its end."""
        done = subprocess.run(
            [str(self.bins / name), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE, check=False,
        )
        expect(f"{name} {arguments[0]} ({done.stderr.strip()})", done.returncode, 0)
        return done.stdout

    def stop(self) -> List[str]:
        """Asks everything to end; what does not is ended. Returns what is to be told about that."""
        bad: List[str] = []
        for child in reversed(self.running):
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
            try:
                code = child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
                code = child.wait()
            if code != 0:
                bad.append(f"{child.args} ended with {code}")
        self.running = []
        return bad


def until(what: str, look: Callable[[], Any]) -> Any:
    """Looks again and again until there is something."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.01)
    raise Wrong(f"it never came: {what}")


class Operator:
    """A person at the page of the store: reads its forms and sends them, without any script."""

    def __init__(self, store: str) -> None:
        self.store = store

    def press(self, action: str, **fields: str) -> None:
        """Goes to the question before an action, and confirms it."""
        asked = urllib.parse.urlencode({"action": action, **fields})
        with DIRECT.open(f"{self.store}/confirm?{asked}", timeout=PATIENCE) as answer:
            page = answer.read().decode()
        token = re.search(r'name="token" value="([^"]+)"', page)
        if token is None:
            raise Wrong(f"the page does not ask before '{action}'")
        form = urllib.parse.urlencode({"token": token[1], "action": action, **fields})
        with DIRECT.open(
            self.store + "/operate", data=form.encode(), timeout=PATIENCE
        ) as answer:
            said = re.search(r'role="status"><p>([^<]+)<', answer.read().decode())
        if said is None:
            raise Wrong(f"the page did not say what became of '{action}'")
        say("operator", f"{action}: {said[1]}")


class Device:
    """A daemon, and an application that listens to it."""

    def __init__(self, name: str, programs: Programs, store: str) -> None:
        self.name = name
        socket = programs.place / f"{name.replace(' ', '-')}.sock"
        log = programs.start(
            "payqueued", "--store", store, "--socket", str(socket),
            "--state-directory", str(programs.place / name.replace(" ", "-")),
        )
        programs.ready(log)
        self.client = Client(str(socket), timeout=PATIENCE)
        self.client.call("login", {"account": "demo"})
        self.news: Iterator[Notification] = self.client.subscribe()
        self.start = int(self.client.call("transactions")["seq"])
        say(name, f"payqueued --store {store}: account demo is logged in")

    def buy(self, product: str, time: str = "first") -> Dict[str, Any]:
        """Buys for the user and waits until it is paid."""
        key = f"{self.name}-{product}-{time}"
        wanted = {"product": product, "appAccountToken": USER, "key": key}
        id = self.client.call("add", wanted)["transaction"]
        paid = self.client.call("wait", {"transaction": id, "until": ["purchased", "failed"]})
        transaction = dict(paid["transaction"])
        expect(f"purchase of {product}", transaction["transactionState"], "purchased")
        charged = transaction["charged"]
        say(self.name, f"bought {product}: order {transaction['transactionIdentifier']}, charged "
            f"{charged['amount']} {charged['currencyCode']}")
        return transaction

    def finish(self, transaction: Dict[str, Any]) -> None:
        """Says that the goods were delivered, and waits until the store knows it too."""
        self.client.call("finish", {"transaction": transaction["id"]})
        self.client.call("wait", {"transaction": transaction["id"], "until": ["removed"]})
        say(self.name, f"finished {transaction['payment']['product']['productIdentifier']}")

    def event(self, kind: str, fits: Callable[[Dict[str, Any]], Any]) -> Any:
        """Waits for an event of a kind; what the condition makes of the first that fits."""
        after = self.start
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            page = self.client.call("events", {"after": after, "kinds": [kind], "wait": 1})
            for event in page["events"]:
                found = fits(event)
                if found:
                    return found
            after = page["next"]
        raise Wrong(f"{self.name} never heard of it: {kind}")

    def close(self) -> None:
        self.client.close()


class Publisher:
    """A publisher's backend: the example of one language, asked as the application asks it."""

    def __init__(self, name: str, command: List[str], place: Path, settings: Dict[str, str]) -> None:
        self.name, self.command = name, command
        self.folder = HERE / name
        self.environment = {
            **os.environ, **settings, "GRANTS": str(place / f"grants-{name}"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def asked(self, what: str, order: str, user: str, wanted: Dict[str, Any]) -> None:
        """Asks about an order and holds the answer against what it should be."""
        done = subprocess.run(
            [*self.command, order, user], cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
        )
        expect(f"{self.name}'s publisher ({done.stderr.strip()})", done.returncode, 0)
        answer = json.loads(done.stdout)
        expect(f"{self.name}'s publisher on {what}", answer, wanted)
        is_granted = answer["granted"]
        again = "" if answer.get("new", True) else ", as before"
        say(f"{self.name}", f"{what}: "
            + (f"granted {answer['product']}{again}" if is_granted
               else f"refused, {answer['reason']}"))


def python_with_tokens() -> str:
    """A Python that has PyJWT or joserfc; they are installed from PyPI if need be."""
    folder = HERE.parent / ".build" / "python-publisher"
    made = folder / "bin" / "python"
    if importlib.util.find_spec("joserfc") is not None:
        return sys.executable
    if not has_tokens(made):
        steps = [
            [sys.executable, "-m", "venv", str(folder)],
            [str(made), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "--retries", "1", "--timeout", "15", "-r",
             str(HERE / "python" / "requirements-publisher.txt")],
        ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                raise Missing(f"PyJWT cannot be installed from PyPI: {done.stderr.strip()[-300:]}")
    return str(made)


def has_tokens(python: Path) -> bool:
    if not python.exists():
        return False
    tried = subprocess.run([str(python), "-c", "import jwt, joserfc, cryptography"],
                           capture_output=True, check=False)
    return tried.returncode == 0


def publishers(place: Path, store: str, merchant: Dict[str, str]) -> List[Publisher]:
    secret = place / "merchant-secret"
    secret.touch(mode=0o600)
    secret.write_text(merchant["secret"])
    settings = {
        "STORE": store, "MERCHANT": merchant["merchant"], "MERCHANT_KEY": merchant["kid"],
        "MERCHANT_SECRET_FILE": str(secret),
    }
    commands = {
        "python": [python_with_tokens(), "examples/publisher.py"],
        "node": ["node", "examples/publisher.js"],
    }
    return [Publisher(name, command, place, settings) for name, command in commands.items()]


def show(programs: Programs, place: Path) -> None:
    """The story, from the opening of the store to the last refusal."""
    log = programs.start(
        "payqueue-store", "--demo", "--listen", "127.0.0.1:0",
        "--state-directory", str(place / "store"),
    )
    port = re.search(r":(\d+)$", str(programs.ready(log)["address"]))
    if port is None:
        raise Wrong("the store does not say where it listens")
    store = f"http://127.0.0.1:{port[1]}"
    say("store", f"payqueue-store --demo: open at {store}")
    merchant = json.loads(programs.run(
        "payqueue-store", "merchant", "add", "A publisher", "--json",
        "--state-directory", str(place / "store")))
    say("store", f"credentials for a publisher: {merchant['merchant']}, {merchant['kid']}")
    # Publishers wait ten seconds for an answer; the first key may take longer on a busy machine.
    with DIRECT.open(store + "/.well-known/jwks.json", timeout=PATIENCE) as answer:
        key = json.loads(answer.read())["keys"][0]
    say("store", f"signs histories with {key['alg']}, key {key['kid']}")
    both = publishers(place, store, merchant)
    operator = Operator(store)
    one = Device("device 1", programs, store)

    bought = one.buy("remove-ads")
    order = bought["transactionIdentifier"]
    for new in (True, False):
        for publisher in both:
            publisher.asked("purchase", order, USER,
                            {"granted": True, "new": new, "product": "remove-ads"})
    for publisher in both:
        publisher.asked("another account's order", order, STRANGER,
                        {"granted": False, "reason": "foreign"})
    one.finish(bought)

    again = one.buy("remove-ads", "second")
    expect("second purchase of what is owned",
           (again["transactionIdentifier"], again.get("offer"), again["charged"]["amount"]),
           (order, "alreadyOwned", "0.00"))
    one.finish(again)

    coins = one.buy("coins.100")
    spoiled = coins["transactionIdentifier"]
    operator.press("refund", order=spoiled)
    refunded = one.event("transactionsUpdated", lambda event: next(
        (each for each in event["transactions"] if each.get("revocation")), None))
    expect("refund before the finish", (refunded["id"], may_unlock(refunded)),
           (coins["id"], False))
    say("device 1", f"heard that coins.100 is refunded, and unlocks nothing: order {spoiled}")
    for publisher in both:
        publisher.asked("purchase refunded at once", spoiled, USER,
                        {"granted": False, "reason": "revoked"})
    one.finish(refunded)

    first = one.buy("pro.monthly")
    one.finish(first)
    operator.press("renew", account="demo", product="pro.monthly")
    renewed = one.event("transactionsUpdated", lambda event: next(
        (each for each in event["transactions"] if each.get("reason") == "renewal"), None))
    expect("renewal's first order", renewed["originalTransactionIdentifier"],
           first["transactionIdentifier"])
    renewal = renewed["transactionIdentifier"]
    say("device 1", f"heard of the renewal: order {renewal}")
    for publisher in both:
        publisher.asked("renewal", renewal, USER,
                        {"granted": True, "new": True, "product": "pro.monthly"})
    one.finish(renewed)

    two = Device("device 2", programs, store)
    restore = two.client.call("restore", {"key": "restore"})["restore"]
    ended = two.event("restoreCompleted", lambda event: event["restore"] == restore and event)
    expect("restored purchases", ended["count"], 2)
    owned = {
        each["payment"]["product"]["productIdentifier"]: each["transactionState"]
        for each in two.client.call("transactions")["transactions"]
    }
    expect("what device 2 has restored", owned,
           {"remove-ads": "restored", "pro.monthly": "restored"})
    say("device 2", "restored remove-ads and pro.monthly")

    operator.press("refund", order=order)
    revoked = one.event(
        "entitlementsRevoked", lambda event: event if order in event["orders"] else None)
    expect("revoked orders", (revoked["orders"], revoked["products"]), ([order], ["remove-ads"]))
    say("device 1", f"heard that remove-ads is revoked: order {order}")
    for publisher in both:
        publisher.asked("refunded purchase", order, USER, {"granted": False, "reason": "revoked"})

    operator.press("end", account="demo", product="pro.monthly")
    for publisher in both:
        publisher.asked("ended subscription", renewal, USER,
                        {"granted": False, "reason": "expired"})
    for device in (one, two):
        device.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins", type=Path, default=HERE.parent / ".build" / "release",
                        help="the folder of the programs")
    bins = parser.parse_args().bins.resolve()
    # An interruption ends everything.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    place = Path(tempfile.mkdtemp(prefix="payqueue-market-"))
    programs = Programs(bins, place)
    code = 0
    try:
        if shutil.which("node") is None:
            raise Missing("node is not installed")
        show(programs, place)
        bad = programs.stop()
        if bad:
            raise Wrong("; ".join(bad))
        say("market", "closed: everything was as it should be")
    except Missing as reason:
        print(f"market: {reason}", file=sys.stderr)
        code = 75
    except KeyboardInterrupt:
        code = 130
    except (Wrong, PaymentQueueError, OSError, ValueError, LookupError,
            http.client.HTTPException, subprocess.SubprocessError) as reason:
        print(f"market: cannot go on: {reason}", file=sys.stderr)
        for log in sorted(place.glob("*.log")):
            print(f"{log.name}: {log.read_text(errors='replace')[-1500:]}", file=sys.stderr)
        code = 1
    finally:
        programs.stop()
        shutil.rmtree(place, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
