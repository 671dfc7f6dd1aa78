"""A required key is absent from a scope, or absent on some path.

What it finds. A read, write or delete whose scope lacks a key that the store's scopes must have. Which keys those are
is declared (`tenant-keys`, `application-keys`, `one-of`) or learnt: more than half of the store's scopes carry the
key. For flat keywords of an SDK the calls of the same method are asked. A key set that is both written and read is a
scope of its own beside the other, and is left alone; half and half is no finding. A call without any scope, where
others pass one, is the same fault.

Why it matters. Which keys take part decides more than anything else: putting the keys right raised the hit rate of a
replayed assistant by 25.8 points of 100, four times as much as any other repair. A store that compares whole scopes
answers a read that lacks a key with nothing, and a write that lacks one files every tenant's memory under one
address: the next read hands it to somebody else.

Flagged:

    def learn(memory, app: str, user: str, text: str):
        memory.ingest(text, scope={"app_id": app, "user_id": user})

    def note(memory, app: str, user: str, text: str):
        memory.ingest(text, scope={"app_id": app, "user_id": user})

    def digest(memory, user: str):
        return memory.retrieve("this week", scope={"user_id": user})  # expect: missing-key

Silent:

    def learn(memory, app: str, user: str, text: str):
        memory.ingest(text, scope={"app_id": app, "user_id": user})

    def note(memory, app: str, user: str, text: str):
        memory.ingest(text, scope={"app_id": app, "user_id": user})

    def digest(memory, app: str, user: str):
        return memory.retrieve("this week", scope={"app_id": app, "user_id": user})

How to fix it. Pass the key that the others pass; the finding shows how they write it. A read is never mended by
making the others' scopes smaller.

When to silence it. A job that means to see all tenants, say a migration: ignore that line with the reason. A key that
only some scopes have belongs in `narrowing-keys`.
"""

from collections.abc import Iterator, Mapping, Sequence

from scope_lint.declared import alternatives, match_of, takes
from scope_lint.model import Belief, Evidence, Finding, Site, Store
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import (
    alike,
    key_set,
    listed,
    missing_effect,
    places,
    scope_code,
    share,
    stores_by_name,
    value_at,
    verb,
    where,
)

NAME = "missing-key"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Scopes that lack a required key or all alternatives, or are left out altogether: one finding for each scope."""
    stores = stores_by_name(evidence)
    for origin in origins([*_lacking(evidence), *_left_out(evidence, stores)]):
        deviation = origin[0]
        yield compose(NAME, "error", origin, _say(evidence, deviation, stores[deviation.site.store]))


def _lacking(evidence: Evidence) -> Iterator[Deviation]:
    lacks: dict[int, list[Belief]] = {}
    for belief in evidence.beliefs:
        if belief.about != "presence" or belief.value not in {"required", "one of"}:
            continue
        for side in belief.sides:
            for index in side.sites if side.value in {"absent", "none", "maybe"} else ():
                lacks.setdefault(index, []).append(belief)
    for index, beliefs in sorted(lacks.items()):
        site = evidence.sites[index]
        weightiest = sorted(beliefs, key=_weight)
        yield Deviation(site.scope_place, weightiest[0].key, site, tuple(weightiest))


def _left_out(evidence: Evidence, stores: Mapping[str, Store]) -> Iterator[Deviation]:
    for belief in evidence.beliefs:
        if belief.about != "presence" or belief.value != "given":
            continue
        for index in (index for side in belief.sides if side.value == "left out" for index in side.sites):
            site = evidence.sites[index]
            required = sorted(
                (one for one in _required(evidence, belief.store) if takes(stores[belief.store], site, one.key)),
                key=_weight,
            )
            if required:
                yield Deviation(site.scope_place, required[0].key, site, (belief, *required))


def _required(evidence: Evidence, store: str) -> list[Belief]:
    return [
        belief
        for belief in evidence.beliefs
        if belief.store == store and belief.about == "presence" and belief.value in {"required", "one of"}
    ]


def _weight(belief: Belief) -> tuple[bool, int]:
    """Declared keys in the order of the settings, then believed ones, the surest first (the sort is stable)."""
    return (not belief.pinned, 0 if belief.pinned else -belief.votes)


def _say(evidence: Evidence, deviation: Deviation, store: Store) -> Saying:
    site, required = deviation.site, [belief for belief in deviation.beliefs if belief.key]
    having = alike(site, _having(evidence, required[0]))
    return Saying(
        message=f"{_lack(site, store, required)}; {_norm(evidence, deviation, store)}",
        effect=missing_effect(store, site),
        why=_why(site, store, required[0].key),
        others=f"{key_set(having[0])} at {places(other.place for other in having)}" if having else "",
        write=_mend(evidence, site, store, required),
    )


def _having(evidence: Evidence, belief: Belief) -> list[Site]:
    indices = (index for side in belief.sides if side.value in {"present", "one"} for index in side.sites)
    return [evidence.sites[index] for index in indices]


def _lack(site: Site, store: Store, required: Sequence[Belief]) -> str:
    if site.left_out:
        return "called without a scope"
    has = {key.name for key in site.keys}
    parts = []
    for belief in required:
        names = alternatives(store, belief.key) if belief.value == "one of" else (belief.key,)
        some = " on some path" if has.intersection(names) else ""
        parts.append(f"{listed(names, 'or')}{some}")
    return f"{verb(site)} without {listed(parts)}"


def _norm(evidence: Evidence, deviation: Deviation, store: Store) -> str:
    site, belief = deviation.site, deviation.beliefs[0]
    keys = [one.key for one in deviation.beliefs if one.key]
    if belief.value == "one of":
        return f"store `{store.name}` takes exactly one of {listed(alternatives(store, belief.key), 'and')}"
    if belief.pinned:
        return f"store `{store.name}` requires {listed(keys) if site.left_out or len(keys) > 1 else 'it'}"
    if site.left_out:
        return f"{share(belief)} pass one"
    writes = ", every write among them" if site.role in {"read", "delete"} and _every_write(evidence, belief) else ""
    return f"{share(belief)} have {'it' if len(keys) == 1 else belief.key}{writes}"


def _every_write(evidence: Evidence, belief: Belief) -> bool:
    sides = {side.value: [evidence.sites[index] for index in side.sites] for side in belief.sides}
    lacking = [site for value, sites in sides.items() if value != "present" for site in sites]
    return all(site.role != "write" for site in lacking) and any(
        site.role == "write" for site in sides.get("present", [])
    )


def _why(site: Site, store: Store, key: str) -> str:
    if site.role not in {"read", "delete"}:
        return f"one profile for every {key}, and no read that asks for one finds it"
    if match_of(store, site) == "exact":
        return f"store `{store.name}` compares whole scopes: what is written with {key} is not found without it"
    return f"store `{store.name}` matches on the keys that are given: without {key} this reaches every tenant's"


def _mend(evidence: Evidence, site: Site, store: Store, required: Sequence[Belief]) -> str:
    """The scope with what it lacks, as the others write it. Nothing is taken away."""
    own = [other for other in evidence.sites if other.store == store.name]
    found = {belief.key: value_at(own, belief.key) for belief in required}
    code = scope_code(store, site, {key: value[0] if value else "…" for key, value in found.items()})
    seen = ", ".join(f"{key}: {where(value[1])}" for key, value in found.items() if value)
    return f"{code}   ({seen})" if seen else code


RULE = rule(NAME, "error", "by store", __doc__, check)
