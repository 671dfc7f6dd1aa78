"""The one sentence: discover, sieve, outline, collect, link, judge, report."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scope_lint import beliefs, rules
from scope_lint.config import Overrides, Settings, find_settings, load_settings, override
from scope_lint.corpus import Corpus
from scope_lint.discover import DiscoverError, discover
from scope_lint.link import Linked, link
from scope_lint.model import Evidence, File, Finding, Place, Report, Sink, Site, Stats, Store
from scope_lint.rules import unused_ignore
from scope_lint.sieve import interests
from scope_lint.suppress import Ignore, find_ignores, suppress


class Project(Struct, frozen=True):
    """One corpus: its settings, the folders and files that make it up, and those of them that are reported."""

    settings: Settings
    corpus: tuple[Path, ...]
    targets: tuple[Path, ...]
    tracked: bool


def check(paths: Sequence[Path], *, config: Path | None = None, overrides: Overrides | None = None) -> Report:
    """Judge the projects that `paths` belong to, and report what is in `paths`.

    For each path the project is the nearest folder upwards with settings; paths without any are one corpus by
    themselves, and so are all paths where `config` names the settings.

    Raises:
        SettingsError: the settings, or the overrides, are wrong.
        DiscoverError: a path does not exist.
    """
    projects = _projects(paths, config, overrides or Overrides())
    return _merged([_run(project) for project in projects])


def _projects(paths: Sequence[Path], config: Path | None, overrides: Overrides) -> list[Project]:
    groups: dict[Path | None, list[Path]] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise DiscoverError(f"{path}: no such file or folder")
        groups.setdefault(config or find_settings(path), []).append(path)
    names = [rule.name for rule in rules.RULES]
    projects = []
    for file, targets in groups.items():
        alone = file is None or config is not None
        root = _common_folder(targets) if alone else file.parent
        settings = override(load_settings(file, root, names), overrides, names)
        corpus = targets if alone else [root, *targets]
        projects.append(Project(settings, tuple(corpus), tuple(targets), overrides.tracked))
    return projects


def _common_folder(paths: Sequence[Path]) -> Path:
    """Return the folder that holds everything; test code is told by what lies below it."""
    folders = [path if path.is_dir() else path.parent for path in (Path(os.path.abspath(each)) for each in paths)]
    return Path(os.path.commonpath(folders))


def _run(project: Project) -> Report:
    settings = project.settings
    files = discover(project.corpus, root=settings.root, exclude=settings.exclude, tracked=project.tracked)
    if project.corpus == project.targets:
        reported = files
    else:
        reported = discover(project.targets, root=settings.root, exclude=settings.exclude, tracked=project.tracked)
    corpus = Corpus(files)
    linked = _linked(corpus, files, settings.stores)
    sites = tuple(site for site in linked.sites if settings.tests or not site.test)
    findings = _judged(corpus, settings, sites, linked)
    return _report(project, corpus, reported, files, findings, sites, linked)


def _linked(corpus: Corpus, files: Sequence[File], stores: Sequence[Store]) -> Linked:
    """Read and link in turns, until link asks for nothing that is not there."""
    paths = [file.name for file in files]
    corpus.look_for(interests(stores))
    corpus.collect()
    while True:
        linked = link(corpus.facts(), paths, stores)
        corpus.look_for_callers(linked.wrappers)
        corpus.want(linked.wanted)
        if not corpus.collect():
            return linked


def _judged(corpus: Corpus, settings: Settings, sites: tuple[Site, ...], linked: Linked) -> tuple[Finding, ...]:
    evidence = Evidence(
        sites=sites,
        stores=settings.stores,
        beliefs=beliefs.learn(sites, settings.stores),
        problems=tuple(sorted(corpus.problems)),
        unmatched=tuple(_unmatched(settings.stores, linked)),
    )
    chosen = [rule for rule in rules.RULES if _is_on(rule.name, settings)]
    severities = dict(settings.severity)
    found = rules.judge(evidence, chosen)
    return tuple(replace(each, severity=severities.get(each.rule, each.severity)) for each in found)


def _is_on(rule: str, settings: Settings) -> bool:
    return rule not in settings.ignore and (settings.select is None or rule in settings.select)


def _unmatched(stores: Sequence[Store], linked: Linked) -> list[tuple[Store, Sink | None]]:
    """Return what the user declared and no call matches: whole stores, and sinks of the others."""
    matched = set(linked.matched)
    found: list[tuple[Store, Sink | None]] = []
    for store in stores:
        declared = [sink for sink in store.sinks if sink.declared_at is not None]
        missing = [sink for sink in declared if (store.name, sink) not in matched]
        if store.declared_at is not None and not any((store.name, sink) in matched for sink in store.sinks):
            found.append((store, None))
        else:
            found += [(store, sink) for sink in missing]
    return found


def _report(
    project: Project,
    corpus: Corpus,
    reported: Sequence[File],
    files: Sequence[File],
    findings: tuple[Finding, ...],
    sites: tuple[Site, ...],
    linked: Linked,
) -> Report:
    names = {file.name for file in reported}
    suppressed = suppress(findings, _ignores(corpus, files))
    whole = all(path.is_dir() for path in project.targets) and len(names) == len(files)
    unused = _unused(project.settings, suppressed.unused) if whole else ()
    kept = [each for each in (*suppressed.kept, *unused) if each.place.path in names or _is_in_settings(project, each)]
    shown = tuple(site for site in sites if site.place.path in names)
    opaque = sum(site.opaque is not None for site in shown)
    stats = Stats(
        files=len(reported),
        parsed=sum(1 for file in corpus.facts() if file.chunks and file.file.name in names),
        sites=len(shown),
        resolved=len(shown) - opaque,
        opaque=opaque,
        ignored=sum(each.place.path in names for each in suppressed.ignored),
        test_sites=0
        if project.settings.tests
        else sum(site.test and site.place.path in names for site in linked.sites),
    )
    problems = tuple(sorted(problem for problem in corpus.problems if problem.place.path in names))
    lines = Lines(corpus)
    placed = sorted(kept, key=lambda each: (each.place, each.rule, each.key or ""))
    found = tuple(replace(each, line_text=lines.at(each.place)) for each in placed)
    return Report(found, shown, problems, stats, project.settings.fail_on)


def _is_in_settings(project: Project, finding: Finding) -> bool:
    return finding.rule == "unmatched-store" and project.settings.file is not None


def _ignores(corpus: Corpus, files: Sequence[File]) -> list[Ignore]:
    found: list[Ignore] = []
    for file in files:
        reading = corpus.readings.get(file.name)
        if reading is not None and b"scope-lint:" in reading.source.data:
            found += find_ignores(file.name, corpus.text(file.name) or "")
    return found


def _unused(settings: Settings, unused: Sequence[tuple[Ignore, str | None]]) -> tuple[Finding, ...]:
    """Return the ignores that suppress nothing, of rules that were asked for."""
    if not _is_on(unused_ignore.NAME, settings):
        return ()
    known = {rule.name for rule in rules.RULES}
    narrowed = settings.select is not None or bool(settings.ignore)
    judged = [
        (ignore.place, rule, ignore.reason or "")
        for ignore, rule in unused
        if (rule is None and not narrowed) or (rule is not None and (rule not in known or _is_on(rule, settings)))
    ]
    return unused_ignore.findings(judged)


class Lines:
    """Source lines of findings, of Python files and of the settings."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._split: dict[str, list[str]] = {}

    def at(self, place: Place) -> str:
        """Return the first line of `place`, without its end; "" if the file cannot be read as text."""
        if place.path not in self._split:
            text = self._corpus.text(place.path) or _text_of_settings(place.path)
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


def _merged(reports: Sequence[Report]) -> Report:
    if len(reports) == 1:
        return reports[0]
    total = {name: sum(getattr(report.stats, name) for report in reports) for name in Stats.__struct_fields__}
    findings = sorted(
        (finding for report in reports for finding in report.findings),
        key=lambda each: (each.place, each.rule, each.key or ""),
    )
    return Report(
        findings=tuple(findings),
        sites=tuple(
            sorted(
                (site for report in reports for site in report.sites),
                key=lambda site: (site.place, site.store, site.sink),
            )
        ),
        problems=tuple(sorted(problem for report in reports for problem in report.problems)),
        stats=Stats(**total),
        fail_on="error" if all(report.fail_on == "error" for report in reports) else "warning",
    )
