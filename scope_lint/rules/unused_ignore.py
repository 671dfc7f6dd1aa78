"""A suppression that suppresses nothing.

What it finds. A comment `# scope-lint: ignore[rule]` on a line where that rule, or without brackets any rule, has
nothing to report (any more).

Why it matters. A suppression that outlives its reason hides the next fault on that line.

Flagged:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})  # scope-lint: ignore[missing-key] # expect: unused-ignore

Silent:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

How to fix it. Delete the comment, or the rule's name in it.

When to silence it. A comment that is needed on some branches only: ignore `unused-ignore` in the settings.
"""

from collections.abc import Iterator, Sequence

from scope_lint.model import Evidence, Finding, Place
from scope_lint.rules.finding import fingerprinted, identity
from scope_lint.rules.rule import rule

NAME = "unused-ignore"


def check(_evidence: Evidence) -> Iterator[Finding]:
    """Yield nothing: which suppressions are unused is known only when all findings are; see `findings`."""
    yield from ()


def findings(unused: Sequence[tuple[Place, str | None, str]]) -> tuple[Finding, ...]:
    """The findings on suppressions that suppressed nothing.

    `unused` are the place of each comment, the rule that it names in vain (None: it names none), and the comment's
    text, or "". They come back sorted by place, one for each place and rule.
    """
    ordered = sorted(set(unused), key=lambda one: (one[0], one[1] or "", one[2]))
    return fingerprinted([_finding(place, rule_, text) for place, rule_, text in ordered])


def _finding(place: Place, rule_: str | None, text: str) -> Finding:
    what = f"no {rule_} here" if rule_ is not None else "nothing here"
    return Finding(
        rule=NAME,
        severity="warning",
        effect=None,
        place=place,
        store=None,
        key=None,
        message=f"this comment suppresses nothing: there is {what}",
        fingerprint=identity(NAME, place.path, rule_, text),
    )


RULE = rule(NAME, "warning", None, __doc__, check)
