"""What a rule is."""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from scope_lint.model import Effect, Evidence, Finding, Severity


class Rule(Struct, frozen=True):
    """A rule: its name, its defaults, and its check.

    severity  "error" or "warning"; None for a rule that is off unless selected
    effect    what its findings do to tenants; "by store" where that depends on how the store matches; None for none
    summary   the first line of the manual page
    page      the manual page, the docstring of the rule's module
    check     yields the findings, one per origin; their fingerprints are what identifies them, not hashed yet
    """

    name: str
    severity: Severity | None
    effect: Effect | Literal["by store"] | None
    summary: str
    page: str
    check: Callable[[Evidence], Iterator[Finding]]


def rule(
    name: str,
    severity: Severity | None,
    effect: Effect | Literal["by store"] | None,
    page: str | None,
    check: Callable[[Evidence], Iterator[Finding]],
) -> Rule:
    """Make the rule of a module from its docstring, which `python -OO` leaves out."""
    text = (page or f"{name}\n").strip() + "\n"
    return Rule(name, severity, effect, text.split("\n", 1)[0], text, check)
