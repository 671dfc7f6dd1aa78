"""A configured store, or a sink of one, that no call matches.

What it finds. A sink in the settings whose name no call of the project has: misspelt, renamed, or removed. If that is
so for all sinks of a store, it is one finding on the store.

Why it matters. What no sink matches is not checked, and silence because nothing was looked at looks like silence
because all is well.

Flagged:

    # pyproject.toml
    [tool.scope-lint.stores.shelf]
    scope = "scope"
    sinks = [
        { call = "put_away", role = "write" },
        { call = "look_pu", role = "read" },  # expect: unmatched-store
    ]
    # app.py
    def keep(shelf, user: str, text: str):
        shelf.put_away(text, scope={"user_id": user})

    def find(shelf, user: str):
        return shelf.look_up(scope={"user_id": user})

Silent:

    # pyproject.toml
    [tool.scope-lint.stores.shelf]
    scope = "scope"
    sinks = [
        { call = "put_away", role = "write" },
        { call = "look_up", role = "read" },
    ]
    # app.py
    def keep(shelf, user: str, text: str):
        shelf.put_away(text, scope={"user_id": user})

    def find(shelf, user: str):
        return shelf.look_up(scope={"user_id": user})

How to fix it. Write `call` as the code has it: a method's name, a dotted suffix (`bank.ingest`), or the full name.

When to silence it. When the calls are in a part of the project that this run does not look at, or are still to come.
"""

from collections.abc import Iterator

from scope_lint.model import Evidence, Finding, Sink, Store
from scope_lint.rules.finding import identity
from scope_lint.rules.rule import rule

NAME = "unmatched-store"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Stores and sinks of the settings that met no call. What ships with scope-lint is not the user's business."""
    whole = {store.name for store, sink in evidence.unmatched if sink is None} | _without_sinks(evidence)
    for name in sorted(whole):
        store = next(store for store, _ in evidence.unmatched if store.name == name)
        yield from _finding(store, None)
    for store, sink in evidence.unmatched:
        if store.name not in whole and sink is not None:
            yield from _finding(store, sink)


def _without_sinks(evidence: Evidence) -> set[str]:
    """Stores all of whose sinks are unmatched."""
    pairs = [(store, sink) for store, sink in evidence.unmatched if sink is not None]
    return {store.name for store, _ in pairs if set(store.sinks) == {sink for other, sink in pairs if other == store}}


def _finding(store: Store, sink: Sink | None) -> Iterator[Finding]:
    place = sink.declared_at if sink is not None and sink.declared_at is not None else store.declared_at
    if place is None:
        return
    what = f"sink `{sink.call}` of store `{store.name}`" if sink is not None else f"any sink of store `{store.name}`"
    identified = identity(NAME, place.path, None, store.name, "", sink.call if sink is not None else "")
    yield Finding(
        rule=NAME,
        severity="warning",
        effect=None,
        place=place,
        store=store.name,
        key=None,
        message=f"no call matches {what}: nothing of it was checked",
        fingerprint=identified,
    )


RULE = rule(NAME, "warning", None, __doc__, check)
