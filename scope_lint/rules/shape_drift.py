"""A value is written through another function than the majority's.

What it finds. The same key filled as `str(uid)` at most places and as `uid`, `f"user-{uid}"` or `uid.strip()` at
one. A value that is as is but known to be a string is the same as `str()` of it, and drifts from nothing. Constants,
and identities made on the spot, have no say. Without a majority nobody is blamed: that is `no-majority`. The settings
can pin a shape: `shapes = { user_id = "str()" }`.

Why it matters. A scope is an address: whoever writes it through another function reads another profile, or has to
hope that both functions give the same text for every value. In a replay of 4,000 turns surrounding white space alone
cost 4.9 points of 100 of the hit rate, and types another 7.2.

Flagged:

    def learn(memory, request):
        memory.ingest(request.text, scope={"user_id": str(request.user.id)})

    def recall(memory, request):
        return memory.retrieve(request.query, scope={"user_id": str(request.user.id)})

    def card(memory, session):
        return memory.retrieve_profile(scope={"user_id": session.uid})  # expect: shape-drift

Silent:

    def learn(memory, request):
        memory.ingest(request.text, scope={"user_id": str(request.user.id)})

    def recall(memory, request):
        return memory.retrieve(request.query, scope={"user_id": str(request.user.id)})

    def card(memory, session):
        return memory.retrieve_profile(scope={"user_id": str(session.uid)})

How to fix it. Write the value as the rest do; better, convert it once, where the identity enters, and build the scope
in one function.

When to silence it. When the two are known to be the same text for every value, and the line has to stay as it is.
"""

from collections.abc import Iterator

from scope_lint.declared import match_of
from scope_lint.model import Belief, Evidence, Finding, Site, Store, Writing
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import places, share, stores_by_name, writings_of
from scope_lint.writings import canonical, code_of, in_code, side

NAME = "shape-drift"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Values of another shape than the believed one."""
    stores = stores_by_name(evidence)
    found = [
        Deviation(writing.place, belief.key, evidence.sites[index], (belief,), writing)
        for belief in evidence.beliefs
        if belief.about == "shape" and belief.value is not None
        for answer in belief.sides
        if answer.value != belief.value
        for index in answer.sites
        for writing in writings_of(evidence.sites[index], belief.key)
        if side(writing, stores[belief.store]) == answer.value
    ]
    for origin in origins(found):
        first = origin[0]
        if first.writing is not None:
            saying = _say(evidence, stores[first.site.store], first, first.writing)
            yield compose(NAME, "warning", origin, saying, code_of(first.writing))


def _say(evidence: Evidence, store: Store, deviation: Deviation, writing: Writing) -> Saying:
    belief = deviation.beliefs[0]
    wanted = belief.value or ""
    doers = _doers(evidence, store, belief)
    return Saying(
        message=f"{belief.key} {_arrives(writing, belief.key)}; {_norm(belief, wanted)}",
        effect="splits",
        why=_why(store, deviation.site, writing, wanted),
        others=f"{code_of(doers[0])} at {places(one.place for one in doers)}" if doers else "",
        write=_mend(deviation.site, writing, _shape(doers, wanted)),
    )


def _arrives(writing: Writing, key: str) -> str:
    return "arrives as is" if writing.shape == "as is" else f"is stored as {in_code(writing.shape, key)}"


def _norm(belief: Belief, wanted: str) -> str:
    stored = "it as is" if wanted == "as is" else in_code(wanted, "…")
    return f"the settings pin {stored}" if belief.pinned else f"{share(belief)} store {stored}"


def _doers(evidence: Evidence, store: Store, belief: Belief) -> list[Writing]:
    found = [
        writing
        for answer in belief.sides
        if answer.value == belief.value
        for index in answer.sites
        for writing in writings_of(evidence.sites[index], belief.key)
        if side(writing, store) == belief.value
    ]
    return sorted(found, key=lambda writing: writing.place)


def _shape(doers: list[Writing], wanted: str) -> str:
    """The wanted shape as the first of the majority writes it, with a conversion that makes no difference."""
    return doers[0].shape if doers else wanted


def _why(store: Store, site: Site, writing: Writing, wanted: str) -> str:
    if {canonical(writing.shape, store), wanted} == {"str()", "f-string"}:
        return "a second spelling of one conversion: they stay the same text only as long as nobody adds to one of them"
    if match_of(store, site) == "exact":
        return f'store `{store.name}` matches exactly: 42, "42" and "user-42" are three profiles'
    return f"store `{store.name}` compares values as they are: what is filed in one form is not found in another"


def _mend(site: Site, writing: Writing, shape: str) -> str:
    code = in_code(shape, "…" if "…" in writing.text else writing.text)
    wrapper = site.via[0].text.partition("(")[0] if site.via else ""
    return f"{code}, or convert once inside {wrapper}()" if wrapper else code


RULE = rule(NAME, "warning", "splits", __doc__, check)
