"""Every case under `fixtures/` finds what it marks and nothing else, and keeps the promises made for any input."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from cases import UNMARKED, Case, Mark, all_cases, found, marks, run
from scope_lint.report import FORMATS
from scope_lint.rules import RULES

CASES = all_cases()
ONE_OF_EACH_GROUP = tuple(next(cases) for _, cases in groupby(CASES, lambda case: case.name.partition("/")[0]))

UNRELATED = '''\
"""Prices, and nothing that any case knows of."""

import logging

logger = logging.getLogger(__name__)


class Basket:
    def __init__(self, scope=None):
        self.scope = scope or {"currency": "EUR"}
        self.lines = []

    def put(self, price, quantity=1):
        self.lines.append((price, quantity))
        logger.info("put %s", price, extra={"scope": self.scope})

    def total(self):
        return sum(price * quantity for price, quantity in self.lines)
'''

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_case_of_findings = pytest.mark.parametrize(
    "case", [case for case in CASES if not case.name.startswith(UNMARKED)], ids=lambda case: case.name
)


def lines(title: str, these: frozenset[Mark]) -> list[str]:
    return [title, *(f"    {mark}" for mark in sorted(these))] if these else []


@every_case_of_findings
def test_a_case_finds_what_it_marks_and_nothing_else(case: Case) -> None:
    expected, todo = marks(case)
    actual = found(run(case))
    differences = [
        *lines("expected, not found:", expected - actual),
        *lines("found, not expected:", actual - expected - todo),
        *lines("found at last, so mark it `# expect:`:", actual & todo),
    ]
    assert not differences, "\n".join([case.name, *differences])


@every_case
def test_marks_name_rules_that_exist(case: Case) -> None:
    expected, todo = marks(case)
    assert {mark.rule for mark in expected | todo} <= {rule.name for rule in RULES}


@every_case
def test_one_value_has_one_finding(case: Case) -> None:
    places = Counter((finding.place, finding.key) for finding in run(case).findings)
    assert [place for place, count in places.items() if count > 1] == []


@every_case
def test_the_order_of_files_does_not_matter(case: Case) -> None:
    # Suppressions that suppress nothing are judged where the whole project is given, and that is a folder.
    expected = [finding for finding in run(case).findings if finding.rule != "unused-ignore"]
    assert [*run(case, case.files()[::-1]).findings] == expected


@every_case
def test_an_unrelated_file_changes_nothing(case: Case, tmp_path: Path) -> None:
    if case.path.is_dir():
        folder = tmp_path / case.path.name
        shutil.copytree(case.path, folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        folder = tmp_path
        shutil.copy(case.path, folder)
    copy = Case(case.name, tmp_path / case.path.name)
    (folder / "unrelated_prices.py").write_text(UNRELATED, encoding="utf-8")
    more = Path("unrelated_prices.py")
    report = run(copy) if case.path.is_dir() else run(copy, (Path(case.path.name), more))
    assert report.findings == run(case).findings


@every_case
def test_two_runs_are_the_same_to_the_byte(case: Case) -> None:
    first, second = run(case), run(case)
    assert first == second
    assert [render(first) for render in FORMATS.values()] == [render(second) for render in FORMATS.values()]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", ONE_OF_EACH_GROUP, ids=lambda case: case.name)
def test_output_does_not_depend_on_the_order_of_hashes(case: Case, form: str) -> None:
    command = [sys.executable, "-m", "scope_lint", "check", "--exit-zero", "--format", form, case.path.name]
    outputs = [
        subprocess.run(
            command, cwd=case.folder, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        for seed in ("1", "2", "3")
    ]
    assert len({(output.stdout, output.stderr) for output in outputs}) == 1


def test_a_mark_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "typo.py").write_text("x = 1  # expect shape drift\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"typo\.py:1: a mark is written"):
        marks(Case("typo", tmp_path / "typo.py"))


def test_a_line_can_carry_several_marks(tmp_path: Path) -> None:
    line = "f(x)  # expect: missing-key, type-drift  # expect-todo: dynamic-key\n"
    (tmp_path / "two.py").write_text(line, encoding="utf-8")
    expected, todo = marks(Case("two", tmp_path / "two.py"))
    assert expected == {Mark("two.py", 1, "missing-key"), Mark("two.py", 1, "type-drift")}
    assert todo == {Mark("two.py", 1, "dynamic-key")}
