"""Facts: what one chunk of source says, as plain frozen values.

Values form a table per chunk; a value names its operands by their index in that table, so that shared operands are
stored once and nothing nests deeper than one level. Spans are those of the file.
"""

from typing import Literal

from msgspec import Struct

from scope_lint.model import File, Span


class Constant(Struct, frozen=True, array_like=True, tag="constant", gc=False):
    """A literal. `kind` is str, int, float, complex, bool, bytes, None or ellipsis; `text` a string's own content."""

    kind: str
    text: str
    span: Span


class Parameter(Struct, frozen=True, array_like=True, tag="parameter", gc=False):
    """A parameter of the function `owner` (a qualified name in this file), read at `span`."""

    owner: str
    name: str
    span: Span


class Name(Struct, frozen=True, array_like=True, tag="name", gc=False):
    """A name that no function around it binds: the module's, or a builtin."""

    name: str
    span: Span


class Imported(Struct, frozen=True, array_like=True, tag="imported", gc=False):
    """`import module` (member is None) or `from module import member`; `level` counts the leading dots."""

    module: str
    member: str | None
    level: int
    span: Span


class Attribute(Struct, frozen=True, array_like=True, tag="attribute", gc=False):
    """`base.name`."""

    base: int
    name: str
    span: Span


class Item(Struct, frozen=True, array_like=True, tag="item", gc=False):
    """`base[index]`."""

    base: int
    index: int
    span: Span


class Argument(Struct, frozen=True, array_like=True, gc=False):
    """An argument as written at a call: `value`, `keyword=value`, `*value` (one star) or `**value` (two)."""

    value: int
    keyword: str | None
    stars: int
    span: Span


class Call(Struct, frozen=True, array_like=True, tag="call", gc=False):
    """`function(*arguments)`, the arguments in source order.

    `written` is what is called as it stands in the source, if that is a name or attributes of one; "" otherwise.
    """

    function: int
    arguments: tuple[Argument, ...]
    span: Span
    written: str = ""


class Element(Struct, frozen=True, array_like=True, tag="element", gc=False):
    """What a loop or comprehension binds to `name`: one of the elements of `base`."""

    base: int
    name: str
    span: Span


class Starred(Struct, frozen=True, array_like=True, tag="starred", gc=False):
    """`*value` among the items of a series."""

    value: int
    span: Span


class Template(Struct, frozen=True, array_like=True, tag="template", gc=False):
    """An f-string, or adjacent strings one of which is: its literal parts and values in order."""

    parts: tuple[int, ...]
    span: Span


class Formatted(Struct, frozen=True, array_like=True, tag="formatted", gc=False):
    """A replacement field of an f-string with a conversion or a format: `{value!r:>8}` has the text `!r:>8`."""

    value: int
    text: str
    span: Span


class Entry(Struct, frozen=True, array_like=True, gc=False):
    """One step in the making of a mapping.

    `key` None is `**value`; `value` None removes the key. `maybe`: on some paths only. `span` is the key as written
    (of the whole `**value`).
    """

    key: int | None
    value: int | None
    maybe: bool
    span: Span


class Mapping(Struct, frozen=True, array_like=True, tag="mapping", gc=False):
    """A dict as it stands at one moment: entries in the order in which they were made, a later one wins."""

    entries: tuple[Entry, ...]
    span: Span


class Series(Struct, frozen=True, array_like=True, tag="series", gc=False):
    """A tuple, list or set display."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[int, ...]
    span: Span


class Choice(Struct, frozen=True, array_like=True, tag="choice", gc=False):
    """One of several values: by `or`, `and`, a conditional expression, or the branches of statements."""

    how: Literal["or", "and", "if", "branch"]
    options: tuple[int, ...]
    span: Span


class Binary(Struct, frozen=True, array_like=True, tag="binary", gc=False):
    """`left operator right`, for `+`, `%` and `|`."""

    operator: Literal["+", "%", "|"]
    left: int
    right: int
    span: Span


class Function(Struct, frozen=True, array_like=True, tag="function", gc=False):
    """A nested function, class or lambda of this chunk, by its qualified name."""

    qualname: str
    span: Span


class Unknown(Struct, frozen=True, array_like=True, tag="unknown", gc=False):
    """A value that collect does not follow, and why."""

    reason: str
    span: Span


Value = (
    Constant
    | Parameter
    | Name
    | Imported
    | Attribute
    | Item
    | Call
    | Element
    | Starred
    | Template
    | Formatted
    | Mapping
    | Series
    | Choice
    | Binary
    | Function
    | Unknown
)


class Formal(Struct, frozen=True, array_like=True):
    """A parameter as declared; default and annotation are indices into the chunk's values."""

    name: str
    kind: Literal["positional-only", "positional", "keyword-only", "args", "kwargs"]
    default: int | None
    annotation: int | None
    span: Span


class Binding(Struct, frozen=True, array_like=True):
    """A name with its value: a module's or class's name, or an attribute of `self` at the end of a method."""

    name: str
    value: int
    annotation: int | None
    span: Span


class FunctionFacts(Struct, frozen=True, array_like=True):
    """What one function does; `qualname` "" stands for the module's own statements.

    `calls` are all calls of the body in source order, `returns` all returned values, `attributes` what `self` is
    given. `receiver` is the name of the first parameter of a method that takes one.
    """

    qualname: str
    span: Span
    formals: tuple[Formal, ...]
    decorators: tuple[int, ...]
    annotation: int | None
    returns: tuple[int, ...]
    calls: tuple[int, ...]
    attributes: tuple[Binding, ...]
    receiver: str | None
    generator: bool


class ClassFacts(Struct, frozen=True, array_like=True):
    """A class without its methods: bases, decorators, and the names bound or annotated in its body."""

    qualname: str
    span: Span
    bases: tuple[int, ...]
    decorators: tuple[int, ...]
    fields: tuple[Binding, ...]
    annotations: tuple[tuple[str, int], ...]


class ChunkFacts(Struct, frozen=True, array_like=True):
    """What one chunk says; `bindings` are the names that a module leaves bound, `stars` its `import *`."""

    qualname: str
    values: tuple[Value, ...]
    functions: tuple[FunctionFacts, ...]
    classes: tuple[ClassFacts, ...]
    bindings: tuple[Binding, ...]
    stars: tuple[int, ...]


class FileFacts(Struct, frozen=True):
    """What is known of one file so far: the qualified names it defines, and the facts of the chunks asked for."""

    file: File
    definitions: frozenset[str]
    chunks: tuple[ChunkFacts, ...]


class Wanted(Struct, frozen=True, order=True):
    """What link lacks: a definition of a file, or what the methods of a class give the attribute `attribute`."""

    path: str
    qualname: str
    attribute: str | None = None
