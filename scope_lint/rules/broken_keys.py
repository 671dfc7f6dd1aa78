"""Keys and keywords that break a contract: refused, without use, dropped, or too many."""

from collections.abc import Iterator, Sequence

from scope_lint.declared import declared_keys, fold, form_of, sinks_of
from scope_lint.model import Key, ScopeSpec, Sink, Site, Store
from scope_lint.rules.contracts import Contract, done
from scope_lint.rules.finding import Deviation, Saying
from scope_lint.rules.words import key_code, listed

# Forms whose keys are not those of a mapping.
_NO_MAPPING = frozenset({"flat", "namespace", "template", "id"})


def _keyword(store: Store, site: Site) -> Iterator[Deviation]:
    """A keyword that the call refuses, or makes no use of."""
    aliases = dict(store.aliases)
    for key in site.refused:
        yield Deviation(key.place, aliases.get(key.name, key.name), site)


def _say_keyword(store: Store, deviation: Deviation) -> Saying:
    site = deviation.site
    key = next(key for key in site.refused if key.place == deviation.place)
    if any(key.name in sink.refuses for sink in sinks_of(store, site)):
        message = f"{site.call} refuses the keyword {key.name}"
        why = f"the call raises an error: nothing is {done(site)}"
    else:
        message = f"{site.call} makes no use of the keyword {key.name}"
        why = f"the call goes on as if {key.name} were not there: it keeps nothing apart"
    return Saying(message=message, effect="refused", why=why, write=_right_place(store, site, key))


def _right_place(store: Store, site: Site, key: Key) -> str:
    """Where what was passed as a keyword belongs: in a position, in the sink's mapping, or nowhere."""
    sinks = sinks_of(store, site)
    for spec in (spec for sink in sinks for spec in sink.scopes):
        if spec.keyword == key.name and spec.position is not None:
            return f"{key_code(key)} by position, as argument {spec.position + 1}"
        if spec.form in {"mapping", "filter"} and spec.keyword is not None and not spec.path:
            moved = [each for each in site.refused if _belongs(store, sinks, each)]
            if key in moved:
                return f"{spec.keyword}={_mapping(site, spec, moved)}"
    return f"the call without {key.name}, and its scope as the other calls pass it"


def _belongs(store: Store, sinks: Sequence[Sink], key: Key) -> bool:
    """Whether a keyword is a key that the mapping of these sinks takes, as far as is known."""
    takes = all(not sink.keys or key.name in sink.keys for sink in sinks)
    return takes and (any(key.name in sink.refuses for sink in sinks) or key.name in declared_keys(store))


def _mapping(site: Site, spec: ScopeSpec, moved: Sequence[Key]) -> str:
    """The mapping with what it has and what belongs into it; what callers hand in is `…`."""
    own = site.keys if site.form in {None, spec.form} else ()
    entries = {key.name: "…" if site.via else key_code(key) for key in (*own, *moved)}
    return "{" + ", ".join(f'"{name}": {code}' for name, code in entries.items()) + "}"


def _dropped(store: Store, site: Site) -> Iterator[Deviation]:
    """A key of a mapping that the SDK does not know."""
    known = _known(store, site)
    for key in site.keys if known and form_of(store, site) not in _NO_MAPPING else ():
        if key.name not in known:
            yield Deviation(key.place, key.name, site)


def _known(store: Store, site: Site) -> frozenset[str]:
    """The keys that the sink makes use of; none if it takes any."""
    sinks = sinks_of(store, site)
    aliases = dict(store.aliases)
    known = {aliases.get(key, key) for sink in sinks for key in sink.keys}
    return frozenset(known) if all(sink.keys for sink in sinks) else frozenset()


def _say_dropped(store: Store, deviation: Deviation) -> Saying:
    site, name = deviation.site, deviation.key or ""
    known = sorted(_known(store, site))
    twin = next((key for key in known if fold(key) == fold(name)), None)
    code = next((key_code(key) for key in site.keys if key.name == name), "…")
    return Saying(
        message=f"{site.call} drops the key {name}" + (f"; it is spelt {twin}" if twin else ""),
        effect="refused",
        why=f"it makes use of {listed(known)} alone: {name} keeps nothing apart",
        write=f'"{twin}": {code}' if twin else f"what {name} is to keep apart in {listed(known, 'or')}",
    )


def _crowded(store: Store, site: Site) -> Iterator[Deviation]:
    """More keys, or labels of a namespace, than the store takes."""
    most = store.limits.keys
    if most is not None and _sure(site) > most and form_of(store, site) not in _NO_MAPPING - {"namespace"}:
        yield Deviation(site.scope_place, None, site)


def _sure(site: Site) -> int:
    return sum(not key.maybe for key in site.keys)


def _say_crowded(store: Store, deviation: Deviation) -> Saying:
    site = deviation.site
    what = "labels" if form_of(store, site) == "namespace" else "keys"
    return Saying(
        message=f"the scope has {_sure(site)} {what}; store `{store.name}` takes {store.limits.keys} at most",
        effect="refused",
        why=f"a larger scope is refused: nothing is {done(site)}",
        write="what says whose memory it is; what describes a memory belongs into its content or metadata",
    )


KEYWORD = Contract(_keyword, _say_keyword)
DROPPED = Contract(_dropped, _say_dropped)
CROWDED = Contract(_crowded, _say_crowded)
