#!/usr/bin/env python3
"""Checks of `payqueuectl page` in a real browser, on a real daemon with its sandbox."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

from browser import DESK, PHONE, Browser, eventually
from pages import Daemon, Failed, Line, Options, Server, main, private
from report import Report

TOKEN = "tester@example.org"


class Page:
    """`payqueuectl page`, and the address that it printed."""

    def __init__(self, options: Options, folder: Path, daemon: Daemon, *flags: str) -> None:
        """Starts it."""
        number = len(list(folder.glob("page-*.log")))
        self.server = Server([options.bins / "payqueuectl", "page", "--socket", daemon.socket, *flags],
                             folder / f"page-{number}.log")
        self.address = self.server.wait("http://")
        self.port = int(self.address.split(":")[2].split("/")[0])

    def stop(self, number: int = signal.SIGINT) -> int:
        """Ends it as Ctrl-C does and returns its exit status."""
        return self.server.stop(number)


def buy(daemon: Daemon, count: int, product: str = "coins.100", token: str | None = None) -> list[str]:
    """Makes purchases and returns their ids."""
    extra = {"appAccountToken": token} if token else {}
    answers = daemon.calls([("add", {"product": product, **extra}) for _ in range(count)])
    return [answer["result"]["transaction"] for answer in answers]


def settle(daemon: Daemon, identifiers: list[str]) -> None:
    """Lets purchases end: somebody observes for as long as that takes."""
    with Line(daemon.socket) as line:
        line.call("subscribe", after="now")
        for identifier in identifiers:
            answer = line.call("wait", transaction=identifier, timeout=30)
            if not answer["result"]["reached"]:
                raise Failed(f"{identifier} does not settle")


def fill(daemon: Daemon, count: int) -> str | None:
    """Puts purchases into the queue that nobody observes and returns the id of the last."""
    last = None
    with Line(daemon.socket) as line:
        for first in range(0, count, 100):
            calls = [{"jsonrpc": "2.0", "id": number, "method": "add", "params": {
                "product": "coins.100", "appAccountToken": f"user-{number}" if number < count - 1 else "needle"}}
                for number in range(first, min(count, first + 100))]
            line.write([json.dumps(calls)])
            last = line.batch()[-1]["result"]["transaction"]
    return last


class Checks:
    """All that people do with the page."""

    def __init__(self, report: Report, options: Options) -> None:
        """Nothing runs yet."""
        self.report = report
        self.options = options
        self.folder = private(options.folder)
        self.complaints: list[str] = []
        self.daemon = Daemon(options, private(self.folder / "daemon"), "--demo")
        self.page = Page(options, self.folder, self.daemon)
        self.browser = Browser(self.folder)

    def run(self) -> None:
        """Goes over everything, in an order in which the queue fills."""
        with self.browser:
            for title, body in [
                ("an empty queue", self.empty), ("what waits", self.waiting), ("live events", self.live),
                ("questions", self.questions), ("the list", self.listing), ("a story", self.story),
                ("the sandbox", self.sandbox), ("the keyboard", self.keyboard), ("a hidden tab", self.hidden),
                ("a restart", self.restart), ("read-only", self.read_only), ("the look", self.appearance),
                ("crowds", self.crowds), ("the end", self.end),
            ]:
                self.report.part(title, body)

    def empty(self) -> None:
        """The first look at a queue without anything in it."""
        browser = self.browser
        browser.open(self.page.address)
        browser.wait("Nothing waits: every transaction is finished.")
        self.report.check("the token leaves the address", "token" not in browser.address, browser.address)
        browser.reload()
        browser.wait("Nothing waits")
        self.report.check("it says that there are no observers", "No observers." in browser.text("main"))
        self.report.same("the daemon runs", browser.text("#state"), "running")
        self.judge("empty queue")
        self.picture("queue-page-empty")
        browser.click("nav a", "Transactions")
        browser.wait("The queue is empty.")
        self.judge("empty list")

    def waiting(self) -> None:
        """Purchases that wait for an observer, and how the page says so."""
        browser = self.browser
        browser.click("nav a", "Queue")
        bought = buy(self.daemon, 3, token=TOKEN)
        browser.wait("purchases wait for an observer")
        text = browser.text(".waits")
        self.report.check("it counts them and says what to do", text.startswith("3") and "subscribe" in text, text)
        self.report.check("the oldest leads to its story", browser.script(
            "return [...document.querySelectorAll('main p a')].some(a => a.hash === '#/t/' + arguments[0])", bought[0]))
        browser.click(".waits a")
        browser.wait("3 shown")
        self.report.same("the list shows what waits for that", browser.count("tbody tr"), 3)
        browser.click("nav a", "Queue")
        settle(self.daemon, bought)
        browser.wait("settled and not finished")

    def live(self) -> None:
        """Events appear without a click, and a purchase under way moves on the page."""
        browser = self.browser
        browser.wait("purchased", ".feed")
        self.report.check("events were shown as they came", "waits for an observer" in browser.text(".feed"))
        bought = buy(self.daemon, 1, "remove-ads")
        browser.wait("remove-ads", ".feed")
        settle(self.daemon, bought)
        eventually("the purchase is shown", lambda: any(
            "remove-ads" in line and "purchased" in line for line in browser.texts(".feed li")))
        with Line(self.daemon.socket) as line:
            line.call("hello", client={"name": "fulfilment"})
            line.call("subscribe", after="now", name="goods")
            browser.wait("goods", "table")
        self.report.check("an observer is listed", True)

    def questions(self) -> None:
        """A question is answered on the page."""
        browser = self.browser
        self.daemon.call("delegate", mode="ask", timeout=300)
        bought = buy(self.daemon, 1)
        self.daemon.call("test.set", storefront="GB")
        with Line(self.daemon.socket) as line:
            line.call("subscribe", after="now")
            browser.wait("Open questions (1)")
            self.report.check("what waits for an answer counts as purchasing", "1\npurchasing" in browser.texts(".tiles a"),
                              browser.texts(".tiles a"))
            self.judge("open question")
            browser.click("#questions button", "Continue")
            browser.wait_gone("Open questions")
        settle(self.daemon, bought)
        self.report.check("an answer on the page moves the purchase on", True)
        self.daemon.call("test.set", storefront="DE")
        self.daemon.call("delegate", mode="continue")

    def listing(self) -> None:
        """The list finds by product, token, id and state, and finishes."""
        browser, report = self.browser, self.report
        browser.click("nav a", "Transactions")
        browser.wait("5 shown")
        self.judge("list")
        browser.type("#search", "remove")
        browser.wait("1 shown")
        report.same("it finds by product", browser.texts("tbody td:first-child"), ["remove-ads"])
        browser.type("#search", TOKEN[:6])
        browser.wait("3 shown")
        browser.type("#search", "nothing like it")
        browser.wait("Nothing found.")
        identifier = self.first()
        browser.type("#search", identifier[:7])
        browser.wait("1 shown")
        browser.reload()
        browser.wait("1 shown")
        report.check("a search survives a reload", identifier[:7] in browser.address, browser.address)
        browser.type("#search", identifier)
        browser.wait("Timeline")
        report.check("a whole id leads to its story", browser.address.endswith("#/t/" + identifier))
        browser.click("nav a", "Transactions")
        browser.choose(".search select", "failed")
        browser.wait("Nothing found.")
        browser.choose(".search select", "purchased")
        browser.wait("5 shown")
        browser.click("tbody button", "Finish")
        browser.wait("goods are delivered", "dialog")
        self.judge("question before a finish")
        browser.click("dialog button", "Cancel")
        report.same("nothing is finished when a person backs out",
                    self.daemon.call("status")["queue"]["byState"]["purchased"], 5)
        browser.click("tbody button", "Finish")
        browser.click("dialog button", "Finish")
        browser.wait("Finished.", "#toasts")
        browser.wait("4 shown")
        report.same("it is finished", self.daemon.call("status")["queue"]["unfinished"], 4)
        browser.choose(".search select", "finished")
        browser.wait("1 shown")

    def story(self) -> None:
        """The story of a finished transaction, and of one that waits for an approval."""
        browser, report = self.browser, self.report
        browser.click("tbody a.row")
        browser.wait("it left the queue", ".timeline")
        lines = browser.texts(".timeline b")
        report.check("the story is told in order", lines[:1] == ["Accepted"] and "Purchased" in lines
                     and lines[-1].endswith("it left the queue"), lines)
        report.check("it says by whom, when and in which record", all(
            word in browser.text(".timeline") for word in ["by payqueuectl page (user ", "record ", "later"]),
                     browser.text(".timeline"))
        report.same("what is finished has no buttons to finish it", browser.count("main button[aria-label^=Finish]"), 0)
        self.judge("story")
        self.picture("queue-page-story")
        self.daemon.call("test.set", askToBuyEnabled=True)
        [asked] = buy(self.daemon, 1, "season.pass")
        with Line(self.daemon.socket) as line:
            line.call("subscribe", after="now")
            browser.open(self.address("#/t/" + asked))
            browser.wait("Waits for an approval")
            browser.click("main button", "Approve")
            browser.wait("Purchased", ".timeline")
            browser.wait("Sent to user ", ".timeline")
            report.same("an observer that has it is the last step", browser.texts(".timeline b")[-1], "Delivered")
        browser.wait("It was sent to none of the observers that are connected.", ".timeline")
        with Line(self.daemon.socket) as line:
            line.call("subscribe", after="now", name="goods")
            line.call("ack", name="goods", seq=self.daemon.call("status")["log"]["head"])
            browser.wait("Sent to goods. Acknowledged by goods.", ".timeline")
        with Line(self.daemon.socket) as line:
            line.call("subscribe", after="now", products=["coins.100"])
            browser.wait("none of the observers that are connected. Acknowledged by goods.", ".timeline")
            line.call("ack", name="goods", forget=True)
        report.check("the step says who has it and who acknowledged it", True)
        report.check("an approval is in the story", "Waits for an approval" in browser.text(".timeline"),
                     browser.text(".timeline"))
        browser.open(self.address("#/t/00000000-0000-4000-8000-000000000000"))
        browser.wait("There is no transaction 00000000")

    def sandbox(self) -> None:
        """The controls of the embedded store."""
        browser, report, daemon = self.browser, self.report, self.daemon
        browser.click("nav a", "Sandbox")
        browser.wait("Behaviour")
        browser.wait("Oldest first.")
        self.judge("sandbox")
        self.picture("queue-page-sandbox")
        report.check("a setting is shown as it is", browser.script(
            "return document.querySelector('label.check input').checked"))
        browser.click("label.check", "Purchases wait for an approval (Ask to Buy)")
        browser.wait("Set.", "#toasts")
        report.same("a setting is changed", daemon.call("test.get")["askToBuyEnabled"], False)
        self.pick("A month of a subscription lasts", "2 seconds")
        eventually("the rate is set", lambda: daemon.call("test.get")["timeRate"] == {"monthSeconds": 2})
        self.pick("A month of a subscription lasts", "real time")
        eventually("the rate is set back", lambda: daemon.call("test.get")["timeRate"] == 0)
        self.pick("Error of purchase", "internal error")
        eventually("an error is simulated", lambda: daemon.call("test.get")["simulatedErrors"]["purchase"] == "internalError")
        browser.click("button", "Reset all settings")
        browser.click("dialog button", "Reset all settings")
        eventually("it is reset", lambda: daemon.call("test.get")["simulatedErrors"]["purchase"] is None)
        browser.click("label.check", "The store does not answer")
        eventually("the store is away", lambda: daemon.call("test.get")["storeDown"])
        browser.reload()
        browser.wait("The store does not answer", "label.check")
        browser.click("label.check", "The store does not answer")
        eventually("the store is back", lambda: not daemon.call("test.get")["storeDown"])
        browser.reload()
        browser.wait("Buy in the queue")
        browser.wait("Reset all settings")
        self.pick("Product", "Pro, monthly, 9.99 EUR")
        with Line(daemon.socket) as line:
            line.call("subscribe", after="now")
            browser.click("button", "Buy in the queue")
            browser.wait("Accepted by the queue.", "#toasts")
            eventually("it is bought", lambda: self.orders("pro.monthly", "purchased"))
            browser.click("button[aria-label^='Renew: Pro, monthly']")
            eventually("it is renewed", lambda: len(self.orders("pro.monthly", "purchased")) == 2)
            browser.click("button[aria-label^='Price increase, consent: Pro, monthly']")
            browser.wait("Raised, with consent.", "#toasts")
            browser.click("button[aria-label^='Auto-renew off: Pro, monthly']")
            browser.wait("It ends with its period.", "#toasts")
            browser.click("button[aria-label^='Expire: Pro, monthly']")
            browser.click("dialog button", "Expire")
            browser.wait("Ended.", "#toasts")
            self.pick("Product", "100 coins, 1.99 EUR")
            browser.click("button", "Buy elsewhere")
            browser.wait("it arrives by itself", "#toasts")
            day = daemon.call("test.clock.get")["now"][:10]
            browser.click("button", "1 week")
            browser.click("dialog button", "1 week")
            eventually("the clock went on", lambda: daemon.call("test.clock.get")["now"][:10] > day)
            browser.click("button[aria-label^='Refund remove-ads']")
            self.judge("question before a refund")
            browser.press("Escape")
            report.same("Escape refunds nothing", len(self.orders("remove-ads", "refunded")), 0)
            browser.click("button[aria-label^='Refund remove-ads']")
            browser.click("dialog button", "Refund")
            eventually("it is refunded", lambda: self.orders("remove-ads", "refunded"))
            browser.wait("refunded", "table.rows")
            browser.click("button[aria-label^='Delete remove-ads']")
            browser.click("dialog button", "Delete")
            eventually("it is deleted", lambda: not self.orders("remove-ads", "refunded"))
        report.check("buy, renew, price, auto-renew, expire, clock, refund and delete work", True)

    def keyboard(self) -> None:
        """Everything is within reach without a mouse."""
        browser, report = self.browser, self.report
        browser.open(self.address("#/"))
        browser.reload()
        browser.wait("settled and not finished")
        browser.script("document.activeElement.blur()")
        browser.press("/")
        eventually("the search has the focus", lambda: browser.focus() == "search")
        browser.press("c", "o", "i")
        eventually("the search begins", lambda: "q=coi" in browser.address)
        browser.wait(" shown. Oldest first.")
        browser.press("ArrowDown")
        first = browser.script("return document.activeElement.hash")
        browser.press("j")
        second = browser.script("return document.activeElement.hash")
        browser.press("k")
        report.check("arrows, j and k move from row to row",
                     first.startswith("#/t/") and second.startswith("#/t/") and first != second
                     and browser.script("return document.activeElement.hash") == first, (first, second))
        browser.press("Enter")
        browser.wait("Timeline")
        report.check("Enter opens", browser.address.endswith(first))
        browser.press("Escape")
        browser.wait("Search")
        browser.press("Escape")
        eventually("Escape goes back to the queue", lambda: browser.address.endswith("#/"))
        browser.script("document.activeElement.blur(); scrollTo(0, 0)")
        browser.reload()
        browser.wait("settled and not finished")
        browser.script("document.activeElement.blur()")
        browser.press("Tab")
        report.same("the first stop skips to the content", browser.focus(), "Skip to content")
        report.check("the focus is seen", browser.script(
            "return getComputedStyle(document.activeElement).outlineStyle") == "solid")
        browser.press("Enter")
        report.same("and does so", browser.focus(), "main")

    def hidden(self) -> None:
        """A tab in the background asks for nothing and catches up."""
        browser, report = self.browser, self.report
        browser.hide(True)
        time.sleep(0.5)
        asked = self.requests()
        buy(self.daemon, 1, "coins.100", "while hidden")
        time.sleep(4.5)
        report.same("a hidden tab asks for nothing", self.requests() - asked, 0)
        browser.hide(False)
        browser.wait("waits for an observer", ".waits")
        report.check("it catches up when it is shown", "coins.100" in browser.texts(".feed li")[0])
        settle(self.daemon, [t["id"] for t in self.daemon.call("transactions", states=["purchasing"])["transactions"]])

    def restart(self) -> None:
        """The daemon restarts, and the page goes on."""
        browser, report = self.browser, self.report
        browser.script("window.same = true")
        self.daemon.stop(signal.SIGKILL)
        browser.wait("Trying again.", "#alerts")
        report.same("it says that it is not connected", browser.text("#state"), "not connected")
        self.judge("daemon away")
        self.daemon.start()
        browser.wait("running", "#state")
        browser.wait_gone("Trying again.", "#alerts")
        buy(self.daemon, 1, "coins.100", "after the restart")
        browser.wait("purchase waits for an observer")
        eventually("its events are shown", lambda: "coins.100" in browser.texts(".feed li")[0])
        report.check("it goes on without a reload", browser.script("return window.same === true"))
        # A browser notes each answer that says that the daemon is away.
        self.complaints += [line for line in browser.complaints() if "503" not in line]

    def read_only(self) -> None:
        """Nothing can be done on a page that is read-only."""
        browser, report = self.browser, self.report
        page = Page(self.options, self.folder, self.daemon, "--read-only")
        browser.open(page.address)
        browser.wait("read-only", "header")
        found = []
        for view in ["#/list", "#/t/" + self.first(), "#/store"]:
            browser.open(page.address.split("?")[0] + view)
            browser.wait({"#/l": "shown", "#/t": "Timeline", "#/s": "Oldest first."}[view[:3]])
            found += browser.script("""return [...document.querySelectorAll('main button, main input, main select')]
                .filter(e => e.checkVisibility() && !e.disabled && !e.closest('.search')).map(e => e.innerText)""")
        report.same("no action is shown", [name for name in found if name not in ("More", "Back", "Show more")], [])
        said = browser.script("""return call('finish', {transaction: 'x'}).then(() => 'done', e => e.message)""")
        report.same("and none is taken", said, "This page is read-only.")
        self.complaints += [line for line in browser.complaints() if "403" not in line]
        report.same("Ctrl-C ends it", page.stop(), 0)

    def appearance(self) -> None:
        """Nothing stands out, is too small or too pale, in any size and colour; pictures of it."""
        browser = self.browser
        settle(self.daemon, [t["id"] for t in self.daemon.call("transactions", states=["purchasing"])["transactions"]])
        buy(self.daemon, 4, token=TOKEN)
        browser.open(self.address("#/"))
        browser.reload()
        browser.wait("purchases wait for an observer")
        self.judge("busy queue", every=True)
        browser.look(DESK, "light")
        if self.options.pictures:
            self.work()
        self.picture("queue-page-busy")
        browser.look(DESK, "dark")
        self.picture("queue-page-dark")
        browser.look(PHONE, "light")
        browser.script("scrollTo(0, 0)")
        self.picture("queue-page-phone")
        for view, text in [("#/list", "shown"), ("#/t/" + self.first(), "Accepted"), ("#/store", "Oldest first.")]:
            browser.look(DESK)
            browser.open(self.address(view))
            browser.wait(text)
            self.judge(view.split("/")[1], every=True)

    def end(self) -> None:
        """Nothing came from elsewhere, nothing complained, and Ctrl-C ends it."""
        browser, report = self.browser, self.report
        browser.open(self.address("#/"))
        browser.reload()
        browser.wait("Journal and disk")
        names = browser.script("return performance.getEntriesByType('resource').map(e => new URL(e.name).host)")
        report.check("everything comes from its own server", set(names) <= {f"127.0.0.1:{self.page.port}"}, names)
        # The pages that were ended are no longer there to be called, and their streams were cut.
        ended = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING")
        self.complaints += [line for line in browser.complaints() if not any(word in line for word in ended)]
        report.same("the browser never complained", self.complaints, [])
        report.same("Ctrl-C ends it", self.page.stop(), 0)
        browser.wait("This page's server has ended.", "#alerts")
        report.same("the daemon ends in order", self.daemon.stop(), 0)

    def crowds(self) -> None:
        """The page stays quick however much is in the queue: it reads a page at a time."""
        for count in self.options.counts:
            self.report.part(f"{count} transactions", lambda: self.crowd(count))

    def crowd(self, count: int) -> None:
        """Everything on a queue of its own with so many transactions."""
        browser, report = self.browser, self.report
        folder = private(self.folder / f"crowd-{count}")
        daemon = Daemon(self.options, folder, "--demo")
        last = fill(daemon, count)
        page = Page(self.options, folder, daemon)

        def took(what: str, began: float) -> None:
            report.note(f"{count} transactions, {what}: {time.monotonic() - began:.2f} s")
        try:
            began = time.monotonic()
            browser.open(page.address)
            browser.wait("purchases wait for an observer" if count else "Nothing waits")
            took("the first look", began)
            report.same(f"{count} are counted", browser.texts(".tiles b")[0], f"{count:,}")
            self.judge(f"{count} in the queue", every=True)
            began = time.monotonic()
            browser.click("nav a", "Transactions")
            browser.wait("shown" if count else "The queue is empty.")
            took("the list", began)
            self.judge(f"list of {count}", every=True)
            report.same("a page is shown, not all", browser.count("tbody tr"), min(50, count))
            if last:
                if count > 50:
                    browser.click("button", "Show more")
                    browser.wait("100 shown")
                began = time.monotonic()
                browser.type("#search", "needle")
                browser.wait("1 shown", seconds=300)
                took("a search that finds the last one by its token", began)
                began = time.monotonic()
                browser.type("#search", "nothing like it")
                browser.wait("Nothing found.", seconds=300)
                took("a search that finds nothing", began)
                began = time.monotonic()
                browser.type("#search", last[:13])
                browser.wait("1 shown", seconds=300)
                took("a search that finds the last one by the beginning of its id", began)
                report.same("it is that one", browser.script(
                    "return document.querySelector('tbody tr').dataset.id"), last)
                began = time.monotonic()
                browser.open(page.address.split("?")[0] + "#/t/" + last)
                browser.wait("waits for an observer; by", ".timeline")
                took("the story of the last one", began)
            with Line(daemon.socket) as line:
                line.call("subscribe", after="now", passive=True)
                asked = self.requests(daemon)
                time.sleep(5)
                report.check("it asks no more than it has to", self.requests(daemon) - asked <= 4,
                             self.requests(daemon) - asked)
        finally:
            report.same("Ctrl-C ends it", page.stop(), 0)
            daemon.stop()

    # Support.

    def work(self) -> None:
        """Some seconds of ordinary work, for a picture in which something moves."""
        with Line(self.daemon.socket) as line:
            line.call("hello", client={"name": "fulfilment"})
            line.call("subscribe", after="now", name="goods")
            for number in range(50):
                bought = buy(self.daemon, 1 + number % 5 * 2, ["coins.100", "season.pass"][number % 2], TOKEN)
                if number % 3 == 0:
                    settle(self.daemon, bought)
                    line.calls([("finish", {"transaction": identifier}) for identifier in bought])
                time.sleep(0.3)
            self.daemon.call("test.set", askToBuyEnabled=True)
            buy(self.daemon, 2, "season.pass", TOKEN)
            self.daemon.call("test.set", askToBuyEnabled=False, failTransactionsEnabled=True)
            settle(self.daemon, buy(self.daemon, 1, token=TOKEN))
            self.daemon.call("test.reset")
            self.browser.wait("purchases wait for an approval")

    def judge(self, what: str, every: bool = False) -> None:
        """Looks at what is shown now: at a phone and a desk, and with `every` in both colours."""
        browser, report = self.browser, self.report
        for size in (PHONE, DESK):
            for scheme in ("light", "dark") if every else ("light",):
                browser.look(size, scheme)
                name = f"{what}, {size[0]} px, {scheme}"
                wide = browser.overflowing()
                small = browser.small_targets()
                wrong = browser.violations(self.options.axe) if self.options.axe else []
                report.check(f"{name}: fits, can be pressed, read and heard", not wide + small + wrong,
                             wide + small + wrong)
        if not self.options.axe:
            report.skip(f"{what}: axe-core", "it is not installed")

    def picture(self, name: str) -> None:
        """Writes a picture if that is wanted."""
        if self.options.pictures:
            browser = self.browser
            shown = (browser.width, browser.height)
            browser.cdp("Emulation.setDeviceMetricsOverride", width=shown[0], height=800, deviceScaleFactor=1,
                        mobile=shown[0] < 600)
            size = browser.screenshot(self.options.pictures / f"{name}.png")
            self.report.check(f"the picture {name} is small enough", size < 150_000, size)

    def pick(self, label: str, value: str) -> None:
        """Chooses in the list that has a label."""
        self.browser.choose(self.browser.script("""
            const label = [...document.querySelectorAll('label')].find(l => l.firstChild.textContent === arguments[0])
            const lists = [...document.querySelectorAll('select')]
            return lists.indexOf(label.querySelector('select'))""", label), value)

    def address(self, view: str) -> str:
        """The address of a view."""
        return self.page.address.split("?")[0] + view

    def first(self) -> str:
        """The oldest unfinished transaction."""
        return str(self.daemon.call("transactions", limit=1)["transactions"][0]["id"])

    def orders(self, product: str, state: str) -> list[Any]:
        """The orders of a product in a state."""
        return [o for o in self.daemon.call("test.orders")["orders"] if o["product"] == product and o["state"] == state]

    def requests(self, daemon: Daemon | None = None) -> int:
        """How many calls of `status` the daemon has had; the page makes one for each look."""
        text = (daemon or self.daemon).call("metrics")["text"]
        return int(next((line.split()[-1] for line in text.splitlines()
                         if line.startswith('payqueued_requests_total{method="status"}')), "0"))


if __name__ == "__main__":
    main(lambda report, options: Checks(report, options).run())
