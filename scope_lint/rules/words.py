"""How findings speak: places, counts and scopes in words and in code."""

import re
from collections.abc import Iterable, Mapping, Sequence

from scope_lint.declared import form_of, match_of
from scope_lint.model import Belief, Effect, Evidence, Key, Place, Site, Store, Writing
from scope_lint.writings import code_of, is_constant

_SHOWN = 2  # places named before "and N more"
_VERBS = {"read": "read", "write": "write", "delete": "delete", "readwrite": "call", "bind": "call"}


_PLAIN = re.compile(r"[A-Za-z_]\w*(\.\w+){0,2}")


def stores_by_name(evidence: Evidence) -> dict[str, Store]:
    """The stores of the evidence by their names."""
    return {store.name: store for store in evidence.stores}


def where(place: Place) -> str:
    """A place as `path:line`, in a notebook as `path:cell 3:line`."""
    return f"{place.where}:{place.line}"


def places(found: Iterable[Place]) -> str:
    """Up to two places, and how many more there are: `a.py:3, b.py:9 and 4 more`."""
    names = [where(place) for place in sorted(set(found))]
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - _SHOWN
    return ", ".join(distinct[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def share(belief: Belief) -> str:
    """The votes as `7 of 8 places`."""
    return f"{belief.votes} of {belief.of} places"


def verb(site: Site) -> str:
    """What the site does, in one word."""
    return _VERBS[site.role]


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def key_set(site: Site) -> str:
    """The keys of a site's scope: `{"app_name", "user_id"}`."""
    return "{" + ", ".join(f'"{name}"' for name in sorted(key.name for key in site.keys)) + "}"


def alike(site: Site, others: Iterable[Site]) -> list[Site]:
    """Those of `others` with the key set that is nearest to the keys of `site`, in order of places."""
    own = {key.name for key in site.keys}
    ordered = sorted(others, key=lambda other: (len(own ^ {key.name for key in other.keys}), other.place))
    return [other for other in ordered if key_set(other) == key_set(ordered[0])]


def scope_code(store: Store, site: Site, added: Mapping[str, str] | None = None) -> str:
    """The scope of `site` as code, with the keys `added` (name to code) in front: `{"app": APP, "user_id": uid}`.

    What callers hand in is `…`: its code there means nothing where the scope is written.
    """
    own = {key.name: "…" if site.via else key_code(key) for key in site.keys}
    entries = {**(added or {}), **own}
    if form_of(store, site) == "flat":
        return ", ".join(f"{name}={code}" for name, code in entries.items())
    return "{" + ", ".join(f'"{name}": {code}' for name, code in entries.items()) + "}"


def key_code(key: Key) -> str:
    """The value of a key as code: its first way of being written."""
    return code_of(key.writings[0]) if key.writings else "…"


def value_at(sites: Sequence[Site], name: str) -> tuple[str, Place] | None:
    """How other sites write the key `name`, and where: the first in order of places.

    Their constants are left out, for they name one tenant, and so is code that could not stand elsewhere.
    """
    found = sorted(
        (writing.place, code_of(writing))
        for site in sites
        for key in site.keys
        if key.name == name
        for writing in key.writings
        if not is_constant(writing) and _PLAIN.fullmatch(writing.text)
    )
    return (found[0][1], found[0][0]) if found else None


def missing_effect(store: Store, site: Site) -> Effect:
    """What a scope that lacks a key does.

    A read of whole scopes finds nothing; where a read may name fewer keys it finds every tenant's; a write files many
    tenants under one address.
    """
    looks = site.role in {"read", "delete"}
    return "splits" if looks and match_of(store, site) == "exact" else "merges"


def writings_of(site: Site, name: str) -> tuple[Writing, ...]:
    """The ways in which `site` writes the key `name`."""
    return tuple(writing for key in site.keys if key.name == name for writing in key.writings)
