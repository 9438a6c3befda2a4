"""Finds the places of a Swift source where a mutant leaves something out or turns it round.

Each place keeps its code and gets a switch beside it, so that all mutants of a source are compiled at once:
`Mutant.isOn(7)` is true in a process that was started as mutant 7.
"""

import re
from dataclasses import dataclass

WORD = r"[A-Za-z_][\w.]*"
CALL = re.compile(rf"^(try\??\s+|_ = try\??\s+|_ = )?{WORD}(\[[^\]]*\])?[!?]?(\.{WORD})*\(.*\)$")
ASSIGNMENT = re.compile(rf"^{WORD}(\?\.{WORD})* (=|\+=|-=) [^{{}}]+$")
KEYWORDS = (
    "guard", "if", "for", "while", "return", "throw", "switch", "case", "default", "do", "catch", "repeat",
    "let", "var", "func", "defer", "break", "continue", "init", "self.init", "super", "precondition",
    "preconditionFailure", "else", "public", "private", "package", "static", "mutating", "@", "try self.init",
    "fileprivate", "import", "struct", "enum", "class", "extension", "//", "}", "{", ")", "]", "#", ".",
)


@dataclass
class Mutant:
    """A change of one place: code that is put before and behind it."""

    path: str
    kind: str
    line: int
    start: int
    end: int
    code: str
    function: str
    before: str
    behind: str
    # The statements of a run of which two change places; the order of the others stays.
    run: tuple = ()
    place: int = 0
    occurrence: int = 0
    number: int = 0

    @property
    def name(self):
        return "|".join([self.path, self.function, self.kind, self.code, str(self.occurrence)])


def balanced(text):
    depth = 0
    quoted = False
    for index, character in enumerate(text):
        if character == '"' and (index == 0 or text[index - 1] != "\\"):
            quoted = not quoted
        if quoted:
            continue
        if character in "([{":
            depth += 1
        if character in ")]}":
            depth -= 1
        if depth < 0:
            return False
    return depth == 0


def clauses(condition):
    """The conditions between the commas of a guard or an if."""
    parts, depth, start, quoted = [], 0, 0, False
    for index, character in enumerate(condition):
        if character == '"' and (index == 0 or condition[index - 1] != "\\"):
            quoted = not quoted
        if quoted:
            continue
        if character in "([{":
            depth += 1
        if character in ")]}":
            depth -= 1
        if character == "," and depth == 0:
            parts.append((start, index))
            start = index + 1
    parts.append((start, len(condition)))
    return parts


def is_binding(clause):
    return bool(re.match(r"\s*(let|var|case|#available)\b", clause))


def statement(lines, index):
    """The statement that begins in a line, if it is one call or assignment; else None."""
    text = lines[index].strip()
    if not text or text.startswith(KEYWORDS):
        return None
    last = index
    while not balanced(text):
        last += 1
        if last >= len(lines) or last - index > 8:
            return None
        text += " " + lines[last].strip()
    # A call that goes on with a closure or in the next line is no statement of its own.
    if last + 1 < len(lines) and lines[last + 1].strip().startswith((".", "+", "?", "&&", "||", ":")):
        return None
    if text.endswith("{") or " in" == text[-3:]:
        return None
    if CALL.match(text) or ASSIGNMENT.match(text):
        return last + 1, text
    return None


def functions(lines):
    """The name of the function around each line."""
    names, current = [], ""
    for line in lines:
        match = re.match(r"\s*(?:[\w@()]+ )*(?:func (\w+)|(init)\b)", line)
        if match and not line.strip().startswith("//"):
            current = match.group(1) or match.group(2)
        names.append(current)
    return names


def mutants(path, source, everything):
    """All mutants of a source. Without `everything` only statements that can throw are left out."""
    lines = source.split("\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    around = functions(lines)
    found = []

    def add(kind, line, start, end, code, before, behind, run=(), place=0):
        code = " ".join(code.split())
        found.append(Mutant(path, kind, line + 1, start, end, code, around[line], before, behind, run, place))

    def add_left_out(kind, first, last, code):
        add(kind, first, offsets[first], offsets[last] - 1, code, "if !Mutant.isOn({n}) {{\n", "\n}}")

    statements = {}
    for index, line in enumerate(lines):
        text = line.strip()
        if text.startswith("//"):
            continue
        ended = statement(lines, index)
        if ended and inside_function(lines, index):
            last, code = ended
            is_assignment = ASSIGNMENT.match(code)
            if is_assignment and around[index] == "init":
                continue
            if everything or code.startswith(("try", "_ = try")):
                if not is_assignment:
                    statements[index] = last
                add_left_out("leave out", index, last, code)
        for keyword in ("guard", "if", "} else if"):
            if text.startswith(keyword + " "):
                conditions(lines, offsets, index, keyword, add)
        if text.startswith("throw ") and balanced(text) and around[index] != "init" and may_go_on(lines, index):
            add_left_out("go on", index, index + 1, text)
        if re.match(r"catch +where ", text.lstrip("} ")):
            place = line.index("where ") + 6
            end = line.rindex("{") - 1
            if balanced(line[place:end]):
                add("other error", index, offsets[index] + place, offsets[index] + end, text,
                    "(!Mutant.isOn({n}) && (", "))")
    for run in runs(statements):
        texts = tuple(source[offsets[first] : offsets[last] - 1] for first, last in run)
        for place in range(len(run) - 1):
            add("swap", run[place][0], offsets[run[0][0]], offsets[run[-1][1]] - 1,
                f"{texts[place].strip()} / {texts[place + 1].strip()}", "", "", texts, place)
    count = {}
    for mutant in found:
        key = (mutant.function, mutant.kind, mutant.code)
        mutant.occurrence = count.get(key, 0)
        count[key] = mutant.occurrence + 1
    return found


def runs(statements):
    """Statements that follow each other without anything in between."""
    done, result = set(), []
    for first in sorted(statements):
        if first in done:
            continue
        run = []
        while first in statements:
            run.append((first, statements[first]))
            done.add(first)
            first = statements[first]
        if len(run) > 1:
            result.append(run)
    return result


def apply(source, chosen):
    """A source with the switches of all chosen mutants."""
    wraps = [(m.start, m.end, m.before.format(n=m.number), m.behind.format()) for m in chosen if not m.run]
    swaps = {}
    for mutant in chosen:
        if mutant.run:
            swaps.setdefault((mutant.start, mutant.end), []).append(mutant)
    for (start, end), group in swaps.items():
        before = ""
        for mutant in group:
            order = list(mutant.run)
            order[mutant.place], order[mutant.place + 1] = order[mutant.place + 1], order[mutant.place]
            before += f"if Mutant.isOn({mutant.number}) {{\n" + "\n".join(order) + "\n} else "
        wraps.append((start, end, before + "{\n", "\n}"))
    opening, closing = {}, {}
    for start, end, before, behind in sorted(wraps, key=lambda wrap: wrap[0] - wrap[1]):
        opening[start] = opening.get(start, "") + before
        closing[end] = behind + closing.get(end, "")
    pieces = []
    last = 0
    for offset in sorted(set(opening) | set(closing)):
        pieces.append(source[last:offset])
        pieces.append(closing.get(offset, ""))
        pieces.append(opening.get(offset, ""))
        last = offset
    return "".join(pieces) + source[last:]


def inside_function(lines, index):
    """Whether a line is deep enough for code, and not the argument of a call."""
    before = index - 1
    while before >= 0 and (not lines[before].strip() or lines[before].strip().startswith("//")):
        before -= 1
    text = lines[before].strip()
    return not text.endswith((",", "(", "[", "&&", "||", "=", "return", "?", ":")) or text.startswith("case ") \
        or text == "default:"


def indent(line):
    return len(line) - len(line.lstrip())


def may_go_on(lines, index):
    """Whether the code behind a throw makes sense without it: not in a guard, nor where a result is missing."""
    depth = indent(lines[index])
    while index > 0 and (not lines[index].strip() or indent(lines[index]) >= depth):
        index -= 1
    block = lines[index].strip()
    if block.startswith(("guard ", "else {")) or block.endswith("else {") and not block.startswith("}"):
        return False
    if not re.match(r"(\} )?catch\b", block):
        return True
    depth = indent(lines[index])
    index -= 1
    while index > 0 and (not lines[index].strip() or indent(lines[index]) > depth
                         or lines[index].strip().startswith("} catch")):
        if re.match(r"(return\b|\w+ = |\(.*\) = )", lines[index].strip()) and indent(lines[index]) == depth + 4:
            return False
        index -= 1
    return True


def conditions(lines, offsets, index, keyword, add):
    """Mutants of the conditions of a guard or an if, which may go over several lines."""
    last = index
    # The block begins at the end of a line, or all of it is in this one.
    opening = r"\belse \{" if keyword == "guard" else r"\{ " if lines[index].endswith("}") else r"\{\s*$"
    while not re.search(opening, lines[last]):
        last += 1
        if last >= len(lines) or last - index > 10:
            return
    text = "\n".join(lines[index : last + 1])
    start = text.index(keyword + " ") + len(keyword) + 1
    end = [match.start() for match in re.finditer(opening, text)][0]
    condition = text[start:end]
    if not balanced(condition):
        return
    for first, stop in clauses(condition):
        clause = condition[first:stop]
        if is_binding(clause) or not clause.strip() or "{" in clause:
            continue
        first += len(clause) - len(clause.lstrip())
        stop -= len(clause) - len(clause.rstrip())
        kind, sign = ("skip check", "||") if keyword == "guard" else ("turn round", "!=")
        # An operator wants a `try` on its left.
        trying = re.match(r"try ", condition[first:stop])
        first += len(trying.group()) if trying else 0
        add(kind, index, offsets[index] + start + first, offsets[index] + start + stop,
            f"{keyword}: {clause.strip()}", f"(Mutant.isOn({{n}}) {sign} (", "))")
