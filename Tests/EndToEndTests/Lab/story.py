"""The commands of the documentation, taken from its text and run."""

from __future__ import annotations

import re
from pathlib import Path

from machine import Machine, Trouble


class Story:
    """An article whose sections have commands in fences that begin with ```sh."""

    def __init__(self, article: Path) -> None:
        self.sections: dict[str, str] = {}
        title = ""
        is_code = False
        for line in article.read_text().splitlines():
            if line.startswith("```"):
                is_code = line == "```sh"
            elif is_code:
                self.sections[title] = self.sections.get(title, "") + line + "\n"
            elif found := re.match(r"### (.*)", line):
                title = found.group(1)

    def tell(self, machine: Machine, title: str, folder: str = "/") -> str:
        """Runs the commands of a section as one session that ends at the first one that fails.

        `apt` is the front of `apt-get` for people; scripts are told to use the latter, without questions.
        """
        print(f"told {title}", flush=True)
        commands = re.sub(r"(?m)^apt ", "apt-get -q -y --no-install-recommends ",
                          self.sections[title])
        done = machine.run(
            "bash", "-exc", f"cd {folder}\n{commands}", check=False, seconds=120,
            env={"DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_PAGER": "", "HOME": "/"})
        if done.returncode != 0:
            raise Trouble(f"'{title}' ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr
