"""Values as a reader would write them: short source text for messages, and how they are spelled."""

from collections.abc import Callable
from typing import Any

from scope_lint.facts import (
    Attribute,
    Binary,
    Call,
    Choice,
    Constant,
    Element,
    Function,
    Imported,
    Item,
    Mapping,
    Name,
    Parameter,
    Series,
    Template,
)
from scope_lint.link.frames import Ref
from scope_lint.link.program import Unit
from scope_lint.link.values import Leaf
from scope_lint.model import Spelling

ITSELF = "it is defined by itself"
"""Why a value that is part of its own definition is not followed."""

_DEPTH = 6
_LONGEST = 60


def describe(unit: Unit, index: int) -> tuple[Spelling, str]:
    """Return how the value is spelled, and its text: `("attribute", "session.uid")`."""
    text = text_of(unit, index)
    return _spelling(unit, index), text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def leaf(ref: Ref, reason: str) -> Leaf:
    """Return a value as one that is not followed further."""
    spelling, text = describe(ref.unit, ref.index)
    return Leaf(spelling, text, ref.place, reason)


def _spelling(unit: Unit, index: int) -> Spelling:
    spellings: dict[type, Spelling] = {
        Parameter: "parameter",
        Name: "name",
        Imported: "name",
        Element: "name",
        Function: "name",
        Attribute: "attribute",
        Item: "subscript",
        Call: "call",
        Constant: "constant",
        Template: "f-string",
        Mapping: "mapping",
    }
    return spellings.get(type(unit.values[index]), "expression")


def text_of(unit: Unit, index: int, depth: int = 0) -> str:
    """Return source text for the value; what is deeper than a reader would follow is `…`."""
    value = unit.values[index]
    writer = _WRITERS.get(type(value))
    return "…" if writer is None or depth > _DEPTH else writer(unit, value, depth + 1)


def _constant(_unit: Unit, value: Constant, _depth: int) -> str:
    if value.kind != "str":
        return value.text
    text = value.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _named(_unit: Unit, value: Parameter | Name | Element, _depth: int) -> str:
    return value.name


def _imported(_unit: Unit, value: Imported, _depth: int) -> str:
    return value.member or value.module


def _attribute(unit: Unit, value: Attribute, depth: int) -> str:
    return f"{text_of(unit, value.base, depth)}.{value.name}"


def _item(unit: Unit, value: Item, depth: int) -> str:
    return f"{text_of(unit, value.base, depth)}[{text_of(unit, value.index, depth)}]"


def _call(unit: Unit, value: Call, depth: int) -> str:
    return f"{text_of(unit, value.function, depth)}({_arguments(unit, value, depth)})"


def _template(unit: Unit, value: Template, depth: int) -> str:
    return 'f"' + "".join(_part(unit, part, depth) for part in value.parts) + '"'


def _binary(unit: Unit, value: Binary, depth: int) -> str:
    return f"{text_of(unit, value.left, depth)} {value.operator} {text_of(unit, value.right, depth)}"


def _choice(unit: Unit, value: Choice, depth: int) -> str:
    joint = {"or": " or ", "and": " and "}.get(value.how, " / ")
    return joint.join(text_of(unit, option, depth) for option in value.options)


def _series(unit: Unit, value: Series, depth: int) -> str:
    return "(" + ", ".join(text_of(unit, item, depth) for item in value.items) + ")"


def _mapping(_unit: Unit, _value: Mapping, _depth: int) -> str:
    return "{…}"


def _function(_unit: Unit, value: Function, _depth: int) -> str:
    return value.qualname.rpartition(".")[2]


def _arguments(unit: Unit, call: Call, depth: int) -> str:
    parts = []
    for argument in call.arguments:
        keyword = "" if argument.keyword is None else f"{argument.keyword}="
        parts.append(f"{'*' * argument.stars}{keyword}{text_of(unit, argument.value, depth)}")
    return ", ".join(parts)


def _part(unit: Unit, index: int, depth: int) -> str:
    value = unit.values[index]
    if isinstance(value, Constant) and value.kind == "str":
        return value.text
    return f"{{{text_of(unit, index, depth)}}}"


_WRITERS: dict[type, Callable[[Unit, Any, int], str]] = {
    Constant: _constant,
    Parameter: _named,
    Name: _named,
    Element: _named,
    Imported: _imported,
    Attribute: _attribute,
    Item: _item,
    Call: _call,
    Template: _template,
    Binary: _binary,
    Choice: _choice,
    Series: _series,
    Mapping: _mapping,
    Function: _function,
}
