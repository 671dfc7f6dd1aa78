"""What IPython adds to Python, taken out of a notebook's cell line for line.

The rules are those of IPython's own input transformer: a magic (`%pip`, `!ls`, `name?`) begins a logical line or stands
right of an assignment, and ends with its line, or with the last one that a backslash adds. Inside brackets and strings
nothing is magic.
"""

import ast
import re
import warnings

# Cell magics whose cell is Python all the same. Of one that is in neither set the cell counts as Python if it reads so.
_PYTHON = frozenset({"capture", "debug", "memit", "prun", "pypy", "python", "python3", "time", "timeit"})
_OTHER = frozenset(
    """
    ! bash bigquery cmd cython file html javascript js latex markdown mermaid perl pwsh r ruby script sh sql sqlite svg
    sx system writefile
    """.split()  # noqa: SIM905 - thirty pairs of quotes say nothing
)
# Line magics that can be called without their `%` by a cell of one line.
_AUTOMAGIC = frozenset(
    """
    alias autoreload cat cd conda config cp debug env history less load load_ext ls magic mamba man matplotlib mkdir
    micromamba more mv pip pylab rm rmdir run set_env store time timeit uv who whos
    """.split()  # noqa: SIM905 - thirty pairs of quotes say nothing
)

_CELL_MAGIC = re.compile(r"(?P<above>(?:[ \t]*+(?:\#[^\n]*+)?\n)*+)[ \t]*+%%(?P<name>!|\w+)[^\n]*")
_LANGUAGE = re.compile(r"\s*%(?:fs|md|r|scala|sh|sql)\b")  # of Databricks: for its line, or for all of its cell
_INDENTATION = re.compile(r"(?:[ \t]*\n)*(?P<blank>[ \t]+)[^ \t\n]")
_ESCAPE = re.compile(r"(?P<blank>[ \t]*)(?:[%!?]|[,;/](?=[^\W\d]))")
_TO_LINE_END = re.compile(r"(?:[^\\\n]++|\\\n|\\)*+")
_TIMED = re.compile(r"[ \t]*%(?:time|timeit|prun|memit)[ \t]++(?:-\w++(?:[ \t]++\d++)?+[ \t]++)*+(?=[^\n])")
_TIMED_LENGTH = 1_000  # characters of a statement, so that many that never end do not cost their square
_TIMED_VALUE = re.compile(r"[ \t]*%time[ \t]++(?=[^\n])")
_TOKEN = re.compile(
    r"""
      (?P<string>  \"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3})? | '{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3})?
                 | "(?:[^"\\\n]++|\\.)*+"? | '(?:[^'\\\n]++|\\.)*+'? )
    | (?P<open>    [(\[{] )
    | (?P<close>   [)\]}] )
    | (?P<assign>  (?<![=!<>:])=(?=[ \t]*[!%]) )
    | (?P<newline> \n )
    | (?P<help>    \?(?=[ \t]*(?:\#[^\n]*)?(?:\n|\Z)) )
    | (?P<other>   \#[^\n]*+ | \\\n | [^"'()\[\]{}=\n?\#\\]++ | . )
    """,
    re.VERBOSE | re.DOTALL,
)


def dedented(cell: str) -> str:
    """Take the indentation of the first line off all lines that have it, as IPython does before it runs a cell."""
    match = _INDENTATION.match(cell)
    if not match:
        return cell
    return "\n".join(line.removeprefix(match["blank"]) for line in cell.split("\n"))


def to_python(cell: str) -> str:
    """The Python of a code cell, in as many lines, and each name that stays in its column.

    A magic becomes `pass`, `x = !ls` assigns the result of a call that nobody knows, and of `%time f(x)` the statement
    stays. A cell that is not for Python at all (`%%bash`) becomes blank lines.

    Args:
        cell: its text, with line feeds alone.
    """
    above, names, at = "", [], 0
    while match := _CELL_MAGIC.match(cell, at):
        above += match["above"]
        names.append(match["name"])
        at = match.end()
    code = above + _lines_to_python(cell[at:])
    if not _OTHER.isdisjoint(map(str.lower, names)):
        return "\n" * cell.count("\n")
    doubtful = not _PYTHON.issuperset(names) or _is_automagic(cell) or _LANGUAGE.match(cell)
    return "\n" * cell.count("\n") if doubtful and not is_python(code) else code


def _lines_to_python(cell: str) -> str:
    parts = []
    at = 0
    while at < len(cell):
        escape = _ESCAPE.match(cell, at)
        part, at = _escaped(cell, at, escape["blank"]) if escape else _logical_line(cell, at)
        parts.append(part)
    return "".join(parts)


def _escaped(cell: str, at: int, blank: str) -> tuple[str, int]:
    """The Python for a logical line that is a magic, and where the line ends."""
    if timed := _TIMED.match(cell, at):
        start = timed.end()
        statement, length = _logical_line(cell[start : start + _TIMED_LENGTH], 0)
        if is_python(f"0;{statement}"):
            return f"{blank}0;".ljust(start - at) + statement, start + length
    line = _magic_at(cell, at)
    return f"{blank}pass" + "\n" * line.count("\n"), at + len(line)


def _logical_line(cell: str, start: int) -> tuple[str, int]:
    """The Python for a logical line that does not begin with a magic, and where it ends, its line feed included."""
    depth = 0
    at = start
    while match := _TOKEN.match(cell, at):
        kind = match.lastgroup
        at = match.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif depth == 0 and kind == "newline":
            break
        elif depth == 0 and kind == "help":
            return _help(cell, start, at)
        elif depth == 0 and kind == "assign":
            return _assigned(cell, start, at)
    return cell[start:at], at


def _help(cell: str, start: int, at: int) -> tuple[str, int]:
    line = cell[start:at]
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return f"{blank}pass" + "\n" * line.count("\n"), at + len(_magic_at(cell, at))


def _assigned(cell: str, start: int, at: int) -> tuple[str, int]:
    if timed := _TIMED_VALUE.match(cell, at):
        value, length = _logical_line(cell[timed.end() : timed.end() + _TIMED_LENGTH], 0)
        if is_python(f"({value}\n)"):
            return cell[start:at].ljust(timed.end() - start) + value, timed.end() + length
    line = _magic_at(cell, at)
    return f"{cell[start:at]} get_ipython()" + "\n" * line.count("\n"), at + len(line)


def _magic_at(cell: str, at: int) -> str:
    """The rest of the line, with the lines that backslashes at its end add to it."""
    match = _TO_LINE_END.match(cell, at)
    return match.group() if match else ""


def _is_automagic(cell: str) -> bool:
    """Whether the cell is one line that begins with the name of a magic."""
    line = cell.strip()
    return "\n" not in line and line.partition(" ")[0] in _AUTOMAGIC


def is_python(code: str) -> bool:
    """Whether Python can parse a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
