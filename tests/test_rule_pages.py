"""The examples of the rules' manual pages: what is flagged is found as marked, and what is silent is silent.

An example is the indented block below `Flagged:` or `Silent:`. It is the file `app.py`; a line that is a comment with
nothing but a file's name begins another file.
"""

import re
import textwrap
from pathlib import Path

import pytest

from scope_lint.config import Overrides
from scope_lint.pipeline import check
from scope_lint.rules import RULES, Rule

_BLOCK = re.compile(r"^(?P<name>Flagged|Silent):\n\n(?P<code>(?:(?: {4}.*)?\n)+)", re.MULTILINE)
_FILE = re.compile(r"# (?P<name>\w+\.(?:py|toml))")
_MARK = re.compile(r"# expect: (?P<rule>[a-z-]+)")

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def example(rule: Rule, name: str) -> dict[str, str]:
    """The files of the example of this name."""
    (code,) = (found["code"] for found in _BLOCK.finditer(rule.page) if found["name"] == name)
    files: dict[str, list[str]] = {}
    current = "app.py"
    for line in textwrap.dedent(code).strip("\n").split("\n"):
        file = _FILE.fullmatch(line)
        current = file["name"] if file else current
        files.setdefault(current, []).extend([] if file else [line])
    return {path: "\n".join(lines) + "\n" for path, lines in files.items()}


def expected(files: dict[str, str]) -> list[tuple[str, str, int]]:
    return sorted(
        (mark["rule"], path, number)
        for path, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        for mark in _MARK.finditer(line)
    )


def found(files: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int]]:
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    report = check([Path()], overrides=Overrides())
    return sorted((one.rule, one.place.path, one.place.span.line) for one in report.findings)


@each_rule
def test_what_is_flagged_is_found(rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = example(rule, "Flagged")
    assert rule.name in {mark[0] for mark in expected(files)}
    assert found(files, tmp_path, monkeypatch) == expected(files)


@each_rule
def test_what_is_silent_is_silent(rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = example(rule, "Silent")
    assert not expected(files)
    assert not found(files, tmp_path, monkeypatch)
