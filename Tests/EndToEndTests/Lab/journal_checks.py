"""What the journal tells, and what the measurements do."""

from __future__ import annotations

import json
from typing import Any

from load import SCRAPED, SERVICE, SOCKET
from machine import Machine, eventually
from report import Report

READY = "c35305d430bf46a9aac4c7fe94cec052"
REFUSED = "c09bea7c98534a3fa76d5b62cccd3848"
METRICS = "/run/payqueued/metrics.sock"


class JournalChecks:
    """journalctl and a scraper, as people use them."""

    def __init__(self, machine: Machine, report: Report) -> None:
        self.machine = machine
        self.report = report

    def journal(self) -> None:
        """Entries are found by what they are about, and explained."""
        machine, report = self.machine, self.report
        ready = machine.journal(f"MESSAGE_ID={READY}", "-u", SERVICE)
        report.check("an entry is found by its name", ready)
        report.check("it has a priority and the fields that it is about",
                     ready and ready[-1].get("PRIORITY") == "5"
                     and ready[-1].get("PAYQUEUED_SOCKET") == SOCKET, ready[-1:])
        text = machine.run("journalctl", "--no-pager", "-x", f"MESSAGE_ID={READY}").stdout
        report.check("the catalogue explains it",
                     "The payment queue answers clients" in text and SOCKET in text, text[-400:])
        refused = machine.run("journalctl", "--no-pager", "-x", f"MESSAGE_ID={REFUSED}").stdout
        report.check("and why a configuration was refused",
                     "A new configuration was refused" in refused and "batchElements" in refused,
                     refused[-400:])
        self._story()

    def _story(self) -> None:
        """One purchase, told by its identifier, and nothing of what was bought."""
        machine, report = self.machine, self.report
        client = machine.connect(SOCKET)
        client.call("subscribe")
        sold = client.call("add", product="coins.100", key="story", appAccountToken="token-of-alice")
        name = sold["transaction"]
        client.call("wait", transaction=name, timeout=60)
        client.call("finish", transaction=name)
        client.call("wait", transaction=name, until=["removed"], timeout=60)

        def story() -> list[dict[str, Any]]:
            return machine.journal(f"PAYQUEUED_TRANSACTION={name}")
        eventually("the journal tells of the purchase's end", lambda: len(story()) >= 3)
        entries = story()
        report.check("one purchase's story is found by its identifier", True)
        positions = [int(entry["PAYQUEUED_SEQ"]) for entry in entries]
        report.check("its entries have positions that grow",
                     positions == sorted(positions) and len(set(positions)) > 2, positions)
        report.check("they say which user's client it was",
                     any(entry.get("PAYQUEUED_CLIENT_UID") == "0" for entry in entries), entries[0])
        everything = json.dumps(machine.journal("-u", SERVICE))
        report.check("no entry has what people bought or a token of theirs",
                     "coins.100" not in everything and "token-of-alice" not in everything)

    def scraping(self) -> None:
        """A scraper reads the measurements from a socket of their own."""
        machine, report = self.machine, self.report
        machine.systemctl("enable", SCRAPED)
        machine.systemctl("restart", SERVICE)
        answer = machine.get(METRICS, "/metrics")
        report.check("a scraper gets measurements", " 200 " in answer.split("\r\n")[0]
                     and answer.rstrip().endswith("# EOF"), answer[:300])
        for name in ("turn_duration_seconds_bucket", "sync_duration_seconds_count", "store_up"):
            report.check(f"payqueued_{name} is among them", f"\npayqueued_{name}" in answer)
        report.check("another place is none",
                     " 404 " in machine.get(METRICS, "/").split("\r\n")[0])
        self._company()
        machine.systemctl("disable", SCRAPED)
        machine.systemctl("start", SERVICE)
        report.check("without the unit there is no such socket", not machine.path(METRICS).exists())

    def _company(self) -> None:
        """The scraper's socket outlives the daemon, and goes with the clients' socket."""
        machine, report = self.machine, self.report
        opened = "ActiveEnterTimestampMonotonic"
        since, pid = machine.show(SCRAPED, opened), machine.show(SERVICE, "MainPID")
        machine.systemctl("kill", "-s", "KILL", "--kill-who=main", SERVICE)
        machine.restarted(SERVICE, pid)
        report.same("a daemon that is killed leaves the scraper's socket open",
                    machine.show(SCRAPED, opened), since)
        machine.systemctl("restart", "payqueued.socket")
        answer = machine.get(METRICS, "/metrics")
        report.check("both sockets come back when the clients' is restarted",
                     " 200 " in answer.split("\r\n")[0], answer[:300])
        machine.systemctl("stop", "payqueued.socket")
        states = [machine.show(unit, "ActiveState") for unit in (SCRAPED, SERVICE)]
        report.same("no scraper starts what was stopped with its socket", states, ["inactive"] * 2)
