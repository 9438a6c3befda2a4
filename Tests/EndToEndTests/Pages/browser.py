"""A real browser for tests of pages: headless Chromium, driven through chromedriver.

chromedriver speaks WebDriver: JSON over HTTP on the loopback. So the standard library is enough.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Callable

PHONE = (390, 844)
DESK = (1280, 900)
# WebDriver's code points for keys that are no characters.
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "ArrowDown": "\ue015", "ArrowUp": "\ue013",
        "End": "\ue010", "Home": "\ue011", "Backspace": "\ue003"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Missing(Exception):
    """A program that the tests need is not installed."""


class Failed(AssertionError):
    """A page is not as it should be."""


def programs() -> tuple[str, str]:
    """Chromium and chromedriver."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        raise Missing("chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
    return browser, driver


def eventually(what: str, check: Callable[[], Any], seconds: float = 30) -> Any:
    """Repeats a check until it gives something, and returns that."""
    end = time.monotonic() + seconds
    found = check()
    while not found:
        if time.monotonic() > end:
            raise Failed(f"not within {seconds:g} s: {what}")
        time.sleep(0.05)
        found = check()
    return found


class Browser:
    """One window. Use it with `with`; it leaves no process behind."""

    def __init__(self, folder: str | Path) -> None:
        """Starts a browser whose profile is below a folder."""
        browser, driver = programs()
        self._profile = Path(folder) / "browser"
        self._log = open(Path(folder) / "chromedriver.log", "wb+")
        self._driver = subprocess.Popen([driver, "--port=0"], stdout=self._log, stderr=subprocess.STDOUT)
        self._session = ""
        try:
            port = eventually("chromedriver listens", self._port)
            self._address = f"http://127.0.0.1:{port}/session"
            self._open_session(browser)
        except BaseException:
            self._end()
            raise
        self.width, self.height = DESK

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._end()

    # Looking: how the window is, and what to show in it.

    def look(self, size: tuple[int, int] = DESK, scheme: str = "light", motion: bool = False) -> None:
        """Sets the size in CSS pixels, the colour scheme (`light`, `dark`) and whether things may move.

        A width below 600 px is a phone with a touch screen.
        """
        self.width, self.height = size
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                 mobile=size[0] < 600)
        self.cdp("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
        ])

    def open(self, address: str) -> None:
        """Goes to an address and waits until it is loaded."""
        self._call("POST", "/url", {"url": address})

    def reload(self) -> None:
        """Loads the page again."""
        self._call("POST", "/refresh", {})

    @property
    def address(self) -> str:
        """The address of the page that is shown."""
        return str(self._call("GET", "/url"))

    def script(self, code: str, *arguments: Any) -> Any:
        """Runs a function body in the page and returns what it returns; a promise is awaited."""
        return self._call("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def cdp(self, command: str, **parameters: Any) -> Any:
        """Gives a command of Chromium's DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def hide(self, hidden: bool) -> None:
        """Tells the page that its tab went to the back, or came to the front."""
        self.script(
            "Object.defineProperty(document, 'hidden', {configurable: true, get: () => arguments0});"
            .replace("arguments0", "true" if hidden else "false")
            + "document.dispatchEvent(new Event('visibilitychange'))")

    # Acting: a person's hands. An element that is covered or not shown cannot be clicked.

    def click(self, selector: str, saying: str | None = None) -> None:
        """Clicks the first element that matches, and that shows a text if one is given."""
        for attempt in range(5):
            try:
                self._call("POST", f"/element/{self._element(selector, saying)}/click", {})
                return
            except Failed as failure:
                # The page put another in its place between finding and clicking.
                if attempt == 4 or "stale element" not in str(failure):
                    raise

    def type(self, selector: str, text: str) -> None:
        """Puts a text into a field, in place of what was in it."""
        element = self._element(selector)
        self._call("POST", f"/element/{element}/clear", {})
        self._call("POST", f"/element/{element}/value", {"text": text})

    def choose(self, selector: str | int, option: str) -> None:
        """Chooses an option of a list by its text. A number counts the lists of the page from 0."""
        if isinstance(selector, str):
            self._element(selector)
        if not self.script(
                "const s = typeof arguments[0] === 'number' ? document.querySelectorAll('select')[arguments[0]]"
                " : document.querySelector(arguments[0]);"
                "const o = [...s.options].find(o => o.text.trim() === arguments[1]); if (!o) return false;"
                "s.value = o.value; s.dispatchEvent(new Event('input', {bubbles: true}));"
                "s.dispatchEvent(new Event('change', {bubbles: true})); return true", selector, option):
            raise Failed(f"{selector} has no option '{option}'")

    def press(self, *keys: str) -> None:
        """Presses keys one after the other, wherever the focus is: characters or names such as `Enter`."""
        steps = []
        for key in keys:
            value = KEYS.get(key, key)
            steps += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    # Reading.

    def texts(self, selector: str) -> list[str]:
        """The visible text of each element that matches."""
        return list(self.script(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())"
            ".map(e => e.innerText)", selector))

    def text(self, selector: str = "body") -> str:
        """The visible text of the elements that match, line by line."""
        return "\n".join(self.texts(selector))

    def count(self, selector: str) -> int:
        """How many visible elements match."""
        return len(self.texts(selector))

    def focus(self) -> str:
        """The id, or else the text, of the element that has the focus."""
        return str(self.script("const e = document.activeElement; return e.id || e.innerText"))

    def wait(self, text: str, selector: str = "body", seconds: float = 30) -> str:
        """Waits until a text is shown, and returns all that is shown there."""
        def shown() -> str | None:
            found = self.text(selector)
            return found if text in found else None
        try:
            return str(eventually(text, shown, seconds))
        except Failed:
            raise Failed(f"'{text}' does not appear in {selector}, but: {self.text(selector)[:600]!r}") from None

    def wait_gone(self, text: str, selector: str = "body", seconds: float = 30) -> None:
        """Waits until a text is no longer shown."""
        eventually(f"'{text}' goes from {selector}", lambda: text not in self.text(selector), seconds)

    def complaints(self) -> list[str]:
        """What the browser complained of since the last call: errors of scripts, refused contents."""
        entries = self._call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    # Judging.

    def overflowing(self) -> list[str]:
        """The elements that stand out of the window at its side, unless something around them scrolls."""
        return list(self.script("""
            const wide = document.documentElement.clientWidth
            const scrolls = e => e && (/(auto|scroll|hidden|clip)/.test(getComputedStyle(e).overflowX)
                && e !== document.body && e !== document.documentElement || scrolls(e.parentElement))
            return [...document.body.querySelectorAll('*')].filter(e => e.checkVisibility()
                && e.getBoundingClientRect().right > wide + 1 && e.getBoundingClientRect().width > 0
                && !scrolls(e.parentElement)).map(e => e.outerHTML.slice(0, 120))"""))

    def small_targets(self, least: int = 24) -> list[str]:
        """Buttons, fields and links outside of sentences that are too small for a finger."""
        return list(self.script("""
            return [...document.querySelectorAll('button, input, select, summary, a')].filter(e => {
                // A label is pressed in place of its box.
                const box = (e.closest('label') ?? e).getBoundingClientRect()
                return e.checkVisibility() && box.width > 1 && getComputedStyle(e).display !== 'inline'
                    && (box.height < arguments[0] || box.width < arguments[0])
            }).map(e => e.outerHTML.slice(0, 120))""", least))

    def violations(self, axe: str | Path) -> list[str]:
        """What axe-core finds wrong with the page for people who see, hear or move otherwise.

        Everything counts, best practices included. The script is put in for this alone.
        """
        if not self.script("return !!window.axe"):
            self.script(Path(axe).read_text(encoding="utf-8"))
        found = self.script("""
            return axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map(v =>
                v.id + ' (' + v.impact + '): ' + v.help + ': '
                + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary).join(' | ')))""")
        return list(found)

    def screenshot(self, path: str | Path, whole: bool = False) -> int:
        """Writes a picture (PNG) of the window, or of the whole page, and returns its size in bytes."""
        picture = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        data = base64.b64decode(picture["data"])
        Path(path).write_bytes(data)
        return len(data)

    # The driver.

    def _open_session(self, browser: str) -> None:
        flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-GB",
                 f"--user-data-dir={self._profile}", f"--window-size={DESK[0]},{DESK[1]}"]
        answer = self._call("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"binary": browser, "args": flags},
            "goog:loggingPrefs": {"browser": "ALL"}, "unhandledPromptBehavior": "ignore",
            "timeouts": {"script": 120000, "pageLoad": 60000},
        }}})
        self._session = "/" + answer["sessionId"]
        self.look()

    def _port(self) -> str | None:
        if self._driver.poll() is not None:
            raise Failed(f"chromedriver ended: {Path(self._log.name).read_text(errors='replace')[-400:]}")
        said = Path(self._log.name).read_text(errors="replace")
        return said.split("successfully on port ")[1].split(".")[0] if "successfully on port " in said else None

    def _element(self, selector: str, saying: str | None = None) -> str:
        def shown() -> str | None:
            found = self.script(
                "return [...document.querySelectorAll(arguments[0])].find(e => e.checkVisibility()"
                " && (arguments[1] === null || e.innerText.trim() === arguments[1])) ?? null", selector, saying)
            return found[ELEMENT] if found else None
        name = selector + (f" saying '{saying}'" if saying else "")
        return str(eventually(f"{name} is shown", shown, 15))

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + self._session + path, data, method=method,
                                         headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error).get("value") or {}
            raise Failed(f"{value.get('error')}: {str(value.get('message')).splitlines()[0]}") from None

    def _end(self) -> None:
        self._driver.terminate()
        try:
            self._driver.wait(20)
        except subprocess.TimeoutExpired:
            self._driver.kill()
            self._driver.wait()
        self._log.close()
