"""Runs the demo on a terminal of its own and draws what it shows: python3 picture.py COMMAND…"""
import html
import os
import pathlib
import pty
import re
import sys

PICTURE = pathlib.Path(__file__).parents[3] / "Sources/payqueued/Documentation.docc/Resources/demo.svg"
END = "Nothing is left running"  # what follows is different from clone to clone
COLOURS = {"1": "strong", "2": "quiet", "31": "bad", "32": "good", "33": "busy"}
LINE, LEFT, TOP = 21, 22, 58


def record(command):
    """What the command writes to a terminal, which is shown as well; its exit status must be 0."""
    pieces = []

    def read(descriptor):
        pieces.append(os.read(descriptor, 65536))
        return pieces[-1]

    os.environ.update(TERM="xterm-256color", COLUMNS="80")
    os.environ.pop("NO_COLOR", None)
    status = os.waitstatus_to_exitcode(pty.spawn(command, read))
    if status != 0:
        sys.exit(f"picture.py: {command[0]} ended with {status}")
    return b"".join(pieces).decode().replace("\r", "")


def drawn(line, number):
    """One line as SVG: the styles of the terminal become classes."""
    spans, style = [], ""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b"):
            style = COLOURS.get(piece[2:-1], "")
        elif piece:
            text = html.escape(piece, quote=False)
            spans.append(f'<tspan class="{style}">{text}</tspan>' if style else text)
    return f'<text x="{LEFT}" y="{TOP + LINE * number}">{"".join(spans)}</text>'


def main():
    shown = record(sys.argv[1:]).split(END)[0].strip("\n")
    lines = ["\x1b[2m$\x1b[0m make demo"] + re.sub(r"(payqueued-demo-)\w{6}", r"\1x7Kd2Q", shown).split("\n")
    rows = "\n".join(drawn(line, number) for number, line in enumerate(lines) if line)
    width, height = 740, TOP + LINE * len(lines) + 8
    PICTURE.write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t">
<title id="t">A terminal: make demo tells of three purchases, a crash, a restore and a refund; nothing is lost</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dde5; white-space: pre }}
.strong {{ fill: #7cc4ff; font-weight: 600 }} .quiet {{ fill: #8b96a5 }} .good {{ fill: #74d99f }} .bad {{ fill: #ff8f85 }} .busy {{ fill: #ecc15c }}
</style>
<rect width="{width}" height="{height}" rx="10" fill="#12171f"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
{rows}
</svg>
""")


main()
