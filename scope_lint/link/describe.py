"""Values as a reader would write them: short source text for messages, and how they are spelled."""

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
    if depth > _DEPTH:
        return "…"
    value, deeper = unit.values[index], depth + 1
    if isinstance(value, Constant):
        return repr(value.text).replace("'", '"') if value.kind == "str" else value.text
    if isinstance(value, Parameter | Name | Element):
        return value.name
    if isinstance(value, Imported):
        return value.member or value.module
    if isinstance(value, Attribute):
        return f"{text_of(unit, value.base, deeper)}.{value.name}"
    if isinstance(value, Item):
        return f"{text_of(unit, value.base, deeper)}[{text_of(unit, value.index, deeper)}]"
    if isinstance(value, Call):
        return f"{text_of(unit, value.function, deeper)}({_arguments(unit, value, deeper)})"
    if isinstance(value, Template):
        return 'f"' + "".join(_part(unit, part, deeper) for part in value.parts) + '"'
    return _compound(unit, index, deeper)


def _compound(unit: Unit, index: int, depth: int) -> str:
    value = unit.values[index]
    if isinstance(value, Binary):
        return f"{text_of(unit, value.left, depth)} {value.operator} {text_of(unit, value.right, depth)}"
    if isinstance(value, Choice):
        joint = {"or": " or ", "and": " and "}.get(value.how, " / ")
        return joint.join(text_of(unit, option, depth) for option in value.options)
    if isinstance(value, Series):
        return "(" + ", ".join(text_of(unit, item, depth) for item in value.items) + ")"
    if isinstance(value, Mapping):
        return "{…}"
    if isinstance(value, Function):
        return value.qualname.rpartition(".")[2]
    return "…"


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
