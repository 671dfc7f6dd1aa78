"""What an annotation says of a value: its type, whether it can be None, and the class of the corpus."""

from dataclasses import dataclass

from scope_lint.facts import Attribute, Binary, Constant, Imported, Item, Name, Series
from scope_lint.link.program import Unit

# Annotations whose values are known not to be a mapping of the user's making, by their last name.
BUILTIN_TYPES = frozenset({"str", "int", "float", "bool", "bytes", "complex", "UUID", "Decimal", "date", "datetime"})
WRAPPERS = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "Mapped"})


@dataclass(frozen=True, slots=True)
class Annotated:
    """`names` are the value indices of the names it mentions as types; `type` a builtin type if it is just that."""

    type: str | None
    nullable: bool
    classes: tuple[int, ...]


NOTHING = Annotated(None, nullable=False, classes=())


def read(unit: Unit, index: int | None) -> Annotated:
    """Return what the annotation at `index` of `unit` says."""
    if index is None:
        return NOTHING
    members = list(_members(unit, index))
    nullable = any(_is_none(unit, member) for member in members)
    rest = [member for member in members if not _is_none(unit, member)]
    types = {_builtin(unit, member) for member in rest}
    known = types.pop() if len(types) == 1 else None
    return Annotated(known, nullable, tuple(rest))


def _members(unit: Unit, index: int) -> list[int]:
    """Return the members of a union, what `Optional[X]` and the like wrap included."""
    value = unit.values[index]
    if isinstance(value, Binary) and value.operator == "|":
        return _members(unit, value.left) + _members(unit, value.right)
    if not isinstance(value, Item):
        return [index]
    name, inner = last_name(unit, value.base), unit.values[value.index]
    if name == "Optional":
        return [*_members(unit, value.index), _NONE]
    if name == "Union" and isinstance(inner, Series):
        return [member for item in inner.items for member in _members(unit, item)]
    if name in WRAPPERS:
        first = inner.items[0] if isinstance(inner, Series) and inner.items else value.index
        return _members(unit, first)
    return [index]


_NONE = -1


def _is_none(unit: Unit, index: int) -> bool:
    if index == _NONE:
        return True
    value = unit.values[index]
    return isinstance(value, Constant) and value.kind == "None"


def _builtin(unit: Unit, index: int) -> str | None:
    name = last_name(unit, index)
    return name if name in BUILTIN_TYPES else None


def last_name(unit: Unit, index: int) -> str | None:
    """Return the last part of the name at `index`: `UUID` for `uuid.UUID` or the string "uuid.UUID"."""
    value = unit.values[index]
    if isinstance(value, Name | Attribute):
        return value.name
    if isinstance(value, Imported):
        return value.member or value.module.rpartition(".")[2]
    if isinstance(value, Constant) and value.kind == "str":
        return value.text.rpartition(".")[2]
    return None
