"""Assignments, deletions, and statements that are one expression."""

import libcst as cst

from scope_lint.collect import dicts
from scope_lint.collect.expressions import OPERATORS, evaluate, frozen, subscript_index, unknown
from scope_lint.collect.nodes import dotted
from scope_lint.collect.scope import Scope
from scope_lint.collect.state import Operand
from scope_lint.collect.statements import Handlers, line
from scope_lint.facts import Binary, Constant, Item, Series, Unknown


def _expression(scope: Scope, node: cst.Expr) -> None:
    evaluate(scope, node.value)


def _assign(scope: Scope, node: cst.Assign) -> None:
    operand = evaluate(scope, node.value)
    for target in node.targets:
        bind_target(scope, target.target, operand)


def _annotated(scope: Scope, node: cst.AnnAssign) -> None:
    annotation = frozen(scope, node.annotation.annotation)
    operand = None if node.value is None else evaluate(scope, node.value)
    name = dotted(node.target)
    if name is not None:
        scope.annotations[name] = annotation
    if operand is not None:
        bind_target(scope, node.target, operand)


def _augmented(scope: Scope, node: cst.AugAssign) -> None:
    left, right = evaluate(scope, node.target), evaluate(scope, node.value)
    operator = OPERATORS.get(type(node.operator))
    if left < 0 and operator == "|":
        for step in dicts.spread(scope, right, scope.span(node.value)):
            dicts.append(scope, left, step)
        return
    if operator is None:
        result = unknown(scope, node, "arithmetic")
    else:
        result = scope.add(Binary(operator, scope.frozen(left), scope.frozen(right), scope.span(node)))
    bind_target(scope, node.target, result)


def bind_target(scope: Scope, target: cst.BaseExpression, operand: Operand) -> None:
    """Assign `operand` to a name, an attribute, an item or a pattern of them."""
    if isinstance(target, cst.Name):
        scope.bind(target.value, operand)
    elif isinstance(target, cst.Attribute):
        name = dotted(target)
        if name is None:
            evaluate(scope, target.value)
        else:
            scope.bind(name, operand)
    elif isinstance(target, cst.Subscript):
        _store_item(scope, target, operand)
    elif isinstance(target, cst.Tuple | cst.List):
        _unpack(scope, target, operand)
    elif isinstance(target, cst.StarredElement):
        bind_target(scope, target.value, unknown(scope, target, "the rest of an unpacking"))


def _store_item(scope: Scope, target: cst.Subscript, operand: Operand) -> None:
    handle, key = _changed(scope, target)
    if handle is not None and key is not None:
        dicts.put(scope, handle, key, operand, scope.span(target.slice[0]))


def _changed(scope: Scope, target: cst.Subscript) -> tuple[Operand | None, int | None]:
    """Return the dict that `target` is an item of, on the heap from now on, and the key; None for what is no dict."""
    base = evaluate(scope, target.value)
    key = subscript_index(scope, target)
    if base < 0:
        return base, key
    span = scope.unit.table.span(base)
    if isinstance(scope.unit.table[base], Series):
        scope.live.rebind(base, scope.add(Unknown("a list changed by assignment to an item", span)))
    if isinstance(scope.unit.table[base], Series | Constant):
        return None, key
    return dicts.adopt(scope, base, dotted(target.value)), key


def _unpack(scope: Scope, target: cst.Tuple | cst.List, operand: Operand) -> None:
    value = scope.unit.table[operand] if operand >= 0 else None
    elements = target.elements
    starred = any(isinstance(element, cst.StarredElement) for element in elements)
    if isinstance(value, Series) and not starred and len(value.items) == len(elements):
        for element, item in zip(elements, value.items, strict=True):
            bind_target(scope, element.value, item)
        return
    base = scope.frozen(operand)
    for position, element in enumerate(elements):
        if isinstance(element, cst.StarredElement):
            bind_target(scope, element, base)
            starred = False
            continue
        span = scope.span(element.value)
        index = scope.add(Constant("int", str(position), span))
        item = scope.add(Item(base, index, span)) if not starred else unknown(scope, element.value, "an unpacking")
        bind_target(scope, element.value, item)


def _delete(scope: Scope, node: cst.Del) -> None:
    targets = node.target.elements if isinstance(node.target, cst.Tuple | cst.List) else [cst.Element(node.target)]
    for element in targets:
        target = element.value
        name = dotted(target)
        if name is not None:
            scope.live.names.pop(name, None)
        elif isinstance(target, cst.Subscript):
            handle, key = _changed(scope, target)
            if handle is not None and key is not None:
                dicts.put(scope, handle, key, None, scope.span(target.slice[0]))


def _global(scope: Scope, node: cst.Global) -> None:
    scope.outer_names.update(item.name.value for item in node.names)


def _module_binding(scope: Scope, node: cst.TypeAlias) -> None:
    scope.bind(node.name.value, frozen(scope, node.value))


HANDLERS: Handlers = {
    cst.SimpleStatementLine: line,
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Del: _delete,
    cst.Global: _global,
    cst.TypeAlias: _module_binding,
}
