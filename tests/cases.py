"""The cases under `fixtures/`: what each expects, and what scope-lint finds in it.

A case is a file or a folder directly under a group: `fixtures/<group>/<name>.py`, a notebook of that name, or
`fixtures/<group>/<name>/`; `fixtures/quickstart` is one too. A folder is a little project of its own, with its settings
if it needs any. Marks stand on the line that they speak of, in Python files, the code cells of notebooks and settings
files:

    memory.add(t, user_id=uid)  # expect: shape-drift
    memory.add(t, user_id=uid, role=r)  # expect: shape-drift, disallowed-key
    memory.add(t, user_id=uid)  # expect-todo: shape-drift     a known miss: fails on the day that it is found

What is not marked is expected to be silent. The cases of the group `linking` say instead what each scope resolves to
(`# site:`, see `test_linking.py`), and the quickstart is code without marks, as a user's is (see `test_readme.py`).
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scope_lint.model import Report
from scope_lint.pipeline import check

FIXTURES = Path(__file__).parent.parent / "fixtures"
LONE = ("quickstart",)  # cases that are no group
NESTED = ("sdks",)  # groups of groups: `fixtures/sdks/<sdk>/<case>`
UNMARKED = ("linking/", "quickstart")  # begin the names of the cases that do not mark findings
MARKED = (".py", ".ipynb", ".toml")  # files that carry marks

_LINE_END = re.compile(r"\r\n|\n|\r")
_MARK = re.compile(r"#\s*expect(-todo)?\b\s*:?\s*(.*)")
_RULES = re.compile(r"[a-z]+(-[a-z]+)*(, [a-z]+(-[a-z]+)*)*")


@dataclass(frozen=True, order=True)
class Mark:
    """A finding, as far as a case can state it.

    `path` is relative to the folder that holds the case; in a notebook it ends with the cell, as `notes.ipynb:cell 3`.
    """

    path: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}"


@dataclass(frozen=True)
class Case:
    """A file or folder that scope-lint is run on from `folder`, and its name for pytest."""

    name: str
    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent

    def files(self, suffixes: tuple[str, ...] = (".py", ".ipynb")) -> tuple[Path, ...]:
        """The case's files of these kinds, sorted, relative to `folder`."""
        inside = self.path.rglob("*") if self.path.is_dir() else [self.path]
        return tuple(sorted(file.relative_to(self.folder) for file in inside if file.suffix in suffixes))


def all_cases() -> tuple[Case, ...]:
    """Every case, sorted by name."""
    lone = [FIXTURES / name for name in LONE]
    groups = [group for group in FIXTURES.iterdir() if group.is_dir() and group not in lone]
    groups += [sdk for group in groups if group.name in NESTED for sdk in group.iterdir() if sdk.is_dir()]
    groups = [group for group in groups if group.name not in NESTED]
    found = lone + [path for group in groups for path in group.iterdir() if _is_case(path)]
    return tuple(Case(path.relative_to(FIXTURES).with_suffix("").as_posix(), path) for path in sorted(found))


def _is_case(path: Path) -> bool:
    return path.suffix in (".py", ".ipynb") or (path.is_dir() and path.name != "__pycache__")


def marks(case: Case) -> tuple[frozenset[Mark], frozenset[Mark]]:
    """The findings that a case expects, and its known misses.

    Raises:
        ValueError: a mark that cannot be read.
    """
    expected: set[Mark] = set()
    todo: set[Mark] = set()
    for file in case.files(MARKED):
        for name, text in _texts(case.folder / file, file.as_posix()):
            for number, line in enumerate(_LINE_END.split(text), 1):
                for known_miss, rules in _marks_of(line, f"{name}:{number}"):
                    (todo if known_miss else expected).update(Mark(name, number, rule) for rule in rules)
    return frozenset(expected), frozenset(todo)


def _texts(file: Path, name: str) -> Iterator[tuple[str, str]]:
    """What carries the marks of a file: all of it, or each code cell; and its name."""
    # Bytes that are no UTF-8 are the point of some cases; a mark is ASCII and survives.
    text = file.read_bytes().decode(errors="replace")
    if file.suffix != ".ipynb":
        yield name, text
        return
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        if cell["cell_type"] == "code":
            yield f"{name}:cell {number}", "".join(cell["source"])


def _marks_of(line: str, place: str) -> Iterator[tuple[bool, list[str]]]:
    """The marks of one line: whether it is a known miss, and its rules."""
    while mark := _MARK.search(line):
        rest, _, line = mark[2].partition(" #")
        line = f"#{line}"
        if not _RULES.fullmatch(rest.strip()):
            raise ValueError(f"{place}: a mark is written `# expect: rule, rule`, not `{mark[0]}`")
        yield bool(mark[1]), rest.strip().split(", ")


def run(case: Case, paths: tuple[Path, ...] = ()) -> Report:
    """What scope-lint says of a case, run from the folder that holds it; `paths` are the case itself if left out."""
    with contextlib.chdir(case.folder):
        return check(paths or (Path(case.path.name),))


def found(report: Report) -> frozenset[Mark]:
    """The findings of a run, as marks."""
    return frozenset(Mark(finding.place.where, finding.place.line, finding.rule) for finding in report.findings)
