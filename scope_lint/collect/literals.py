"""Literals and f-strings."""

import ast
from collections.abc import Callable, Iterator

import libcst as cst

from scope_lint.collect.scope import Scope
from scope_lint.facts import Constant, Formatted, Template, Unknown
from scope_lint.model import Span

KINDS: dict[type[cst.CSTNode], str] = {
    cst.Integer: "int",
    cst.Float: "float",
    cst.Imaginary: "complex",
    cst.Ellipsis: "ellipsis",
}


def constant(scope: Scope, node: cst.BaseExpression) -> int:
    """Return a literal that is no f-string."""
    if isinstance(node, cst.SimpleString):
        return scope.add(_string(node, scope.span(node)))
    kind = KINDS[type(node)]
    text = node.value if isinstance(node, cst.Integer | cst.Float | cst.Imaginary) else "..."
    return scope.add(Constant(kind, _canonical(text), scope.span(node)))


def _canonical(text: str) -> str:
    """Return the number's usual spelling: `0x10` and `1_6` are 16."""
    try:
        return repr(ast.literal_eval(text))
    except ValueError:  # more digits than Python converts
        return text


def _string(node: cst.SimpleString, span: Span) -> Constant:
    value = _evaluated(node.value)
    if isinstance(value, bytes):
        return Constant("bytes", repr(value), span)
    return Constant("str", storable(value), span)


def _evaluated(source: str) -> str | bytes:
    """Return the value of a string literal; an escape that Python refuses leaves it as it is written."""
    try:
        value = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        return source
    return value if isinstance(value, str | bytes) else source


def storable(text: str) -> str:
    """Return `text` with lone surrogates escaped, since they have no UTF-8 form."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def template(
    scope: Scope,
    node: cst.FormattedString | cst.ConcatenatedString,
    evaluate: Callable[[Scope, cst.BaseExpression], int],
) -> int:
    """Return an f-string, or strings that stand side by side, as one template (a constant if nothing is filled in)."""
    span = scope.span(node)
    pieces: list[int | str] = []
    for string in _strings(node):
        if isinstance(string, cst.SimpleString):
            value = _evaluated(string.value)
            if isinstance(value, bytes):
                return scope.add(Constant("bytes", "", span))
            pieces.append(value)
        elif isinstance(string, cst.FormattedString):
            pieces += [_piece(scope, string, content, evaluate) for content in string.parts]
        else:
            return scope.add(Unknown("a template string", span))
    merged = list(_merged(pieces))
    if all(isinstance(piece, str) for piece in merged):
        return scope.add(Constant("str", storable("".join(map(str, merged))), span))
    parts = [scope.add(Constant("str", storable(piece), span)) if isinstance(piece, str) else piece for piece in merged]
    return scope.add(Template(tuple(parts), span))


def _strings(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    while isinstance(node, cst.ConcatenatedString):
        yield from _strings(node.left)
        node = node.right
    yield node


def _merged(pieces: list[int | str]) -> Iterator[int | str]:
    """Join neighbouring texts and drop empty ones."""
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            yield text
        text = ""
        yield piece
    if text:
        yield text


def _piece(
    scope: Scope,
    string: cst.FormattedString,
    content: cst.BaseFormattedStringContent,
    evaluate: Callable[[Scope, cst.BaseExpression], int],
) -> int | str:
    if isinstance(content, cst.FormattedStringText):
        return _literal_text(string, content.value)
    field = cst.ensure_type(content, cst.FormattedStringExpression)
    value = evaluate(scope, field.expression)
    text = f"!{field.conversion}" if field.conversion else ""
    if field.format_spec is not None:
        text += ":" + "".join(_format_text(scope, part, evaluate) for part in field.format_spec)
    if not text or text == "!s":
        return value
    return scope.add(Formatted(value, text, scope.span(field.expression)))


def _format_text(
    scope: Scope, part: cst.BaseFormattedStringContent, evaluate: Callable[[Scope, cst.BaseExpression], int]
) -> str:
    if isinstance(part, cst.FormattedStringText):
        return part.value
    evaluate(scope, cst.ensure_type(part, cst.FormattedStringExpression).expression)
    return "{}"


def _literal_text(string: cst.FormattedString, text: str) -> str:
    """Return the text between replacement fields as the string will hold it."""
    text = text.replace("{{", "{").replace("}}", "}")
    if "\\" not in text or "r" in string.prefix.lower():
        return text
    value = _evaluated(f'"""{text}"""' if not text.endswith('"') else f"'''{text}'''")
    return value if isinstance(value, str) else text
