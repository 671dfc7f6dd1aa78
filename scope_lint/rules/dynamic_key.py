"""A key of a scope that cannot be known statically.

What it finds. `scope[kind] = ident`, `{name: value}` or a comprehension over what the code does not show: the key is
chosen at run time. One finding for each such key, where it is written.

Why it matters. The keys make the address. If the caller, a request or a file chooses them, nobody can say in which
profile a memory lands, and a key of a stranger's choice is a way into another tenant's. Which keys take part was the
costliest of all faults in a replay: 25.8 points of 100 of the hit rate.

Flagged:

    def learn_for(memory, user: str, kind: str, ident: str, text: str):
        memory.ingest(text, scope={"user_id": user, kind: ident})  # expect: dynamic-key

Silent:

    KIND = "team_id"

    def learn_for(memory, user: str, ident: str, text: str):
        memory.ingest(text, scope={"user_id": user, KIND: ident})

How to fix it. Write the keys out; if there are a few kinds of scope, one function for each.

When to silence it. Where the keys are checked against a closed list just before.
"""

from collections.abc import Iterator

from scope_lint.model import Evidence, Finding
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule

NAME = "dynamic-key"
_SAYING = Saying(
    message="a key of this scope is known at run time only",
    effect="splits",
    why="the keys make the address: nobody can say in which profile this lands",
    write="the keys as string constants",
)


def check(evidence: Evidence) -> Iterator[Finding]:
    """Keys that are not known before the program runs."""
    found = [Deviation(place, None, site) for site in evidence.sites for place in site.dynamic]
    for origin in origins(found):
        yield compose(NAME, "warning", origin, _SAYING)


RULE = rule(NAME, "warning", "splits", __doc__, check)
