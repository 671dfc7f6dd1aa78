"""Requirements files of pip, and the pip part of a conda environment.

The format: https://pip.pypa.io/en/stable/reference/requirements-file-format/.
"""

import re
from collections.abc import Collection, Iterator

from scope_lint.dependencies.declarations import Include, Said, When, pep508

_LINE_END = re.compile(r"\r\n|\r|\n")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
# Options of one requirement (`--hash=sha256:…`) and those that stand in a line of their own.
_OPTIONS = re.compile(r"\s--?[A-Za-z].*$")
_INCLUDE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:\s*=\s*|\s+|(?<=-[rc]))(?P<file>\S.*)")
_ITEM = re.compile(r"-\s+(?P<text>.*)")
_PIP = re.compile(r"pip\s*:")


def requirements(text: str, wanted: Collection[str], when: When) -> Iterator[Said]:
    """Yield what a requirements or constraints file says of the names in `wanted`, and the files it includes."""
    for number, line in _logical_lines(text):
        yield from _requirement(line, wanted, when, number)


def conda_environment(text: str, wanted: Collection[str], when: When) -> Iterator[Said]:
    """Yield what the items of `- pip:` in an environment.yml say; conda's own packages are left alone.

    It is read line by line: an environment that is written in YAML's flow style says nothing.
    """
    depth: int | None = None
    for number, raw in enumerate(_LINE_END.split(text), 1):
        line = _COMMENT.sub("", raw).rstrip()
        if not line:
            continue
        indent = len(line) - len(line.lstrip())
        item = _ITEM.fullmatch(line.lstrip())
        if depth is not None and item is not None and indent > depth:
            yield from _requirement(item["text"].strip("\"' "), wanted, when, number)
        else:
            depth = indent if item is not None and _PIP.fullmatch(item["text"]) else None


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; those that a backslash continues are one, and comments are left out."""
    parts: list[str] = []
    first = 1
    for number, raw in enumerate([*_LINE_END.split(text), ""], 1):
        first = first if parts else number
        is_comment = raw.lstrip().startswith("#")
        if raw.endswith("\\") and not is_comment:
            parts.append(raw[:-1])
            continue
        line = _COMMENT.sub("", "".join([*parts, "" if is_comment and parts else raw])).strip()
        parts = []
        if line:
            yield first, line


def _requirement(line: str, wanted: Collection[str], when: When, number: int) -> Iterator[Said]:
    include = _INCLUDE.fullmatch(line)
    if include is not None:
        yield Include(include["file"].strip("\"' "), when)
    elif not line.startswith("-"):
        yield from pep508(_OPTIONS.sub("", line), when, wanted, line=number, pins=True)
