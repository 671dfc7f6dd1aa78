"""Findings and sites to a report: what suppressions leave, what the paths chose, with source lines and counts."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from scope_lint import inventory
from scope_lint.config import Settings
from scope_lint.corpus import Corpus
from scope_lint.link import Linked
from scope_lint.model import Finding, Inventory, Place, Report, Severity, Stats
from scope_lint.projects import Project
from scope_lint.rules import RULES, is_on, unmatched_store, unused_ignore
from scope_lint.suppress import Ignore, find_ignores, suppress


def assemble(
    project: Project, corpus: Corpus, findings: Sequence[Finding], linked: Linked, stores: Inventory
) -> Report:
    """Return the report of one project."""
    suppressed = suppress(findings, _ignores(project, corpus))
    unused = _unused(project.settings, suppressed.unused) if project.whole else ()
    kept = [each for each in (*suppressed.kept, *unused) if _is_reported(project, each)]
    lines = _Lines(corpus)
    found = [replace(each, line_text=lines.at(each.place)) for each in sorted(kept, key=in_order)]
    voting = [site for site in linked.sites if site.place.path in project.reported]
    shown = tuple(site for site in voting if project.settings.tests or not site.test)
    opaque = sum(site.opaque is not None for site in shown)
    stats = Stats(
        files=len(project.reported),
        parsed=sum(bool(each.chunks) and each.file.name in project.reported for each in corpus.facts()),
        sites=len(shown),
        resolved=len(shown) - opaque,
        opaque=opaque,
        ignored=sum(_is_reported(project, each) for each in suppressed.ignored),
        test_sites=len(voting) - len(shown),
    )
    unreported = {file.name for file in project.files} - project.reported
    problems = sorted(problem for problem in corpus.problems if problem.place.path not in unreported)
    return Report(tuple(found), shown, tuple(problems), stats, project.settings.fail_on, stores)


def in_order(finding: Finding) -> tuple[Place, str, str]:
    """Return the key by which findings are sorted: place, rule, key."""
    return finding.place, finding.rule, finding.key or ""


def _is_reported(project: Project, finding: Finding) -> bool:
    return finding.place.path in project.reported or finding.rule == unmatched_store.NAME


def _ignores(project: Project, corpus: Corpus) -> list[Ignore]:
    found: list[Ignore] = []
    for file in project.files:
        reading = corpus.readings.get(file.name)
        if reading is not None and b"scope-lint:" in reading.source.data:
            found += corpus.in_cells(find_ignores(file.name, corpus.text(file.name) or ""))
    return found


def _unused(settings: Settings, unused: Sequence[tuple[Ignore, str | None]]) -> tuple[Finding, ...]:
    """Return the ignores that suppress nothing, of rules that were asked for."""
    if not is_on(unused_ignore.NAME, settings.select, settings.ignore):
        return ()
    known = {rule.name for rule in RULES}
    judged = []
    for ignore, rule in unused:
        if rule is None:
            asked_for = settings.select is None and not settings.ignore
        else:
            asked_for = rule not in known or is_on(rule, settings.select, settings.ignore)
        if asked_for:
            judged.append((ignore.place, rule, ignore.reason or ""))
    return unused_ignore.findings(judged)


class _Lines:
    """Source lines of findings, in Python files, notebooks and the settings."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._split: dict[str, list[str]] = {}

    def at(self, place: Place) -> str:
        """Return the first line of `place`, without its end; "" if the file cannot be read as text."""
        if place.path not in self._split:
            text = self._corpus.shown(place.path)
            if text is None:
                text = _text_of_settings(place.path)
            self._split[place.path] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        lines = self._split[place.path]
        return lines[place.span.line - 1] if place.span.line <= len(lines) else ""


def _text_of_settings(path: str) -> str:
    if not path.endswith(".toml"):
        return ""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def merged(reports: Sequence[Report]) -> Report:
    """Return the reports of several projects as one."""
    if len(reports) == 1:
        return reports[0]
    total = {name: sum(getattr(report.stats, name) for report in reports) for name in Stats.__struct_fields__}
    findings = sorted((finding for report in reports for finding in report.findings), key=in_order)
    sites = sorted((site for report in reports for site in report.sites), key=lambda site: (site.place, site.store))
    problems = sorted(problem for report in reports for problem in report.problems)
    strict = all(report.fail_on == "error" for report in reports)
    stores = inventory.merged([report.stores for report in reports])
    fail_on: Severity = "error" if strict else "warning"
    return Report(tuple(findings), tuple(sites), tuple(problems), Stats(**total), fail_on, stores)
