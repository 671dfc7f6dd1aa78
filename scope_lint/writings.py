"""What a value as written says about the address that it makes: its side in a vote, its type, and its code."""

import re
from collections.abc import Sequence

from scope_lint.model import Store, Writing

# Types of which no value is a str. A class of the project's own can be one (NewType, StrEnum), so it is none of these.
_NOT_STRINGS = frozenset(
    {
        "bool", "bytearray", "bytes", "complex", "date", "datetime", "Decimal", "dict", "float", "frozenset", "int",
        "list", "memoryview", "ObjectId", "set", "time", "timedelta", "tuple", "UUID",
    }
)  # fmt: skip
# The conversions of a shape, innermost first: `str()`, `.strip()`, `.hex`, `f"user-{}"`, and `f-string` by its name.
_TOKEN = re.compile(
    r"""(?P<bare>f-string)|(?P<template>f"[^"]*"|f'[^']*')|(?P<function>[A-Za-z_][\w.]*)\(\)|(?P<method>\.\w+(?:\((?:[^()']|'[^']*')*\))?)"""
)
_SLOT = re.compile(r"(?<!\{)\{([^{}]*)\}")


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NO_WORDS = frozenset({"id", "ids", "key", "name", "str", "self", "value"})
_SAME_WORD = {"uid": "user", "sid": "session", "oid": "org", "organization": "org", "organisation": "org"}


def words(text: str) -> frozenset[str]:
    """What a name or an expression speaks of, in small letters: `user` for `userId`, `uid` and `request.user.id`."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_SAME_WORD.get(word, word) for word in found if word not in _NO_WORDS)


def converted(writings: Sequence[Writing]) -> list[Writing]:
    """The ways in which a value comes about, without "as is" where the same value is converted on another path.

    `if not isinstance(uid, str): uid = str(uid)` converts what needs it, and stores one form.
    """
    done = {writing.text for writing in writings if writing.shape != "as is"}
    return [writing for writing in writings if writing.shape != "as is" or writing.text not in done]


def subject(text: str) -> frozenset[str]:
    """What an expression is a value of, by the last part of its name that says so: `user` for `request.user.id`."""
    for part in reversed(text.split(".")):
        found = words(part)
        if found:
            return found
    return frozenset()


def prefixes(writing: Writing) -> bool:
    """Whether the value is a template of literal text around one value."""
    slots = _SLOT.findall(writing.shape)
    return len(slots) == 1 and writing.shape.startswith('f"') and _SLOT.sub("", writing.shape) != 'f""'


def is_constant(writing: Writing) -> bool:
    """Whether the value is a constant of the code."""
    return writing.constant is not None or writing.shape.startswith("const:")


def known_type(writing: Writing) -> str | None:
    """The type of the stored value, "str" or one that certainly is no str; None if it is neither, or unknown."""
    if writing.type is None:
        return None
    name = writing.type.split("[")[0].rpartition(".")[2].strip()
    return name if name == "str" or name in _NOT_STRINGS else None


def canonical(shape: str, store: Store) -> str:
    """`shape` without what makes no other address.

    A method of str after `str()` says that the value is one already: `str(x).strip()` is `x.strip()`. A coerced store
    makes strings itself.
    """
    if store.non_strings == "coerced" and shape in {"str()", "f-string"}:
        return "as is"
    for neutral in ("str()", "as is"):
        if shape.startswith(f"{neutral}."):
            return shape.removeprefix(neutral)
    return shape


def side(writing: Writing, store: Store) -> str | None:
    """The side that the value is on in the vote over shapes; None if it is on none.

    On none are constants and values made on the spot (no identity), what is not understood, what `type-drift` speaks
    of, and a value that is as is but proven str: it is the same address as `str()` of it.
    """
    if is_constant(writing) or writing.made or writing.type == "None" or writing.spelling in {"unknown", "mapping"}:
        return None
    kind = known_type(writing)
    if store.non_strings == "refused" and kind not in {None, "str"}:
        return None
    if store.non_strings != "coerced" and writing.shape == "as is" and kind == "str":
        return None
    return canonical(writing.shape, store)


def in_code(shape: str, text: str) -> str:
    """How Python code writes `shape` applied to the expression `text`: `str()` and `uid` give `str(uid)`."""
    code = text
    for token in () if shape == "as is" else _TOKEN.finditer(shape):
        if token["template"]:
            code = _SLOT.sub(lambda slot, inner=code: f"{{{in_code(slot[1], inner)}}}", token["template"], count=1)
        elif token["function"]:
            code = f"{token['function']}({code})"
        elif token["method"]:
            code = f"{code}{token['method']}"
        else:
            code = f'f"{{{code}}}"'
    return code


def code_of(writing: Writing) -> str:
    """The value as its code: a constant as it stands, else the leaf under its conversions."""
    if is_constant(writing):
        return writing.text or repr(writing.constant)
    return in_code(writing.shape, writing.text)
