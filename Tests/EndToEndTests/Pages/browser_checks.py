#!/usr/bin/env python3
"""Checks of the browser that the other checks here rely on: it has to find what is wrong with a page."""

from __future__ import annotations

import tempfile
from pathlib import Path

from browser import DESK, PHONE, Browser
from pages import main
from report import Report

FAULTY = """<!doctype html><title>Faulty</title><meta name=viewport content="width=device-width">
<style>body { background: #fff; color: #bbb } @media (prefers-color-scheme: dark) { body { background: #000 } }
pre { overflow: auto; width: 100px }</style>
<h1>Faulty</h1><div id=wide style="width: 2000px">too wide</div><pre>scrolls, so it may be as long as it likes</pre>
<button id=small style="padding: 0; height: 9px">x</button><input id=field>
<select id=list><option>one<option>two</select><div id=said></div>
<script>field.oninput = () => said.textContent = 'typed ' + field.value
list.onchange = () => said.textContent = 'chose ' + list.value
small.onclick = () => { said.textContent = 'clicked'; nothing.here() }</script>"""


def check(report: Report, folder: Path, axe: Path | None) -> None:
    """Goes over a page that has every fault."""
    page = folder / "faulty.html"
    page.write_text(FAULTY)
    with Browser(folder) as browser:
        browser.look(PHONE, "dark")
        browser.open(page.as_uri())
        report.same("the window is as wide as a phone", browser.script("return innerWidth >= 390"), True)
        report.same("the scheme is dark", browser.script("return getComputedStyle(document.body).backgroundColor"),
                    "rgb(0, 0, 0)")
        report.check("what stands out at the side is found, what scrolls is not",
                     [line[:14] for line in browser.overflowing()] == ['<div id="wide"'], browser.overflowing())
        report.check("what is too small for a finger is found", "small" in " ".join(browser.small_targets()))
        browser.click("button", "x")
        report.same("a click arrives", browser.wait("clicked", "#said"), "clicked")
        report.check("an error of a script is heard of", "nothing is not defined" in " ".join(browser.complaints()))
        browser.type("#field", "abc")
        browser.wait("typed abc")
        browser.press("Backspace")
        browser.wait("typed ab")
        report.same("keys go where the focus is", browser.focus(), "field")
        browser.choose("#list", "two")
        browser.wait("chose two")
        browser.look(DESK)
        report.same("the size changes", browser.script("return innerWidth"), DESK[0])
        report.check("a picture is written", browser.screenshot(folder / "picture.png") > 1000)
        if axe:
            found = " ".join(browser.violations(axe))
            for rule in ["color-contrast", "html-has-lang", "label", "landmark-one-main"]:
                report.check(f"axe-core finds {rule}", rule in found, found)
        else:
            report.skip("axe-core", "it is not installed")


if __name__ == "__main__":
    main(lambda report, options: check(report, Path(tempfile.mkdtemp(dir=options.folder)), options.axe))
