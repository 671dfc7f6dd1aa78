"""Scopes resolved: each line under `fixtures/linking/` that hands a scope over says what its keys are.

    bank.ingest_events([], scope={"user_id": str(uid)})  # site: user_id=str():uid

Keys are sorted; `key?` can be absent; a value is its shape and the text of its leaf, a constant is written out, and
alternatives stand beside one another with `|`. `…` says that there can be other keys, `opaque` that nothing is known.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from scope_lint.model import Key, Report, Site, Writing
from scope_lint.pipeline import check

LINKING = Path(__file__).parent.parent / "fixtures" / "linking"
CASES = sorted(path for path in LINKING.iterdir() if path.suffix == ".py" or (path.is_dir() and path.stem[0] != "_"))
MARK = re.compile(r"#\s*site:\s*(.*?)\s*(?:#\s.*)?$")

Places = Mapping[tuple[str, int], list[str]]


def expected(case: Path) -> Places:
    """What the marks of a case say, by file and line."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for file in [case] if case.is_file() else sorted(case.rglob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            mark = MARK.search(line)
            if mark:
                found[file.relative_to(LINKING).as_posix(), number].append(mark[1])
    return found


def actual(report: Report) -> Places:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for site in report.sites:
        found[site.place.path, site.place.span.line].append(", ".join(written(site)))
    return found


def written(site: Site) -> Iterator[str]:
    if site.opaque is not None:
        yield "opaque"
        return
    for key in sorted(site.keys, key=lambda each: each.name):
        yield f"{key.name}{'?' if key.maybe else ''}={values(key)}"
    if not site.complete:
        yield "…"


def values(key: Key) -> str:
    return "|".join(sorted(value(each) for each in key.writings))


def value(writing: Writing) -> str:
    if writing.constant is not None:
        return f'"{writing.constant}"' if writing.type == "str" else writing.constant
    return f"{writing.shape}:{writing.text}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_scope_at_each_place(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LINKING)
    assert actual(check([case.relative_to(LINKING)])) == expected(case)


def test_the_corpus_can_be_a_package_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LINKING / "receivers")
    assert (LINKING / "receivers" / "__init__.py").exists()
    assert len(check([Path()]).sites) == sum(map(len, expected(LINKING / "receivers").values()))
