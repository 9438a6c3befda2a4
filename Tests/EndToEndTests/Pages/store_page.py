#!/usr/bin/env python3
"""Checks of the operator's pages of payqueue-store, as a person with a browser meets them."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path
from typing import Any, Callable

from browser import DESK, PHONE, Browser
from pages import Options, Server, main, private
from report import Report

# Every size and every colour; the long run tries each of one with each of the other.
LOOKS = [("phone", PHONE, "light"), ("desk", DESK, "dark")]
ALL_LOOKS = LOOKS + [("phone", PHONE, "dark"), ("desk", DESK, "light")]
# No proxy stands between this and the store.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# A picture of the documentation has this size, and fewer bytes than that.
PICTURE = (1280, 800)
PICTURE_BYTES = 150_000


class Store:
    """A store server in a folder of its own, with clients that buy and an operator who sends forms."""

    def __init__(self, options: Options, folder: Path) -> None:
        """Starts it on the state that is in the folder, if any is."""
        private(folder)
        self.server = Server(
            [options.bins / "payqueue-store", "--demo", "--listen", "127.0.0.1:0", "--log-format", "json",
             "--state-directory", folder / "store"], folder / "store.log")
        ready = self.server.wait('"ready"')
        found = re.search(r":(\d+)\"", ready)
        assert found, ready
        self.address = f"http://127.0.0.1:{found[1]}"
        self.sessions: dict[str, str] = {}

    def stop(self) -> None:
        """Ends it."""
        self.server.stop()

    def ask(self, method: str, path: str, body: Any = None, account: str | None = None) -> Any:
        """Asks the Store API, on behalf of an account if one is named."""
        headers = {"content-type": "application/json"}
        if account:
            headers["authorization"] = f"Bearer {self.session(account)}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + "/store-api/v1" + path, data, headers, method=method)
        with DIRECT.open(request, timeout=60) as answer:
            return json.load(answer)

    def session(self, account: str) -> str:
        """The token of a session, which is opened the first time."""
        if account not in self.sessions:
            grant = self.ask("POST", "/sessions", {"account": account})
            self.sessions[account] = grant["accessToken"]
        return self.sessions[account]

    def buy(self, product: str, account: str = "demo", token: str | None = None) -> str:
        """Places an order and returns its name, or what became of it instead."""
        country = {"demo": "DE", "alice": "US", "bob": "FR"}[account]
        sold = self.ask("GET", f"/products?country={country}", account=account)["products"]
        price = next(p for p in sold if p["productIdentifier"] == product)["price"]
        body: dict[str, Any] = {"product": product, "price": price, "country": country}
        if token:
            body["appAccountToken"] = token
        answer = self.ask("PUT", f"/orders/{uuid7()}", body, account)
        return str(answer.get("order", answer["outcome"]))

    def get(self, path: str) -> str:
        """A page as it is sent."""
        with DIRECT.open(self.address + path, timeout=120) as answer:
            return str(answer.read().decode())

    def operate(self, action: str, **fields: str) -> str:
        """Confirms an action and returns the page that follows."""
        asked = urllib.parse.urlencode({"action": action, **fields})
        token = re.search(r'name="token" value="([^"]+)"', self.get(f"/confirm?{asked}"))
        assert token, action
        form = urllib.parse.urlencode({"token": token[1], "action": action, **fields})
        with DIRECT.open(self.address + "/operate", form.encode(), timeout=60) as answer:
            return str(answer.read().decode())


def uuid7() -> str:
    """A name for a transaction."""
    value = (time.time_ns() // 1_000_000) << 80 | uuid.uuid4().int & ((1 << 80) - 1)
    return str(uuid.UUID(int=value & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62))


def fill(store: Store) -> dict[str, str]:
    """Sells something of each kind, so that every view has something to show; returns orders by a word."""
    orders = {}
    for number in range(24):
        orders["coins"] = store.buy("coins.100", ["demo", "alice", "bob"][number % 3], f"player-{number}")
    store.buy("pro.monthly", "demo", "player-1")
    for _ in range(3):
        store.operate("renew", account="demo", product="pro.monthly")
    orders["ads"] = store.buy("remove-ads", "demo")
    orders["refunded"] = store.buy("season.pass", "demo")
    store.operate("refund", order=orders["refunded"])
    store.buy("pro.monthly", "bob")
    store.operate("renew", account="bob", product="pro.monthly")
    store.operate("switchOn", setting="failRenewals")
    store.operate("renew", account="bob", product="pro.monthly")
    store.operate("switchOff", setting="failRenewals")
    store.operate("switchOn", setting="interruptPurchases")
    store.buy("coins.100", "alice")
    store.operate("switchOff", setting="interruptPurchases")
    store.operate("switchOn", setting="askToBuy")
    orders["waiting"] = store.buy("remove-ads", "alice", "<b>&\"'player")
    orders["waiting too"] = store.buy("remove-ads", "bob")
    store.operate("switchOff", setting="askToBuy")
    return orders


def views(orders: dict[str, str]) -> dict[str, str]:
    """The pages that there are, by a word."""
    paths = {
        "overview": "/", "orders": "/orders", "search": "/orders?q=player", "nothing found": "/orders?q=zzz",
        "accounts": "/accounts", "account": "/account?account=demo", "subscriptions": "/subscriptions",
        "settings": "/settings", "an error": "/orders/nothing",
        "a purchase": "/confirm?action=buy&account=demo&product=coins.100",
    }
    if "ads" in orders:
        paths["order"] = f"/orders/{orders['ads']}"
        paths["question"] = f"/confirm?action=refund&order={orders['ads']}"
    return paths


def look(report: Report, browser: Browser, store: Store, options: Options, orders: dict[str, str],
         title: str) -> None:
    """Opens every page in every size and colour, and judges it."""
    for size, box, scheme in ALL_LOOKS if options.counts else LOOKS:
        browser.look(box, scheme)
        wide, small, wrong, said = [], [], [], []
        for word, path in views(orders).items():
            browser.open(store.address + path)
            wide += [f"{word}: {line}" for line in browser.overflowing()]
            small += [f"{word}: {line}" for line in browser.small_targets()]
            said += [f"{word}: {line}" for line in browser.complaints() if "404" not in line]
            if options.axe:
                wrong += [f"{word}: {line}" for line in browser.violations(options.axe)]
        name = f"{title}, {size}, {scheme}"
        report.check(f"{name}: nothing stands out at the side", not wide, "\n".join(wide))
        report.check(f"{name}: everything is large enough for a finger", not small, "\n".join(small))
        report.check(f"{name}: the browser does not complain", not said, "\n".join(said))
        if options.axe:
            report.check(f"{name}: axe-core finds nothing", not wrong, "\n".join(wrong))
    if not options.axe:
        report.skip(f"{title}: axe-core", "it is not installed")


def act(report: Report, browser: Browser, store: Store, orders: dict[str, str]) -> None:
    """Does what an operator does, on a phone: finds, decides, refunds, undoes."""
    browser.look(PHONE)
    browser.open(store.address + "/")
    first = browser.texts("#action tbody tr")[0]
    report.check("what needs action comes first, with its buttons", "Approve" in first and "Decline" in first, first)
    visible = browser.script(
        "const r = [...document.querySelectorAll('#action a.button')].map(e => e.getBoundingClientRect());"
        "return r.every(b => b.left >= 0 && b.right <= innerWidth)")
    report.check("no button is off the screen", visible)
    browser.click(f"#action a[href*='action=approve&order={orders['waiting']}']")
    browser.wait("What happens")
    report.check("the question names the order", orders["waiting"][:8] in browser.text("h1"), browser.text("h1"))
    browser.click("main button", "Approve")
    browser.wait("The order was approved.", "[role=status]")
    report.check("the order's page follows", orders["waiting"] in browser.address, browser.address)
    browser.click(".skip + header .brand")
    browser.wait("Needs action")
    report.check("what was decided is gone from there", orders["waiting"] not in store.get("/").split("newest-title")[0])
    browser.type("#search", orders["ads"][:13])
    browser.press("Enter")
    browser.wait("1 order matches")
    browser.click("tbody a", orders["ads"][:8])
    browser.wait("Timeline")
    browser.click("main a[href*='action=refund']")
    browser.wait("This cannot be undone.")
    browser.click("main a", "Cancel")
    browser.wait("Timeline")
    report.check("cancelling leaves the order as it is", "paid" in browser.text(".title"), browser.text(".title"))
    browser.open(store.address + f"/confirm?action=refund&order={orders['ads']}")
    browser.click("main button.danger")
    browser.wait("The order was refunded.", "[role=status]")
    browser.open(store.address + "/account?account=demo")
    browser.click("main a[href*='action=renewOff']")
    browser.click("main button", "Turn renewal off")
    browser.wait("The subscription ends with its period.", "[role=status]")
    browser.click("[role=status] button", "Undo")
    browser.wait("The subscription renews itself again.", "[role=status]")
    report.check("an undone action is undone", "renews on" in browser.text("#content"))
    change_values(report, browser, store)


def change_values(report: Report, browser: Browser, store: Store) -> None:
    """Changes the time rate, the delay and a simulated error, and takes that back."""
    browser.open(store.address + "/settings")
    browser.choose("#value-timeRate", "5 minutes")
    browser.click("form:has(#value-timeRate) button")
    browser.wait("What happens")
    report.check("the question says what was and what will be", all(
        word in browser.text("dl") for word in ("a real month", "5 minutes")), browser.text("dl"))
    browser.click("main a", "Cancel")
    browser.wait("Subscriptions renew in real time.", "table")
    for field, value, done, undone in [
        ("timeRate", "5 minutes", "A month of a subscription lasts 5 minutes.", "Subscriptions renew in real time."),
        ("error-history", "internal error", "The store answers requests for the signed history with the error",
         "No error of requests for the signed history is simulated."),
    ]:
        browser.choose(f"#value-{field}", value)
        browser.click(f"form:has(#value-{field}) button")
        browser.click("main button.main")
        browser.wait(done, "[role=status]")
        browser.click("[role=status] button", "Undo")
        browser.wait(undone, "[role=status]")
    browser.type("#value-latencyMs", "600001")
    browser.press("Enter")
    report.check("a delay that is too long is not sent", browser.address.split("?")[0].endswith("/settings"),
                 browser.address)
    browser.type("#value-latencyMs", "1")
    browser.press("Enter")
    browser.wait("What happens")
    browser.click("main button.main")
    browser.wait("The store delays every answer by 1 ms.", "[role=status]")
    report.check("the overview warns of it", "delays every answer" in store.get("/"))
    browser.click("[role=status] button", "Undo")
    browser.wait("The store answers at once.", "[role=status]")
    report.check("and no longer when it is undone", "delays every answer" not in store.get("/"))


def keys(report: Report, browser: Browser, store: Store, orders: dict[str, str]) -> None:
    """Does the same without a mouse."""
    browser.look(DESK)
    browser.open(store.address + "/")
    browser.press("Tab")
    report.same("the first key leads past the navigation", browser.focus(), "Skip to content")
    browser.press("Enter")
    report.check("it does", browser.address.endswith("#content"), browser.address)
    for _ in range(40):
        browser.press("Tab")
        if browser.script("return document.activeElement.getAttribute('href') ?? ''").startswith("/confirm"):
            break
    shown = browser.script("const s = getComputedStyle(document.activeElement); return s.outlineStyle")
    report.same("the focus is seen", shown, "solid")
    browser.press("Enter")
    browser.wait("What happens")
    for _ in range(40):
        browser.press("Tab")
        if browser.script("return document.activeElement.matches('main button')"):
            break
    browser.press("Enter")
    browser.wait("The order was approved.", "[role=status]")
    report.check("an order is approved by keys alone", orders["waiting too"] in browser.address, browser.address)


def pictures(report: Report, browser: Browser, folder: Path, store: Store, empty: Store) -> None:
    """Takes the pictures of the documentation."""
    for name, where, path, box, scheme in [
        ("empty", empty, "/", PICTURE, "light"), ("busy", store, "/", PICTURE, "light"),
        ("phone", store, "/", PHONE, "light"), ("settings", store, "/settings", (1280, 1100), "light"),
        ("dark", store, "/account?account=demo", (1280, 880), "dark"),
    ]:
        browser.look(box, scheme)
        browser.open(where.address + path)
        size = browser.screenshot(folder / f"store-page-{name}.png")
        report.check(f"the picture '{name}' is small enough", size < PICTURE_BYTES, size)


def measure(report: Report, store: Store, count: int) -> None:
    """Says how long the pages of a store with many orders take, and whether others wait meanwhile."""
    for word, path in {
        "overview": "/", "list of orders": "/orders", "search that finds nothing": "/orders?q=zzz",
        "search by order": "/orders?q=00000000-0000", "filter by state": "/orders?state=refunded",
        "list of accounts": "/accounts", "account with all of them": "/account?account=demo",
    }.items():
        report.note(f"{count} orders, {word}: {fastest(lambda: store.get(path)) * 1000:.0f} ms")
    alone = slowest(store, lambda: time.sleep(0.2))
    beside = slowest(store, lambda: store.get("/orders?q=zzz"))
    report.note(f"{count} orders: the slowest of the calls beside a search took {beside * 1000:.0f} ms, "
                f"alone {alone * 1000:.0f} ms")


def fastest(body: Callable[[], object]) -> float:
    """The shortest of three times."""
    times = []
    for _ in range(3):
        began = time.monotonic()
        body()
        times.append(time.monotonic() - began)
    return min(times)


def slowest(store: Store, body: Callable[[], object]) -> float:
    """The longest time of a client's call while something else is done."""
    other = threading.Thread(target=body)
    times = [0.0]
    store.session("demo")
    other.start()
    while other.is_alive():
        began = time.monotonic()
        store.ask("GET", "/account", account="demo")
        times.append(time.monotonic() - began)
    other.join()
    return max(times)


def pages_of(store: Store) -> int:
    """How many orders the list leads through, page by page."""
    (path, count) = ("/orders?account=demo", 0)
    while path:
        page = store.get(path)
        count += page.count("<tr role=\"row\"><td")
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = older[1].replace("&amp;", "&") if older and count < 1000 else ""
    return count


def check(report: Report, options: Options) -> None:
    """Checks an empty store, a busy one with a past if it was given one, and those of the given sizes."""
    empty = Store(options, options.folder / "empty")
    store = Store(options, (options.states or options.folder) / "busy")
    try:
        with Browser(private(options.folder / "window")) as browser:
            report.part("empty", lambda: look(report, browser, empty, options, {}, "no orders"))
            orders = fill(store)
            if options.pictures:
                folder = options.pictures
                report.part("pictures", lambda: pictures(report, browser, folder, store, empty))
            report.part("busy", lambda: look(report, browser, store, options, orders, "busy"))
            report.part("actions", lambda: act(report, browser, store, orders))
            report.part("keys", lambda: keys(report, browser, store, orders))
            for count in options.counts:
                report.part(f"{count} orders", lambda: many(report, browser, options, count))
    finally:
        store.stop()
        empty.stop()


def many(report: Report, browser: Browser, options: Options, count: int) -> None:
    """Checks a store whose state with so many orders was put into the folder of that name."""
    assert options.states
    store = Store(options, options.states / str(count))
    try:
        report.same(f"{count} orders: the list leads through them", pages_of(store), min(count, 1000))
        measure(report, store, count)
        orders = fill(store)
        look(report, browser, store, options, orders, f"{count} orders")
    finally:
        store.stop()


if __name__ == "__main__":
    main(check)
