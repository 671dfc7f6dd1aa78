"""The sites of a key have no majority for its shape or its type.

What it finds. A key that some sites fill one way and as many another way: two against two, or one against one. It is
one finding for the store and key. It stands at the first site of the smallest side, lists all sides, and blames none.

Why it matters. Two functions for one key are two addresses, and each side finds only what it wrote itself. Which of
them is meant nobody can tell from the code; until it is settled, no deviant can be told either.

Flagged:

    def learn_chat(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": f"chat-{user}"})

    def recall_mail(memory, user: str, query: str):
        return memory.retrieve(query, scope={"user_id": f"mail-{user}"})  # expect: no-majority

Silent:

    def learn_chat(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": f"mail-{user}"})

    def recall_mail(memory, user: str, query: str):
        return memory.retrieve(query, scope={"user_id": f"mail-{user}"})

How to fix it. Decide on one, and write all sites so. To have the linter name those still to be changed, pin it in the
settings of the store: `shapes = { user_id = "str()" }`.

When to silence it. When the two are apart on purpose: better two stores in the settings, each with its own sinks.
"""

from collections.abc import Iterator

from scope_lint.declared import match_of
from scope_lint.model import Belief, Evidence, Finding, Side, Store, Writing
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import listed, places, stores_by_name, writings_of
from scope_lint.writings import code_of, in_code, known_type, side

NAME = "no-majority"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Keys without a majority, for shape or else for type."""
    stores = stores_by_name(evidence)
    open_ = [
        belief
        for belief in evidence.beliefs
        if belief.about in {"shape", "type"} and belief.value is None and len(_counted(belief)) > 1
    ]
    shaped = {(belief.store, belief.key) for belief in open_ if belief.about == "shape"}
    found = [
        _smallest(evidence, stores[belief.store], belief)
        for belief in open_
        if belief.about == "shape" or (belief.store, belief.key) not in shaped
    ]
    for origin in origins(found):
        first = origin[0]
        yield compose(NAME, "warning", origin, _say(evidence, stores[first.site.store], first))


def _counted(belief: Belief) -> list[Side]:
    return [one for one in belief.sides if one.votes]


def _smallest(evidence: Evidence, store: Store, belief: Belief) -> Deviation:
    """The first site of the smallest side; of equal ones the last in the order of answers, never of paths."""
    smallest = _counted(belief)[-1]
    place, index = min(
        (writing.place, index) for index in smallest.sites for writing in _on(evidence, store, belief, smallest, index)
    )
    return Deviation(place, belief.key, evidence.sites[index], (belief,))


def _on(evidence: Evidence, store: Store, belief: Belief, answer: Side, index: int) -> list[Writing]:
    """The ways in which a site writes the key that are on the side `answer`."""
    return [
        writing
        for writing in writings_of(evidence.sites[index], belief.key)
        if (known_type(writing) if belief.about == "type" else side(writing, store)) == answer.value
    ]


def _say(evidence: Evidence, store: Store, deviation: Deviation) -> Saying:
    belief = deviation.beliefs[0]
    counts = [f"{_name(belief, one)} at {_times(one.votes)}" for one in _counted(belief)]
    exact = match_of(store, deviation.site) == "exact"
    return Saying(
        message=f"{belief.key} is {listed(counts)}: no majority",
        effect="splits",
        why=f"store `{store.name}` {'matches exactly' if exact else 'compares values as they are'}: "
        "each side finds only what it wrote itself",
        others="; ".join(_side(evidence, store, belief, one) for one in _counted(belief)),
        write=f"one of them everywhere; to pin it: [tool.scope-lint.stores.{store.name}] shapes = {{ {_pin(belief)} }}",
    )


def _times(votes: int) -> str:
    return "1 place" if votes == 1 else f"{votes} places"


def _name(belief: Belief, answer: Side) -> str:
    if belief.about == "type" or answer.value == "as is":
        return answer.value
    return in_code(answer.value, "…")


def _side(evidence: Evidence, store: Store, belief: Belief, answer: Side) -> str:
    found = sorted(
        (writing.place, code_of(writing))
        for index in answer.sites
        for writing in _on(evidence, store, belief, answer, index)
    )
    kind = f" ({answer.value})" if belief.about == "type" else ""
    return f"{found[0][1]}{kind} at {places(place for place, _ in found)}"


def _pin(belief: Belief) -> str:
    answers = [one.value for one in _counted(belief)]
    shape = "str()" if belief.about == "type" or "str()" in answers else answers[0]
    quoted = f"'{shape}'" if '"' in shape else f'"{shape}"'
    key = belief.key if belief.key.replace("_", "").replace("-", "").isalnum() else f'"{belief.key}"'
    return f"{key} = {quoted}"


RULE = rule(NAME, "warning", "splits", __doc__, check)
