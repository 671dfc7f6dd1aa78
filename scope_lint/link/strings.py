"""Strings made of values: f-strings, `%`, `+`, `.format()`, `.join()`, and conversions of constants."""

import re
from collections.abc import Sequence as Items
from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute, Binary, Call, Formatted, Template
from scope_lint.link.conversions import Slot, shape, template_text
from scope_lint.link.describe import leaf as leaf_of
from scope_lint.link.frames import Ref
from scope_lint.link.values import Abstract, Conversion, Dictionary, Instance, Leaf, Sequence
from scope_lint.model import Place, Span, Spelling

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

NOWHERE = Place("", Span(1, 1, 1, 1))
_PERCENT = re.compile(r"%[sd]")
_BRACES = re.compile(r"\{(\d*|[A-Za-z_]\w*)(?:!s)?\}")

Part = str | Abstract
"""A literal text, or a value that is filled in."""


def convert(value: Abstract, conversion: Conversion) -> Abstract:
    """Return `value` after a conversion; constants are converted at once."""
    leaf = as_leaf(value)
    if leaf.constant is not None and not leaf.conversions:
        folded = _fold(leaf, conversion.text)
        if folded is not None:
            return replace(leaf, constant=folded, type="str", nullable=False)
    return leaf.converted(conversion)


def _fold(leaf: Leaf, conversion: str) -> str | None:
    text = leaf.constant or ""
    if conversion in ("str()", "f-string"):
        return text
    folds = {".strip()": text.strip, ".lower()": text.lower, ".upper()": text.upper}
    return folds[conversion]() if leaf.type == "str" and conversion in folds else None


def as_leaf(value: Abstract) -> Leaf:
    """Return any value as something that can be an identity."""
    if isinstance(value, Leaf):
        return value
    if isinstance(value, Instance):
        spelling: Spelling = "attribute" if "." in value.text else "name"
        return Leaf(spelling, value.text, value.place, f"an instance of {value.cls.qualname}", nullable=value.nullable)
    if isinstance(value, Dictionary):
        return Leaf("mapping", "{…}", value.place, "a mapping", type="dict")
    if isinstance(value, Sequence):
        return Leaf("expression", f"a {value.kind}", value.place, f"a {value.kind}", type=value.kind)
    name = getattr(value, "name", None) or getattr(value, "qualname", None) or getattr(value, "path", "")
    place = getattr(value, "place", None)
    return Leaf("name", str(name).rpartition(".")[2], place or NOWHERE, "a function, class or module")


def template(resolver: "Resolver", ref: Ref, value: Template) -> tuple[Abstract, ...]:
    """Return what an f-string comes to: one alternative, since its parts are not multiplied out."""
    parts = [_part(resolver.first(ref.at(part))) for part in value.parts]
    return (compose(parts, ref.place),)


def _part(value: Abstract) -> Part:
    leaf = as_leaf(value)
    if leaf.constant is not None and not leaf.conversions:
        return leaf.constant
    return leaf


def compose(parts: Items[Part], place: Place) -> Leaf:
    """Return the string that literal texts and values make together."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    leaves = [as_leaf(part) for part in merged if not isinstance(part, str)]
    if not leaves:
        text = "".join(part for part in merged if isinstance(part, str))
        return Leaf("constant", f'"{text}"', place, "a constant", type="str", constant=text)
    first = leaves[0]
    if len(merged) == 1:
        return first.converted(Conversion("f-string", "str", place, call=False))
    slots = [part if isinstance(part, str) else Slot(shape(as_leaf(part).conversions)) for part in merged]
    made = any(leaf.made for leaf in leaves)
    nullable = any(leaf.nullable for leaf in leaves)
    conversion = Conversion(template_text(slots), "str", place, call=False)
    return replace(first, conversions=(conversion,), made=made, nullable=nullable, parts=tuple(merged))


def formatted(resolver: "Resolver", ref: Ref, value: Formatted) -> tuple[Abstract, ...]:
    """Return a value with a conversion or format of an f-string: `{x!r}` is `repr()`."""
    text = {"!r": "repr()", "!a": "ascii()"}.get(value.text, f"format({value.text})")
    conversion = Conversion(text, "str", ref.place)
    return tuple(as_leaf(each).converted(conversion) for each in resolver.resolve(ref.at(value.value)))


def binary(resolver: "Resolver", ref: Ref, value: Binary) -> tuple[Abstract, ...]:
    """Return `left + right` or `left % right` where it makes a string, a tuple or a list."""
    left, right = resolver.first(ref.at(value.left)), resolver.first(ref.at(value.right))
    if value.operator == "%":
        return (_percent(ref, left, right),)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return (Sequence(left.kind, left.items + right.items, ref.place, left.open or right.open),)
    if _is_text(left) or _is_text(right):
        return (compose([_as_part(left), _as_part(right)], ref.place),)
    return (leaf_of(ref, "a sum"),)


def _is_text(value: Abstract) -> bool:
    if not isinstance(value, Leaf):
        return False
    if value.conversions:
        return value.conversions[-1].type == "str"
    return value.type == "str"


def _as_part(value: Abstract) -> Part:
    leaf = as_leaf(value)
    if leaf.constant is not None and leaf.type == "str" and not leaf.conversions:
        return leaf.constant
    if len(leaf.conversions) == 1 and leaf.conversions[0].text in ("f-string", "str()"):
        return replace(leaf, conversions=())
    return leaf


def _percent(ref: Ref, left: Abstract, right: Abstract) -> Abstract:
    if not isinstance(left, Leaf) or left.constant is None or left.type != "str":
        return leaf_of(ref, "a remainder")
    filled = [each[0] for each in right.items] if isinstance(right, Sequence) and right.kind == "tuple" else [right]
    texts = _PERCENT.split(left.constant)
    if len(texts) != len(filled) + 1 or any("%" in text for text in texts):
        return leaf_of(ref, "a format that is not followed")
    return compose(_interleaved(texts, filled), ref.place)


def _interleaved(texts: Items[str], values: Items[Abstract]) -> list[Part]:
    parts: list[Part] = [texts[0]]
    for value, text in zip(values, texts[1:], strict=True):
        parts += [_as_part(value), text]
    return parts


def formatted_by_method(resolver: "Resolver", ref: Ref, value: Call, callee: Attribute) -> tuple[Abstract, ...] | None:
    """Return what `"…".format(…)` or `"…".join(…)` makes, if the string is known."""
    base = resolver.first(ref.at(callee.base))
    if not isinstance(base, Leaf) or base.constant is None or base.type != "str" or base.conversions:
        return None
    if callee.name == "join":
        return _joined(resolver, ref, value, base.constant)
    positional = [argument for argument in value.arguments if argument.keyword is None]
    named = {argument.keyword: argument.value for argument in value.arguments if argument.keyword is not None}
    parts: list[Part] = []
    end = 0
    for number, match in enumerate(_BRACES.finditer(base.constant)):
        name = match.group(1)
        position = int(name) if name.isdigit() else number
        index = named.get(name) if name and not name.isdigit() else None
        if index is None and (name == "" or name.isdigit()) and position < len(positional):
            index = positional[position].value
        if index is None:
            return None
        parts += [base.constant[end : match.start()], _as_part(resolver.first(ref.at(index)))]
        end = match.end()
    rest = base.constant[end:]
    return (compose([*parts, rest], ref.place),) if "{" not in rest else None


def _joined(resolver: "Resolver", ref: Ref, value: Call, separator: str) -> tuple[Abstract, ...] | None:
    if len(value.arguments) != 1:
        return None
    series = resolver.first(ref.at(value.arguments[0].value))
    if not isinstance(series, Sequence) or series.open or not series.items:
        return None
    parts: list[Part] = []
    for item in series.items:
        parts += [separator, _as_part(item[0])]
    return (compose(parts[1:], ref.place),)
