"""Strict reading of a parsed TOML table into a Struct, with errors in the words of the person who wrote the table."""

import re
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

T = TypeVar("T")

TablePath = tuple[str | int, ...]
"""Where a value stands in nested tables: ("stores", "memory", "sinks", 0, "role"); lists count from 0."""

# The end of msgspec's messages: "… - at `$.sinks[0].role`". A key that no field names is `[...]`; the path ends there.
_PATH = re.compile(r"[`'] - at `\$((?:\.[a-z-]+|\[\d+\])*)[^`]*`$")
_PLAIN: dict[type[inspect.Type], type] = {inspect.StrType: str, inspect.IntType: int}
_STEP = re.compile(r"\.([a-z-]+)|\[(\d+)\]")


class Fault(Exception):  # noqa: N818 - what is wrong with a table; config makes an error with a file and a line of it
    """A table that breaks the schema: the path to the culprit, what is wrong with it, and the mend."""

    def __init__(self, path: TablePath, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message

    def below(self, *prefix: str | int) -> "Fault":
        """Return the same fault as seen from a table further out."""
        return Fault((*prefix, *self.path), self.message)


def convert(raw: object, kind: type[T]) -> T:
    """Return `raw` (what tomllib gives) as a value of the type `kind`.

    Raises:
        Fault: an unknown or a missing key, or a value of the wrong type.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _fault(str(error), raw, inspect.type_info(kind)) from None


def listing(words: Sequence[str]) -> str:
    """Return "a", "a or b", "a, b or c" for one word or more."""
    *most, final = words
    return f"{', '.join(most)} or {final}" if most else final


def nearest(name: str, valid: Collection[str]) -> str:
    """Return the end of an error message: the valid name most like `name`, or else all of them."""
    close = closest(name, valid)
    if close is not None:
        return f"did you mean `{close}`?"
    return f"expected {listing([f'`{word}`' for word in valid])}" if valid else "none is known"


def closest(name: str, valid: Collection[str]) -> str | None:
    """Return the valid name that `name` is most probably a misspelling of, if there is one."""
    from difflib import get_close_matches  # noqa: PLC0415 - takes time to import, and only errors need it

    return next(iter(get_close_matches(name, sorted(valid), n=1)), None)


def describe(kind: inspect.Type) -> str:
    """Return what a value of this type is called in settings: "a list of strings"."""
    match kind:
        case inspect.UnionType():
            return listing([describe(each) for each in _alternatives(kind)])
        case inspect.LiteralType(values=values):
            return listing([f'"{value}"' for value in values])
        case inspect.VarTupleType(item_type=item):
            return f"a list of {_plural(item)}"
        case inspect.DictType(value_type=inspect.StrType() | inspect.IntType() as value):
            return f"a table of {_plural(value)}"
        case _:
            words = {inspect.StrType: "a string", inspect.IntType: "a whole number", inspect.BoolType: "true or false"}
            return words.get(type(kind), "a table")


def _plural(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.UnionType):
        return listing([_plural(each) for each in _alternatives(kind)])
    noun, of, item = describe(kind).removeprefix("a ").partition(" of ")
    return f"{noun}s{of}{item}"


def _described(value: object) -> str:
    words = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return words.get(type(value), "a date or time")


def _fault(error: str, raw: object, kind: inspect.Type) -> Fault:
    """Translate the message of a msgspec.ValidationError. Its path is used, and otherwise the value speaks."""
    path, value, here = _descend(error, raw, kind)
    if isinstance(here, inspect.StructType) and isinstance(value, dict):
        fields = {field.encode_name: field for field in here.fields}
        for name in value:
            if name not in fields:
                return Fault((*path, name), f"unknown key; {nearest(name, fields)}")
        for name, field in fields.items():
            if field.required and name not in value:
                return Fault((*path, name), f"missing; expected {describe(field.type)}")
    if isinstance(here, inspect.DictType) and isinstance(value, dict):
        # The value of a free key, which msgspec does not name.
        plain = _PLAIN.get(type(here.value_type), object)
        for name, item in value.items():
            if not isinstance(item, plain) or isinstance(item, bool):
                return Fault((*path, name), f"expected {describe(here.value_type)}, got {_described(item)}")
    if isinstance(here, inspect.LiteralType) and isinstance(value, str):
        close = closest(value, [str(each) for each in here.values])
        guess = f'did you mean "{close}"? ' if close else ""
        return Fault(path, f'unknown value "{value}"; {guess}expected {describe(here)}')
    return _wrong_type(path, raw, kind)


def _wrong_type(path: TablePath, raw: object, kind: inspect.Type) -> Fault:
    """Blame the whole value of a key, so that "a list of strings" is said of the list and not of its third item."""
    whole = path
    while whole and isinstance(whole[-1], int):
        whole = whole[:-1]
    value, here = _at(whole, raw, kind)
    culprit, _ = _at(path, raw, kind)
    expected = describe(here)
    if whole != path:
        return Fault(whole, f"expected {expected}, got {_described(culprit)} in it")
    mend = f'; write ["{value}"]' if isinstance(value, str) and expected == "a list of strings" else ""
    return Fault(whole, f"expected {expected}, got {_described(value)}{mend}")


def _descend(error: str, raw: object, kind: inspect.Type) -> tuple[TablePath, Any, inspect.Type]:
    """Return the path that the message names, and the value and type there."""
    found = _PATH.search(error)
    path = tuple(name or int(index) for name, index in _STEP.findall(found[1])) if found else ()
    try:
        return (path, *_at(path, raw, kind))
    except (LookupError, TypeError):  # a key that itself reads like the end of a message
        return ((), raw, kind)


def _at(path: TablePath, raw: Any, kind: inspect.Type) -> tuple[Any, inspect.Type]:  # noqa: ANN401 - parsed TOML
    for step in path:
        raw = raw[step]
        kind = _child(kind, step)
    options = _alternatives(kind)
    if isinstance(raw, dict):
        options = [each for each in options if isinstance(each, inspect.StructType | inspect.DictType)] or options
    return raw, options[0] if len(options) == 1 else kind


def _child(kind: inspect.Type, step: str | int) -> inspect.Type:
    for each in _alternatives(kind):
        if isinstance(step, int) and isinstance(each, inspect.VarTupleType):
            return each.item_type
        if isinstance(step, str) and isinstance(each, inspect.StructType):
            return {field.encode_name: field.type for field in each.fields}[step]
    raise LookupError(step)


def _alternatives(kind: inspect.Type) -> Sequence[inspect.Type]:
    """Return the members of a union, without None, which TOML cannot say; any other type alone."""
    if isinstance(kind, inspect.UnionType):
        return [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    return [kind]
