"""Shapes and types: through which function, and as what, a store's sites write the value of a key."""

from collections.abc import Iterator, Sequence

from scope_lint.beliefs.votes import Ballot, Indexed, as_written, count, majority, total, unit, votes_for
from scope_lint.declared import form_of, narrows_by_default
from scope_lint.model import Belief, Key, Side, Site, Store, Writing
from scope_lint.writings import canonical, converted, is_constant, known_type, prefixes, side, subject, words

Written = tuple[int, Site, Key]


def shapes(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """The belief about the shape of each key that says whose memory it is; pinned where the settings name one.

    Declared narrowing keys and those that are no address are left out.
    """
    pins = {key: canonical(shape, store) for key, shape in store.shapes}
    for key, group in _groups(sites):
        if key not in pins and (key in {*store.narrowing_keys, *store.other_keys} or narrows_by_default(store, key)):
            continue
        named = words(key).union(
            *(subject(each.text) for _, _, entry in group for each in entry.writings if not prefixes(each))
        )
        sides = count(
            Ballot(answer, unit(site, as_written(writing)), index)
            for index, site, entry in group
            for writing in _of_one_form(store, entry)
            if (answer := side(writing, store)) is not None and not _is_another_identity(writing, named)
        )
        value = pins.get(key, majority(sides))
        voters = {unit(site, as_written(each)) for _, site, entry in group for each in entry.writings}
        if sides and (value is not None or 2 * total(sides) >= len(voters)):  # a tie among a few is no split of all
            yield Belief(store.name, key, "shape", value, _votes(sides, value), total(sides), key in pins, sides)


def _of_one_form(store: Store, entry: Key) -> list[Writing]:
    """The ways in which a value comes about, if they give one form: a fallback beside it is no vote for another."""
    writings = converted(entry.writings)
    forms = {side(writing, store) for writing in writings} - {None}
    return writings if len(forms) == 1 else []


def _is_another_identity(writing: Writing, named: frozenset[str]) -> bool:
    """Whether an identity is made of something that no other site calls it by: `f"guest-{address}"` for `user_id`.

    It has its prefix because it is another kind of identity. `named` are the words of the key and of its other values.
    """
    return prefixes(writing) and bool(subject(writing.text)) and subject(writing.text).isdisjoint(named)


def types(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """The belief about the type of each key that is a part of the address; the store's own where it refuses others.

    A store that makes strings of everything has no belief: it sees none of the differences.
    """
    if store.non_strings == "coerced":
        return
    refused = store.non_strings == "refused"
    for key, group in _groups(sites):
        if key in store.other_keys:
            continue
        sides = count(
            Ballot(kind, unit(site, as_written(writing)), index, counts=not is_constant(writing))
            for index, site, entry in group
            for writing in entry.writings
            if (kind := known_type(writing)) is not None and not _is_operator(store, site, writing)
        )
        if sides:
            value = "str" if refused else majority(sides)
            yield Belief(store.name, key, "type", value, _votes(sides, value), total(sides), refused, sides)


def _is_operator(store: Store, site: Site, writing: Writing) -> bool:
    """Whether the value is a condition of a filter (`{"$in": ids}`), not what is compared."""
    return writing.spelling == "mapping" and form_of(store, site) == "filter"


def _votes(sides: tuple[Side, ...], value: str | None) -> int:
    """Votes for `value`; without a majority those of the largest side."""
    return sides[0].votes if value is None else votes_for(sides, value)


def _groups(sites: Sequence[Indexed]) -> list[tuple[str, list[Written]]]:
    """The sites that answer together, by key. Parts of namespaces are compared between equal skeletons only."""
    groups: dict[tuple[str, tuple[str | None, ...]], list[Written]] = {}
    for index, site in sites:
        for entry in site.keys if site.opaque is None else ():
            frame = skeleton(site) if entry.name.startswith("#") else ()
            groups.setdefault((entry.name, frame), []).append((index, site, entry))
    ordered = sorted(groups, key=lambda name: (name[0], [part or "" for part in name[1]]))
    return [(name[0], groups[name]) for name in ordered]


def skeleton(site: Site) -> tuple[str | None, ...]:
    """The parts of a namespace: the text of a literal one, None for one that varies."""
    return tuple(
        entry.writings[0].constant if len(entry.writings) == 1 and is_constant(entry.writings[0]) else None
        for entry in site.keys
    )
