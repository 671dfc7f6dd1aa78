"""A value is not of the type that the store takes, or that the rest have.

What it finds. A value that is known not to be a string where the store refuses others, whatever the rest do; in a
store that keeps other types, one of another type than most of the known ones. Types are known from constants,
conversions and annotations; what is not known is left alone, and so are stores that make strings of everything. None
is no type here.

Why it matters. `{"user_id": "42"}` and `{"user_id": 42}` are two addresses, or the second is refused: the assistant
forgets, and no error is raised. In a replay of 4,000 turns, making all values strings raised the hit rate by 7.2 points
of 100.

Flagged:

    import uuid

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

    def close(memory, user: uuid.UUID):
        memory.retrieve("all", scope={"user_id": user})  # expect: type-drift

Silent:

    import uuid

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

    def close(memory, user: uuid.UUID):
        memory.retrieve("all", scope={"user_id": str(user)})

How to fix it. Convert where the identity enters the program, or at this call, by the function that the rest use.

When to silence it. If the store makes strings itself, say so: `non-strings = "coerced"`.
"""

from collections.abc import Iterator

from scope_lint.model import Belief, Evidence, Finding, Site, Store, Writing
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import places, share, stores_by_name, writings_of
from scope_lint.writings import code_of, in_code, is_constant, known_type

NAME = "type-drift"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Values of a known type that is not the believed one."""
    stores = stores_by_name(evidence)
    found = [
        Deviation(writing.place, belief.key, evidence.sites[index], (belief,), writing)
        for belief in evidence.beliefs
        if belief.about == "type" and belief.value is not None
        for side in belief.sides
        if side.value != belief.value
        for index in side.sites
        for writing in writings_of(evidence.sites[index], belief.key)
        if known_type(writing) == side.value
    ]
    for origin in origins(found):
        first = origin[0]
        if first.writing is not None:
            saying = _say(evidence, stores[first.site.store], first.beliefs[0], first.writing)
            yield compose(NAME, "error", origin, saying, code_of(first.writing))


def _say(evidence: Evidence, store: Store, belief: Belief, writing: Writing) -> Saying:
    kind, wanted = known_type(writing) or "", belief.value or ""
    norm = f"store `{store.name}` takes strings only" if belief.pinned else f"{share(belief)} pass {wanted}"
    doers = _doers(evidence, belief)
    return Saying(
        message=f"{belief.key} is {_article(kind)} {kind}; {norm}",
        effect="splits",
        why=f"store `{store.name}` refuses it, or files it apart from the string"
        if belief.pinned
        else f'store `{store.name}` keeps types: 42 and "42" are two profiles',
        others=f"{code_of(doers[0][1])} at {places(one.place for _, one in doers)}" if doers else "",
        write=_mend(writing, kind, wanted),
    )


def _doers(evidence: Evidence, belief: Belief) -> list[tuple[Site, Writing]]:
    found = [
        (evidence.sites[index], writing)
        for side in belief.sides
        if side.value == belief.value
        for index in side.sites
        for writing in writings_of(evidence.sites[index], belief.key)
        if known_type(writing) == belief.value
    ]
    return sorted(found, key=lambda one: one[1].place)


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiO" else "a"


def _mend(writing: Writing, kind: str, wanted: str) -> str:
    if wanted != "str":
        return f"the value as {_article(wanted)} {wanted}"
    if is_constant(writing) and kind in {"int", "float"}:
        return f'"{writing.constant or writing.text}"'
    if kind in {"bytes", "bytearray"}:
        return f"{code_of(writing)}.decode()"
    return in_code("str()", writing.text) if writing.spelling != "expression" else "the value as a string"


RULE = rule(NAME, "error", "splits", __doc__, check)
