"""A scope has a key that does not belong, or a misspelt one.

What it finds. A key that is none of the declared ones, or, where none are declared, one that fewer than half of the
store's scopes have. Of declared alternatives (`one-of`) it is the second one given. A twin of a known key (`userId` or
`user-id` for `user_id`) is named as such, and is one finding: the known key is not reported missing as well. A key set
that is both written and read is a scope of its own on purpose; in a store whose reads may name fewer keys an extra
key narrows, and is left alone.

Why it matters. An exact store files each set of keys apart, so one key too many scatters one person over as many
profiles as the key has values, and a read without it finds none of them. In a replay of 4,000 turns, letting only the
allowed keys take part raised the hit rate by 25.8 points of 100, more than all other repairs together.

Flagged:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

    def recall(memory, user: str, query: str):
        return memory.retrieve(query, scope={"user_id": user})

    def learn_on_phone(memory, user: str, phone: str, text: str):
        memory.ingest(text, scope={"user_id": user, "device_id": phone})  # expect: disallowed-key

Silent:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

    def recall(memory, user: str, query: str):
        return memory.retrieve(query, scope={"user_id": user})

    def learn_in_team(memory, user: str, team: str, text: str):
        memory.ingest(text, scope={"user_id": user, "team_id": team})

    def recall_in_team(memory, user: str, team: str, query: str):
        return memory.retrieve(query, scope={"user_id": user, "team_id": team})

How to fix it. Put what describes a memory into its content or metadata, and leave it out of its address; spell a twin
as the rest do. A key that says whose memory it is stays, and the other scopes get it too.

When to silence it. If the key is a part of the address at some places only, declare it in `narrowing-keys`.
"""

import re
from collections.abc import Iterator

from scope_lint.declared import alternatives, declared_keys, fold, form_of, match_of
from scope_lint.model import Belief, Evidence, Finding, Key, Site, Store
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import alike, key_code, key_set, listed, places, share, stores_by_name

NAME = "disallowed-key"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Words of keys that say whose memory it is: such a key is never to be dropped.
_IDENTITIES = frozenset(
    {
        "account", "actor", "author", "company", "customer", "member", "org", "organisation", "organization", "owner",
        "team", "tenant", "user", "workspace",
    }
)  # fmt: skip


def check(evidence: Evidence) -> Iterator[Finding]:
    """Keys that do not belong to the scopes of their store."""
    stores = stores_by_name(evidence)
    found = [
        deviation
        for belief in evidence.beliefs
        if belief.about == "presence"
        for deviation in _deviations(evidence, stores[belief.store], belief)
    ]
    for origin in origins(found):
        yield compose(NAME, "error", origin, _say(evidence, stores[origin[0].site.store], origin[0]))


def _deviations(evidence: Evidence, store: Store, belief: Belief) -> Iterator[Deviation]:
    wrong = {"disallowed": {"present", "maybe"}, "one of": {"several"}}.get(belief.value or "", set())
    for index in (index for side in belief.sides if side.value in wrong for index in side.sites):
        site = evidence.sites[index]
        key = _second(store, site, belief) if belief.value == "one of" else _named(site, belief.key)
        if key is not None:
            yield Deviation(key.place, key.name, site, (belief,))


def _named(site: Site, name: str) -> Key | None:
    return next((key for key in site.keys if key.name == name), None)


def _second(store: Store, site: Site, belief: Belief) -> Key | None:
    """The second of the alternatives that the site surely gives, in the order of the settings."""
    group = alternatives(store, belief.key)
    given = [key for name in group if (key := _named(site, name)) is not None and not key.maybe]
    return given[1] if len(given) > 1 else None


def _say(evidence: Evidence, store: Store, deviation: Deviation) -> Saying:
    site, belief, name = deviation.site, deviation.beliefs[0], deviation.key or ""
    twin = _twin(evidence, store, name)
    doers = alike(site, _doers(evidence, belief, twin))
    return Saying(
        message=_message(evidence, store, deviation, twin),
        effect="splits",
        why=_why(store, site, name, twin),
        others=f"{key_set(doers[0])} at {places(doer.place for doer in doers)}" if doers else "",
        write=_mend(store, site, name, twin, belief),
    )


def _message(evidence: Evidence, store: Store, deviation: Deviation, twin: str | None) -> str:
    name, belief = deviation.key or "", deviation.beliefs[0]
    if belief.value == "one of":
        return f"{listed(alternatives(store, belief.key))} are alternatives; exactly one is given in a scope"
    key = _named(deviation.site, name)
    some = " on some path" if key is not None and key.maybe else ""
    if twin is not None:
        return f"{name} is a misspelt {twin}; {_spelt(evidence, store, twin)}"
    if belief.pinned:
        return f"{name} is in this scope{some}; it is none of the keys that store `{store.name}` declares"
    return f"{name} is in this scope{some}; {share(belief)} leave it out"


def _spelt(evidence: Evidence, store: Store, twin: str) -> str:
    if twin in declared_keys(store):
        return f"store `{store.name}` declares it so"
    votes = max((_present(belief) for belief in _about(evidence, store, twin)), default=0)
    return "1 place spells it so" if votes == 1 else f"{votes} places spell it so"


def _present(belief: Belief) -> int:
    return sum(side.votes for side in belief.sides if side.value in {"present", "maybe"})


def _about(evidence: Evidence, store: Store, key: str) -> list[Belief]:
    return [one for one in evidence.beliefs if (one.store, one.key, one.about) == (store.name, key, "presence")]


def _twin(evidence: Evidence, store: Store, name: str) -> str | None:
    """The key that `name` is a misspelling of: a declared one, or one that is believed in."""
    believed = {
        belief.key
        for belief in evidence.beliefs
        if belief.store == store.name and belief.about == "presence" and belief.value != "disallowed" and belief.key
    }
    known = sorted(declared_keys(store)) + sorted(believed)
    return next((key for key in known if key != name and fold(key) == fold(name)), None)


def _doers(evidence: Evidence, belief: Belief, twin: str | None) -> list[Site]:
    """The sites that do it right; of a misspelt key those that spell it right."""
    right = {"one"} if belief.value == "one of" else {"absent", "own profile"}
    indices = sorted({index for side in belief.sides if side.value in right for index in side.sites})
    found = [evidence.sites[index] for index in indices]
    return [site for site in found if twin is None or _named(site, twin) is not None]


def _why(store: Store, site: Site, name: str, twin: str | None) -> str:
    if twin is not None:
        return f"keys are case-sensitive: what is filed under {name} is never found under {twin}"
    if match_of(store, site) == "exact":
        return f"store `{store.name}` matches exactly: each value of {name} is a profile of its own"
    return f"what is filed under {name} is missed by whoever asks with another set of keys"


def _mend(store: Store, site: Site, name: str, twin: str | None, belief: Belief) -> str:
    """What to write instead: never a scope without a key that says whose memory it is, never a wider read."""
    key = _named(site, name)
    code = key_code(key) if key is not None else "…"
    if twin is not None:
        return f"{twin}={code}" if form_of(store, site) == "flat" else f'"{twin}": {code}'
    if belief.value == "one of":
        return f"one of {listed(alternatives(store, belief.key))} in each scope"
    declare = f'narrowing-keys = ["{name}"] in the settings'
    words = {word.lower() for word in _WORD.findall(name)}
    wider = site.role in {"read", "delete"} and match_of(store, site) != "exact"
    if wider or words & _IDENTITIES:
        return f"{name} at the other places too, or {declare}"
    return f"the scope without {name}, or {declare}"


RULE = rule(NAME, "error", "splits", __doc__, check)
