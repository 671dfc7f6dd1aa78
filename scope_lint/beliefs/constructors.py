"""Constructors: the function that builds the scope for most of a store's sites."""

from collections import Counter
from collections.abc import Iterator, Sequence

from scope_lint.beliefs.profiles import KeySet, sure_keys
from scope_lint.beliefs.votes import Ballot, Indexed, count, scope_unit, total, votes_for
from scope_lint.declared import form_of
from scope_lint.model import Belief, Site, Store

_ENOUGH = 3  # sites with the same keys, below which a function is no custom yet


def constructors(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """The constructor that more than half of at least three sites with the same key set use, or the configured ones.

    The sides are the constructors, `by hand` for a mapping that no function returns, `inside` for one that the
    constructor itself holds, and `another` for the result of any other function.
    """
    dicts = [
        (index, site)
        for index, site in sites
        if site.opaque is None and not site.left_out and form_of(store, site) == "mapping"
    ]
    if store.constructors:
        if dicts:
            yield _belief(store, store.constructors, dicts, pinned=True)
        return
    for group in _by_keys(dicts):
        builder = _favourite(group)
        if builder is not None:
            yield _belief(store, (builder,), group, pinned=False)


def _by_keys(sites: Sequence[Indexed]) -> list[list[Indexed]]:
    groups: dict[KeySet, list[Indexed]] = {}
    for index, site in sites:
        if site.complete and site.keys and not any(key.maybe for key in site.keys):
            groups.setdefault(sure_keys(site), []).append((index, site))
    return [groups[keys] for keys in sorted(groups, key=sorted)]


def _favourite(sites: Sequence[Indexed]) -> str | None:
    """The function through which most of the scopes come; of equals the innermost, which holds the literal."""
    units = {(builder, scope_unit(site)) for _, site in sites for builder in site.builders}
    votes = Counter(builder for builder, _ in units)
    inner = {site.builders[-1] for _, site in sites if site.builders}
    best = max(sorted(votes), key=lambda builder: (votes[builder], builder in inner), default=None)
    of = len({scope_unit(site) for _, site in sites})
    return best if best is not None and of >= _ENOUGH and 2 * votes[best] > of else None


def _belief(store: Store, builders: Sequence[str], sites: Sequence[Indexed], *, pinned: bool) -> Belief:
    sides = count(Ballot(_made_by(site, builders), scope_unit(site), index) for index, site in sites)
    return Belief(
        store=store.name,
        key="",
        about="constructor",
        value=", ".join(builders),
        votes=votes_for(sides, *builders),
        of=total(sides),
        pinned=pinned,
        sides=sides,
    )


def _made_by(site: Site, builders: Sequence[str]) -> str:
    for builder in builders:
        if any(_same(builder, found) for found in site.builders):
            return builder
    if site.builders:
        return "another"
    return "inside" if any(_same(builder, site.inside) for builder in builders) else "by hand"


def _same(configured: str, found: str) -> bool:
    """Whether two dotted names are equal, or one ends with the other."""
    return configured == found or f".{configured}".endswith(f".{found}") or f".{found}".endswith(f".{configured}")
