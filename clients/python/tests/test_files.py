"""What is remembered over crashes, with several at it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from payqueued import KeyFile

#: Asks for the keys of its own intents and of one that all have in common.
_PROGRAM = """
import sys
from payqueued import KeyFile
keys = KeyFile(sys.argv[1])
print(keys.key("common"), *(keys.key(f"{sys.argv[2]}-{number}") for number in range(10)))
"""


class KeyFileTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="payqueued-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "keys")

    def test_threads_lose_no_key(self) -> None:
        intents = [f"order-{number % 40}" for number in range(80)]
        with ThreadPoolExecutor(8) as threads:
            given = list(threads.map(lambda intent: KeyFile(self.path).key(intent), intents))
        kept = [KeyFile(self.path).key(intent) for intent in intents]
        self.assertEqual(given, kept)
        self.assertEqual(len(set(kept)), 40)

    def test_processes_lose_no_key(self) -> None:
        programs = [
            subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, self.path, name], stdout=subprocess.PIPE,
                text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            for name in "abcd"
        ]
        given = [program.communicate(timeout=60)[0].split() for program in programs]
        keys = KeyFile(self.path)
        for name, (common, *own) in zip("abcd", given):
            self.assertEqual(common, keys.key("common"))
            self.assertEqual(own, [keys.key(f"{name}-{number}") for number in range(10)])


if __name__ == "__main__":
    unittest.main()
