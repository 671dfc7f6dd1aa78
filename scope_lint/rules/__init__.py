"""The rules: one module each, whose docstring is its manual page; `RULES` is the only registry."""

from collections.abc import Iterable, Iterator, Sequence

from scope_lint.model import Evidence, Finding, Place
from scope_lint.rules import (
    disallowed_key,
    dynamic_key,
    invalid_scope,
    missing_key,
    no_majority,
    non_tenant,
    shape_drift,
    type_drift,
    unmatched_store,
    unreadable_file,
    unused_ignore,
)
from scope_lint.rules.finding import fingerprinted
from scope_lint.rules.rule import Rule

__all__ = ["RULES", "Rule", "is_on", "judge", "page"]

# In the order in which they speak: of one value only the first has its say.
RULES: tuple[Rule, ...] = (
    invalid_scope.RULE,
    missing_key.RULE,
    disallowed_key.RULE,
    type_drift.RULE,
    shape_drift.RULE,
    no_majority.RULE,
    non_tenant.RULE,
    dynamic_key.RULE,
    unmatched_store.RULE,
    unreadable_file.RULE,
    unused_ignore.RULE,
)

_OF_KEYS = frozenset({missing_key.NAME, disallowed_key.NAME})


def page(name: str) -> str:
    """The manual page of the rule `name`. Raises KeyError for a name that is no rule's."""
    return {rule.name: rule.page for rule in RULES}[name]


def is_on(name: str, select: Sequence[str] | None, ignore: Sequence[str]) -> bool:
    """Whether a rule is to speak: it is selected, or all are, and it is not ignored."""
    return name not in ignore and (select is None or name in select)


def judge(evidence: Evidence, rules: Sequence[Rule] = RULES) -> tuple[Finding, ...]:
    """The findings of `rules` (in the order of the registry), sorted by place, then by rule.

    One value, one finding: a rule is silent where one before it has spoken, so rules that are not to be reported must
    not be among `rules`.
    """
    order = {rule.name: number for number, rule in enumerate(RULES)}
    found = (finding for rule in rules for finding in rule.check(evidence))
    ordered = sorted(_first_of_each_value(found), key=lambda one: (one.place, order[one.rule], one.key or ""))
    return fingerprinted(ordered)


def _first_of_each_value(findings: Iterable[Finding]) -> Iterator[Finding]:
    taken: set[tuple[Place, str | None]] = set()
    refused: set[tuple[Place, str | None]] = set()
    spoken: list[Finding] = []
    for finding in findings:
        if (finding.place, finding.key) in taken or _said(finding, spoken, refused):
            continue
        taken.add((finding.place, finding.key))
        if finding.rule == invalid_scope.NAME:
            refused.update(_at_calls(finding))
        spoken.append(finding)
        yield finding


def _said(finding: Finding, spoken: Iterable[Finding], refused: set[tuple[Place, str | None]]) -> bool:
    """Whether a finding only repeats what was said: a key that is missing was passed where its calls refuse it."""
    if finding.rule == non_tenant.NAME:
        return _said_of_parts(finding, spoken)
    return finding.rule in _OF_KEYS and finding.key is not None and _at_calls(finding) <= refused


def _at_calls(finding: Finding) -> set[tuple[Place, str | None]]:
    return {(related.place, finding.key) for related in finding.related}


def _said_of_parts(whole: Finding, spoken: Iterable[Finding]) -> bool:
    """Whether a finding on a whole scope only repeats what was said of its keys or of a value in it.

    A key that is added after the literal stands outside of it, and is known by the calls that both reach.
    """
    reached = {related.place for related in whole.related}
    for finding in spoken:
        if finding.rule == no_majority.NAME:
            continue
        of_keys = finding.rule in _OF_KEYS
        if _within(finding.place, whole.place) or (of_keys and any(one.place in reached for one in finding.related)):
            return True
    return False


def _within(inner: Place, outer: Place) -> bool:
    start = (inner.span.line, inner.span.column)
    end = (inner.span.end_line, inner.span.end_column)
    opens = (outer.span.line, outer.span.column)
    closes = (outer.span.end_line, outer.span.end_column)
    return inner.path == outer.path and opens <= start and end <= closes
