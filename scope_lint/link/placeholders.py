"""Placeholders: `{user_id}` in a constant that an SDK fills in itself."""

import re

from scope_lint.link.dictionaries import key_text
from scope_lint.link.strings import Part, as_leaf, compose
from scope_lint.link.values import Abstract, Leaf
from scope_lint.model import ScopeSpec

_INSIDE = re.compile(r"\{([A-Za-z_]\w*)\}")


def filled_label(value: Abstract, spec: ScopeSpec) -> Abstract:
    """Return a label of a namespace; one that is a placeholder as a whole is the value that it stands for."""
    text = key_text(value) if spec.placeholders == "label" else None
    match = None if text is None else _INSIDE.fullmatch(text)
    return value if match is None else _slot(match[1], value)


def filled_text(value: Abstract, spec: ScopeSpec) -> Abstract:
    """Return a string in which every placeholder is the value that it stands for."""
    text = key_text(value) if spec.placeholders is not None else None
    texts = [] if text is None else _INSIDE.split(text)
    if len(texts) <= 1:
        return value
    parts: list[Part] = [_slot(part, value) if position % 2 else part for position, part in enumerate(texts)]
    return compose(parts, as_leaf(value).place)


def _slot(name: str, value: Abstract) -> Leaf:
    return Leaf("name", name, as_leaf(value).place, "a placeholder")
