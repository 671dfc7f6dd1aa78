"""What a store's settings say about the sink of a site: how it matches, where its scope stands, which keys it takes."""

from scope_lint.model import Form, Match, Sink, Site, Store
from scope_lint.writings import words

# Of a sink's alternatives, the form that decides how its sites are judged comes first.
_PRECEDENCE: tuple[Form, ...] = (
    "mapping", "filter", "payload", "filter-string", "flat", "carried", "names", "namespace", "template", "id"
)  # fmt: skip


def sinks_of(store: Store, site: Site) -> tuple[Sink, ...]:
    """The sinks of `store` that `site` can be a call of: the one that is known, or those of its name.

    Of these, those of its role where any is.
    """
    if site.number is not None and store.sinks[site.number : site.number + 1]:
        return store.sinks[site.number : site.number + 1]
    named = tuple(sink for sink in store.sinks if sink.call == site.sink)
    return tuple(sink for sink in named if sink.role == site.role) or named


def match_of(store: Store, site: Site) -> Match:
    """How the store compares the scope of `site` with others."""
    return next((sink.match for sink in sinks_of(store, site) if sink.match is not None), store.match)


def form_of(store: Store, site: Site) -> Form:
    """Where the scope of `site` stands; parts of a namespace are known by their names (`#0`)."""
    if site.form is not None:
        return site.form
    if any(key.name.startswith("#") for key in site.keys):
        return "namespace"
    forms = {spec.form for sink in sinks_of(store, site) for spec in sink.scopes}
    return next((form for form in _PRECEDENCE if form in forms), "mapping")


def takes(store: Store, site: Site, key: str) -> bool:
    """Whether the sink of `site` can take `key`: flat keywords are a closed list, a mapping holds anything."""
    if form_of(store, site) != "flat":
        return True
    aliases = dict(store.aliases)
    named = (each for sink in sinks_of(store, site) for spec in sink.scopes for each in spec.keys)
    return any(key in (each, aliases.get(each)) for each in named)


def declared_keys(store: Store) -> frozenset[str]:
    """Every key that the store's settings name."""
    own = (*store.tenant_keys, *store.application_keys, *store.narrowing_keys, *store.other_keys)
    return frozenset(own).union(*store.one_of)


_NARROWING = frozenset({"agent", "chat", "conversation", "run", "session", "thread"})


def narrows_by_default(store: Store, key: str) -> bool:
    """Whether a key that the settings do not name is by its name a part of one tenant's memory: a session, a thread."""
    return key not in declared_keys(store) and bool(words(key)) and words(key) <= _NARROWING


_IDENTITIES = frozenset(
    """
    account actor agent author chat client conversation customer member org owner person profile run session team tenant
    thread user workspace
    """.split()  # noqa: SIM905 - twenty pairs of quotes say nothing
)


def is_identity(store: Store, key: str) -> bool:
    """Whether a key of a filter or a payload is a part of the address: declared, or named after an identity."""
    known = key in declared_keys(store) or key in dict(store.aliases)
    return known or not _IDENTITIES.isdisjoint(words(key)) or fold(key) in {fold(each) for each in declared_keys(store)}


def alternatives(store: Store, first: str) -> tuple[str, ...]:
    """The declared alternatives that start with the key `first`; that key alone if there are none."""
    return next((group for group in store.one_of if group[0] == first), (first,))


def fold(key: str) -> str:
    """`key` without case and separators: `userId`, `user-id` and `user_id` are twins."""
    return "".join(letter for letter in key.casefold() if letter.isalnum())
