"""Blocking clients that nobody closes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import unittest

from .server import Connection, JSONObject, Server, opened

_PROGRAMS = {
    "kept": "queue = Client()\nqueue.ping()",
    "dropped": "Client().ping()\nimport gc, time\ngc.collect()\ntime.sleep(0.2)",
    "with an iterator": "queue = Client()\nevents = queue.subscribe()\nnext(events)",
    "with an observer on another thread": """
import threading
queue = Client()
ready = threading.Event()
observe = lambda: queue.observe(lambda found: None, on_event=lambda found: ready.set())
threading.Thread(target=observe, daemon=True).start()
ready.wait()""",
    "while a call is under way": """
import threading
queue = Client()
def call():
    try:
        queue.wait("t")
    except ClientClosed:
        pass
threading.Thread(target=call, daemon=True).start()
queue.ping()""",
    "in a loop of references": "queue = Client()\nqueue.itself = queue\nqueue.ping()\ndel queue",
    "in a child that was forked": """
import os, sys
queue = Client()
queue.ping()
if os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))""",
    "after an error": "queue = Client()\nqueue.ping()\nraise SystemExit(0)",
}


class EndingTests(unittest.IsolatedAsyncioTestCase):
    async def test_a_program_that_closes_no_client_ends_at_once_and_quietly(self) -> None:
        async def serve(connection: Connection, request: JSONObject) -> None:
            if request["method"] == "ping":
                connection.reply(request, {})
            elif request["method"] == "subscribe":
                connection.reply(request, opened())

        async with Server(serve) as server:
            for name, program in _PROGRAMS.items():
                with self.subTest(name):
                    ended = await asyncio.to_thread(self.run_program, program, server.path)
                    self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def run_program(self, program: str, socket: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable, "-W", "default::ResourceWarning",
                # Of the fork, in which the thread is left behind on purpose.
                "-W", "ignore::DeprecationWarning", "-c",
                "from payqueued import *\n" + program,
            ],
            env={
                **os.environ, "PAYQUEUED_SOCKET": socket,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True, text=True, timeout=30,
        )


if __name__ == "__main__":
    unittest.main()
