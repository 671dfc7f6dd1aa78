"""What a syntax tree is made of, whatever it means."""

from collections.abc import Iterable

import libcst as cst


def parts(node: cst.CSTNode) -> Iterable[cst.BaseExpression]:
    """Yield the outermost expressions inside `node`, in source order, without a look at white space."""
    for child in node.children:
        if isinstance(child, cst.BaseExpression):
            yield child
        elif not isinstance(child, cst.BaseParenthesizableWhitespace | cst.TrailingWhitespace | cst.EmptyLine):
            yield from parts(child)


def dotted(node: cst.BaseExpression) -> str | None:
    """Return `a.b.c` for names and attributes of names, else None."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr.value}"
    return None
