"""Keys of a scope: the ways in which their values are written, and the parameters that those are made of."""

from collections.abc import Iterable

from scope_lint.link.conversions import is_template, shape
from scope_lint.link.strings import as_leaf
from scope_lint.link.values import Abstract, Gap, Held, Instance, Leaf, Sequence
from scope_lint.model import Key, Spelling, Writing

Dependency = tuple[str, str, str]
"""A parameter: (path, function, name)."""


def key_of(name: str, held: Held) -> Key:
    """Return the key `name` with the values that are held under it."""
    writings = tuple(dict.fromkeys(writing(each) for each in held.values))
    exhaustive = bool(writings) and all(each.constant is not None for each in writings)
    return Key(name, writings, held.maybe, held.place, exhaustive)


def writing(value: Abstract) -> Writing:
    """Return one way in which the value of a key comes about."""
    leaf = as_leaf(value)
    conversions = leaf.conversions
    is_constant = leaf.constant is not None and not conversions
    written = shape(conversions) if not is_constant else f"const:{leaf.type}"
    last = conversions[-1] if conversions else None
    place = last.place if last is not None else leaf.argument or leaf.place
    return Writing(
        shape=written,
        spelling=_spelling(leaf),
        text=leaf.text,
        type=last.type if last is not None else leaf.type,
        constant=leaf.constant if is_constant else None,
        made=leaf.made,
        nullable=leaf.nullable,
        place=place,
        trail=leaf.trail,
    )


def _spelling(leaf: Leaf) -> Spelling:
    if not leaf.conversions:
        return leaf.spelling
    last = leaf.conversions[-1]
    if last.call:
        return "call"
    return "f-string" if is_template(last.text) or last.text == "f-string" else "attribute"


def needs(groups: Iterable[tuple[Abstract, ...]]) -> tuple[Dependency, ...]:
    """Return the parameters that values are made of."""
    found: dict[Dependency, None] = {}
    for group in groups:
        for value in group:
            if isinstance(value, Leaf | Instance | Sequence) and value.parameter is not None:
                found[value.parameter] = None
            if isinstance(value, Leaf):
                found.update(dict.fromkeys(needs([tuple(part for part in value.parts if not isinstance(part, str))])))
    return tuple(found)


def gap_needs(gaps: tuple[Gap, ...]) -> tuple[Dependency, ...]:
    """Return the parameters that could fill gaps."""
    return tuple(dict.fromkeys(gap.parameter for gap in gaps if gap.parameter is not None))
