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

from collections.abc import Iterator, Sequence

from scope_lint.model import Evidence, Finding, Sink, Store
from scope_lint.rules.finding import identity
from scope_lint.rules.rule import rule

NAME = "unmatched-store"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Stores and sinks of the settings that met no call. What ships with scope-lint is not the user's business.

    Several sinks of one store are one finding, at the store.
    """
    missing: dict[str, list[Sink]] = {}
    for store, sink in evidence.unmatched:
        missing.setdefault(store.name, []).extend([sink] if sink is not None else store.sinks)
    for name in sorted(missing):
        store = next(store for store, _ in evidence.unmatched if store.name == name)
        yield from _finding(store, missing[name])


def _finding(store: Store, sinks: Sequence[Sink]) -> Iterator[Finding]:
    alone = len(sinks) == 1 and len(store.sinks) > 1
    place = sinks[0].declared_at if alone else store.declared_at
    if place is None:
        return
    names = [f"`{sink.call}`" for sink in sinks]
    if len(sinks) == len(store.sinks):
        what = f"any sink of store `{store.name}`: nothing of it was checked"
    elif alone:
        what = f"sink {names[0]} of store `{store.name}`: nothing of it was checked"
    else:
        what = f"{len(sinks)} of the {len(store.sinks)} sinks of store `{store.name}`: {', '.join(names)}"
    yield Finding(
        rule=NAME,
        severity="warning",
        effect=None,
        place=place,
        store=store.name,
        key=None,
        message=f"no call matches {what}",
        fingerprint=identity(NAME, place.path, None, store.name, "", " ".join(sink.call for sink in sinks)),
    )


RULE = rule(NAME, "warning", None, __doc__, check)
