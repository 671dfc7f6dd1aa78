"""Expressions to operands."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import libcst as cst

from scope_lint.collect import dicts
from scope_lint.collect.literals import constant, template
from scope_lint.collect.nodes import dotted, parts
from scope_lint.collect.scope import Scope
from scope_lint.collect.state import Operand, Step, choose
from scope_lint.facts import (
    Argument,
    Attribute,
    Binary,
    Call,
    Constant,
    Element,
    Formal,
    Function,
    FunctionFacts,
    Item,
    Parameter,
    Series,
    Starred,
    Unknown,
)

OPERATORS: dict[type[cst.BaseBinaryOp | cst.BaseAugOp], Literal["+", "%", "|"]] = {
    cst.Add: "+",
    cst.Modulo: "%",
    cst.BitOr: "|",
    cst.AddAssign: "+",
    cst.ModuloAssign: "%",
    cst.BitOrAssign: "|",
}


def evaluate(scope: Scope, node: cst.BaseExpression) -> Operand:
    """Return what `node` evaluates to; every call in it is recorded, and what it changes is changed."""
    handler = HANDLERS.get(type(node))
    if handler is not None:
        return handler(scope, node)
    return _other(scope, node)


def frozen(scope: Scope, node: cst.BaseExpression) -> int:
    """Return the index of what `node` evaluates to, as it is now."""
    return scope.frozen(evaluate(scope, node))


def unknown(scope: Scope, node: cst.CSTNode, reason: str) -> Operand:
    """Return a value that is not followed."""
    return scope.add(Unknown(reason, scope.span(node)))


def _other(scope: Scope, node: cst.BaseExpression) -> Operand:
    """Evaluate the parts of an expression whose own value does not matter (comparisons, arithmetic, …)."""
    for part in parts(node):
        evaluate(scope, part)
    return unknown(scope, node, f"an expression ({type(node).__name__})")


def _name(scope: Scope, node: cst.Name) -> Operand:
    if node.value in ("True", "False", "None"):
        kind = "None" if node.value == "None" else "bool"
        return scope.add(Constant(kind, node.value, scope.span(node)))
    return scope.lookup(node.value, scope.span(node))


def _attribute(scope: Scope, node: cst.Attribute) -> Operand:
    path = dotted(node)
    if path is not None and path in scope.live.names:
        return scope.live.names[path]
    base = evaluate(scope, node.value)
    return scope.add(Attribute(scope.frozen(base), node.attr.value, scope.span(node)))


def _subscript(scope: Scope, node: cst.Subscript) -> Operand:
    base = evaluate(scope, node.value)
    index = subscript_index(scope, node)
    if index is None:
        index = scope.frozen(unknown(scope, node, "a slice"))
        return scope.add(Item(scope.frozen(base), index, scope.span(node)))
    if base < 0:
        known = dicts.get(scope, base, index)
        if known is not None:
            return known
    return scope.add(Item(scope.frozen(base), index, scope.span(node)))


def subscript_index(scope: Scope, node: cst.Subscript) -> int | None:
    """Return the index of the key in `value[key]`; None for a slice or several indices, whose parts are evaluated."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index) and node.slice[0].slice.star is None:
        return frozen(scope, node.slice[0].slice.value)
    items = []
    for element in node.slice:
        if not isinstance(element.slice, cst.Index):
            for part in parts(element):
                evaluate(scope, part)
            return None
        items.append(frozen(scope, element.slice.value))
    return scope.add(Series("tuple", tuple(items), scope.unit.positions.between(node.slice[0], node.slice[-1])))


def _call(scope: Scope, node: cst.Call) -> Operand:
    if isinstance(node.func, cst.Attribute):
        return _method_call(scope, node, node.func)
    function = frozen(scope, node.func)
    passed = [_passed(scope, argument) for argument in node.args]
    span = scope.span(node)
    if isinstance(node.func, cst.Name) and node.func.value == "dict" and dicts.is_builtin(scope, function):
        return dicts.construct(scope, passed, span)
    return record(scope, Call(function, _arguments(scope, passed), span, dotted(node.func) or ""))


def _method_call(scope: Scope, node: cst.Call, func: cst.Attribute) -> Operand:
    method, span = func.attr.value, scope.span(node)
    owner = evaluate(scope, func.value)
    passed = [_passed(scope, argument) for argument in node.args]
    if owner >= 0 and dicts.looks_like_update(method, passed) and not isinstance(scope.unit.table[owner], Series):
        owner = dicts.adopt(scope, owner, dotted(func.value))
    result = dicts.method(scope, method, owner, passed, span) if owner < 0 else None
    if result is not None and owner == dicts.underlying(scope, owner):
        return result
    function = _method(scope, func, owner)
    arguments = _arguments(scope, passed)
    if owner >= 0:
        _mutate_list(scope, method, owner, arguments)
    call = record(scope, Call(function, arguments, span, dotted(func) or ""))
    return call if result is None else result


def _method(scope: Scope, node: cst.Attribute, owner: Operand) -> int:
    path = dotted(node)
    if path is not None and path in scope.live.names:
        return scope.frozen(scope.live.names[path])
    base = owner if owner >= 0 else dicts.underlying(scope, owner)
    return scope.add(Attribute(base, node.attr.value, scope.span(node)))


def record(scope: Scope, call: Call) -> int:
    """Put a call into the facts; the last evaluation of a place speaks for it."""
    index = scope.add(call)
    scope.calls[call.span] = index
    return index


def _passed(scope: Scope, argument: cst.Arg) -> dicts.Passed:
    operand = evaluate(scope, argument.value)
    keyword = None if argument.keyword is None else argument.keyword.value
    return dicts.Passed(operand, keyword, len(argument.star), scope.span(argument.keyword or argument.value))


def _arguments(scope: Scope, passed: Sequence[dicts.Passed]) -> tuple[Argument, ...]:
    return tuple(Argument(scope.frozen(each.operand), each.keyword, each.stars, each.span) for each in passed)


def _mutate_list(scope: Scope, method: str, owner: Operand, arguments: Sequence[Argument]) -> None:
    """`append` and `extend` on a list that this function made; any other change makes it unknown."""
    value = scope.unit.table[owner]
    if not isinstance(value, Series) or value.kind == "tuple":
        return
    if method in ("append", "add") and len(arguments) == 1:
        changed = Series(value.kind, (*value.items, arguments[0].value), value.span)
        scope.live.rebind(owner, scope.add(changed))
    elif method in ("extend", "update") and len(arguments) == 1:
        rest = scope.add(Starred(arguments[0].value, arguments[0].span))
        scope.live.rebind(owner, scope.add(Series(value.kind, (*value.items, rest), value.span)))
    elif method in ("insert", "pop", "remove", "reverse", "sort", "clear", "discard"):
        scope.live.rebind(owner, scope.add(Unknown(f"a list changed by .{method}()", value.span)))


def _dict(scope: Scope, node: cst.Dict) -> Operand:
    steps: list[Step] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            key = frozen(scope, element.key)
            steps.append(Step(key, evaluate(scope, element.value), maybe=False, span=scope.span(element.key)))
        else:
            steps += dicts.spread(scope, evaluate(scope, element.value), scope.span(element))
    return scope.live.new_dict(tuple(steps), scope.span(node))


def _series(scope: Scope, node: cst.Tuple | cst.List | cst.Set) -> Operand:
    kinds: dict[type, Literal["tuple", "list", "set"]] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
    items = []
    for element in node.elements:
        value = frozen(scope, element.value)
        starred = isinstance(element, cst.StarredElement)
        items.append(scope.add(Starred(value, scope.span(element))) if starred else value)
    return scope.add(Series(kinds[type(node)], tuple(items), scope.span(node)))


def _binary(scope: Scope, node: cst.BinaryOperation) -> Operand:
    left, right = frozen(scope, node.left), frozen(scope, node.right)
    operator = OPERATORS.get(type(node.operator))
    if operator is None:
        return unknown(scope, node, "arithmetic")
    return scope.add(Binary(operator, left, right, scope.span(node)))


def _boolean(scope: Scope, node: cst.BooleanOperation) -> Operand:
    how: Literal["or", "and"] = "or" if isinstance(node.operator, cst.Or) else "and"
    left, right = frozen(scope, node.left), frozen(scope, node.right)
    return choose(scope.unit.table, how, [left, right])


def _if(scope: Scope, node: cst.IfExp) -> Operand:
    evaluate(scope, node.test)
    return choose(scope.unit.table, "if", [frozen(scope, node.body), frozen(scope, node.orelse)])


def _unary(scope: Scope, node: cst.UnaryOperation) -> Operand:
    operand = frozen(scope, node.expression)
    value = scope.unit.table[operand]
    if isinstance(node.operator, cst.Minus) and isinstance(value, Constant) and value.kind in ("int", "float"):
        return scope.add(Constant(value.kind, f"-{value.text}", scope.span(node)))
    if isinstance(node.operator, cst.Not):
        return unknown(scope, node, "a truth value")
    return unknown(scope, node, "arithmetic")


def _await(scope: Scope, node: cst.Await) -> Operand:
    return evaluate(scope, node.expression)


def _yield(scope: Scope, node: cst.Yield) -> Operand:
    scope.generator = True
    for part in parts(node):
        evaluate(scope, part)
    return unknown(scope, node, "what is sent to a generator")


def _walrus(scope: Scope, node: cst.NamedExpr) -> Operand:
    operand = evaluate(scope, node.value)
    if isinstance(node.target, cst.Name):
        scope.bind(node.target.value, operand)
    return operand


def _text(scope: Scope, node: cst.FormattedString | cst.ConcatenatedString) -> Operand:
    return template(scope, node, frozen)


def _constant(scope: Scope, node: cst.BaseExpression) -> Operand:
    return constant(scope, node)


def _lambda(scope: Scope, node: cst.Lambda) -> Operand:
    span = scope.span(node)
    qualname = scope.inner(f"<lambda:{span.line}:{span.column}>")
    inner = Scope(scope.unit, "function", qualname, scope, state=scope.live.copy())
    formals = parameters(scope, inner, node.params)
    result = frozen(inner, node.body)
    facts = FunctionFacts(
        qualname=qualname,
        span=span,
        formals=formals,
        decorators=(),
        annotation=None,
        returns=(result,),
        calls=tuple(inner.calls.values()),
        attributes=(),
        receiver=None,
        generator=False,
    )
    scope.unit.functions.append(facts)
    return scope.add(Function(qualname, span))


def parameters(outer: Scope, inner: Scope, node: cst.Parameters) -> tuple[Formal, ...]:
    """Return the parameters of a function as declared, and bind them in its scope.

    Defaults and annotations are evaluated outside, where the function is defined.
    """
    formals: list[Formal] = []
    for kind, group in _groups(node):
        for parameter in group:
            name, span = parameter.name.value, outer.span(parameter.name)
            default = None if parameter.default is None else frozen(outer, parameter.default)
            annotation = None if parameter.annotation is None else frozen(outer, parameter.annotation.annotation)
            formals.append(Formal(name, kind, default, annotation, span))
            inner.live.names[name] = inner.add(Parameter(inner.qualname, name, span))
    return tuple(formals)


Kind = Literal["positional-only", "positional", "keyword-only", "args", "kwargs"]


def _groups(node: cst.Parameters) -> Iterable[tuple[Kind, Sequence[cst.Param]]]:
    yield "positional-only", node.posonly_params
    yield "positional", node.params
    if isinstance(node.star_arg, cst.Param):
        yield "args", [node.star_arg]
    yield "keyword-only", node.kwonly_params
    if node.star_kwarg is not None:
        yield "kwargs", [node.star_kwarg]


def _comprehension(scope: Scope, node: cst.BaseComp) -> Operand:
    """Evaluate the parts with the loop's names bound, so that calls inside are seen."""
    before = dict(scope.live.names)
    _comprehension_for(scope, node.for_in)
    if isinstance(node, cst.DictComp):
        evaluate(scope, node.key)
        evaluate(scope, node.value)
        scope.live.names = before
        return _filtered(scope, node)
    if isinstance(node, cst.BaseSimpleComp):
        evaluate(scope, node.elt)
    scope.live.names = before
    return unknown(scope, node, "a comprehension")


def _filtered(scope: Scope, node: cst.DictComp) -> Operand:
    """Return `{k: v for k, v in d.items() if …}`: a dict that holds what `d` does, or a part of it."""
    pair, source = node.for_in.target, node.for_in.iter
    if (
        node.for_in.inner_for_in is None
        and isinstance(source, cst.Call)
        and isinstance(source.func, cst.Attribute)
        and source.func.attr.value == "items"
        and isinstance(pair, cst.Tuple)
        and [dotted(element.value) for element in pair.elements] == [dotted(node.key), dotted(node.value)]
    ):
        operand = evaluate(scope, source.func.value)
        steps = dicts.spread(scope, operand, scope.span(source.func.value))
        maybe = bool(node.for_in.ifs)
        kept = tuple(Step(step.key, step.value, maybe=step.maybe or maybe, span=step.span) for step in steps)
        return scope.live.new_dict(kept, scope.span(node))
    return unknown(scope, node, "a comprehension")


def _comprehension_for(scope: Scope, clause: cst.CompFor | None) -> None:
    while clause is not None:
        assign_element(scope, clause.target, frozen(scope, clause.iter))
        for condition in clause.ifs:
            evaluate(scope, condition.test)
        clause = clause.inner_for_in


def assign_element(scope: Scope, target: cst.BaseExpression, base: int) -> None:
    """Bind a loop's target to the elements of `base`."""
    if isinstance(target, cst.Name):
        scope.bind(target.value, scope.add(Element(base, target.value, scope.span(target))))
        return
    if isinstance(target, cst.Tuple | cst.List):
        for position, element in enumerate(target.elements):
            of_all = scope.add(Element(base, f"#{position}", scope.span(target)))
            assign_element(scope, element.value, of_all)
        return
    evaluate(scope, target)


HANDLERS: dict[type[cst.CSTNode], Callable[[Scope, Any], Operand]] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: _call,
    cst.Dict: _dict,
    cst.Tuple: _series,
    cst.List: _series,
    cst.Set: _series,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.IfExp: _if,
    cst.UnaryOperation: _unary,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.NamedExpr: _walrus,
    cst.FormattedString: _text,
    cst.ConcatenatedString: _text,
    cst.SimpleString: _constant,
    cst.Integer: _constant,
    cst.Float: _constant,
    cst.Imaginary: _constant,
    cst.Ellipsis: _constant,
    cst.Lambda: _lambda,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _comprehension,
}
