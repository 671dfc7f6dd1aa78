"""The one sentence: discover, sieve, outline, collect, link, judge, report."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from scope_lint import activation, beliefs, dependencies, inventory, rules
from scope_lint.activation import Active
from scope_lint.config import Overrides, Settings
from scope_lint.corpus import Corpus
from scope_lint.link import Linked, link
from scope_lint.model import Evidence, Finding, Inventory, Report, Sink, Store
from scope_lint.outcome import assemble, merged
from scope_lint.projects import Project, find_projects
from scope_lint.sieve import interests


def check(
    paths: Sequence[Path], *, config: Path | None = None, overrides: Overrides | None = None, stores: bool = False
) -> Report:
    """Judge the projects that `paths` belong to, and report what is in `paths`.

    `config` names a settings file to use instead of those found; `overrides` are what the command line adds; `stores`
    asks for the inventory of stores as well.

    Raises:
        SettingsError: the settings, or the overrides, are wrong.
        DiscoverError: a path does not exist.
    """
    names = [rule.name for rule in rules.RULES]
    projects = find_projects(paths, config, overrides or Overrides(), names)
    return merged([_run(project, stores=stores) for project in projects])


def _run(project: Project, *, stores: bool) -> Report:
    corpus = Corpus(project.files)
    active = _activated(corpus, project)
    linked = _linked(corpus, active)
    findings = _judged(corpus, project.settings, active, linked)
    found = inventory.take(project, corpus, active, linked) if stores else Inventory()
    return assemble(project, corpus, findings, linked, found)


def _activated(corpus: Corpus, project: Project) -> tuple[Active, ...]:
    """Return the stores that are on in this corpus, as the releases that it depends on have them."""
    stores = project.settings.stores
    imported = corpus.importing(activation.modules(stores))
    active = activation.activate(stores, imported, corpus.naming(activation.telling_names(stores)))
    importing = frozenset(name for each in active for name in each.files)
    files = [file for file in project.files if file.name in importing]
    fitted = dependencies.fit([each.store for each in active], files, project.settings.root)
    corpus.problems += fitted.dependencies.problems
    return tuple(replace(each, store=store) for each, store in zip(active, fitted.stores, strict=True))


def _linked(corpus: Corpus, active: Sequence[Active]) -> Linked:
    """Read and link in turns, until link asks for nothing that is there and was not read."""
    paths = sorted(corpus.readings)
    stores = [each.store for each in active]
    imports = {each.store.name: each.files for each in active}
    corpus.look_for(interests(stores), activation.trusted(active, corpus.words))
    corpus.collect()
    while True:
        linked = link(corpus.facts(), paths, stores, imports)
        corpus.look_for_callers(linked.wrappers)
        corpus.want(linked.wanted)
        if not corpus.collect():
            return replace(linked, sites=corpus.in_cells(linked.sites))


def _judged(corpus: Corpus, settings: Settings, active: Sequence[Active], linked: Linked) -> tuple[Finding, ...]:
    """Return the findings of the rules that are on, over all sites that vote."""
    sites = tuple(site for site in linked.sites if settings.tests or not site.test)
    stores = (*(each.store for each in active), *linked.home_made)
    evidence = Evidence(
        sites=sites,
        stores=stores,
        beliefs=beliefs.learn(sites, stores),
        problems=tuple(sorted(corpus.problems)),
        unmatched=tuple(_unmatched(settings.stores, linked)),
    )
    chosen = [rule for rule in rules.RULES if rules.is_on(rule.name, settings.select, settings.ignore)]
    severities = dict(settings.severity)
    found = rules.judge(evidence, chosen)
    return tuple(replace(each, severity=severities.get(each.rule, each.severity)) for each in found)


def _unmatched(stores: Sequence[Store], linked: Linked) -> Iterator[tuple[Store, Sink | None]]:
    """Yield what the user declared and no call matches: whole stores, and sinks of the others."""
    matched = set(linked.matched)
    for store in stores:
        if store.declared_at is not None and not any((store.name, sink) in matched for sink in store.sinks):
            yield store, None
            continue
        for sink in store.sinks:
            if sink.declared_at is not None and (store.name, sink) not in matched:
                yield store, sink
