"""Functions and classes to facts."""

import libcst as cst

from scope_lint.collect.expressions import frozen, parameters
from scope_lint.collect.scope import Scope
from scope_lint.collect.state import State
from scope_lint.collect.statements import Handlers, bindings, block, finish
from scope_lint.facts import Binding, ClassFacts, Function, FunctionFacts


def _define_function(scope: Scope, node: cst.FunctionDef) -> None:
    """Bind the function's name; its body is interpreted when the scope around it is done."""
    qualname = scope.inner(node.name.value)
    decorators = tuple(frozen(scope, decorator.decorator) for decorator in node.decorators)
    annotation = None if node.returns is None else frozen(scope, node.returns.annotation)
    receiver = _receiver(scope, node)
    inner = Scope(
        scope.unit, "function", qualname, scope, receiver, State(made_at=scope.live.made_at, places=scope.live.places)
    )
    formals = parameters(scope, inner, node.params)
    scope.bind(node.name.value, scope.add(Function(qualname, scope.span(node.name))))

    def interpret() -> None:
        block(inner, node.body)
        state = finish(inner)
        scope.unit.functions.append(
            FunctionFacts(
                qualname=qualname,
                span=scope.span(node.name),
                formals=formals,
                decorators=decorators,
                annotation=annotation,
                returns=_returns(inner),
                calls=tuple(inner.calls.values()),
                attributes=_attributes(inner, state),
                receiver=receiver,
                generator=inner.generator,
            )
        )

    scope.deferred.append(interpret)


def _receiver(scope: Scope, node: cst.FunctionDef) -> str | None:
    if scope.kind != "class":
        return None
    names = [item.decorator.value for item in node.decorators if isinstance(item.decorator, cst.Name)]
    parameters = [*node.params.posonly_params, *node.params.params]
    if "staticmethod" in names or not parameters:
        return None
    return parameters[0].name.value


def _returns(scope: Scope) -> tuple[int, ...]:
    return tuple(dict.fromkeys(scope.returns.values()))


def _attributes(scope: Scope, state: State) -> tuple[Binding, ...]:
    """Return what `self.x = …` left behind."""
    if scope.receiver is None:
        return ()
    prefix = f"{scope.receiver}."
    found = []
    for name, operand in state.names.items():
        attribute = name.removeprefix(prefix)
        if attribute != name and "." not in attribute:
            index = scope.frozen(operand)
            found.append(Binding(attribute, index, scope.annotations.get(name), scope.unit.table.span(index)))
    return tuple(found)


def _define_class(scope: Scope, node: cst.ClassDef) -> None:
    qualname = scope.inner(node.name.value)
    bases = tuple(frozen(scope, base.value) for base in node.bases)
    decorators = tuple(frozen(scope, decorator.decorator) for decorator in node.decorators)
    scope.bind(node.name.value, scope.add(Function(qualname, scope.span(node.name))))
    inner = Scope(
        scope.unit, "class", qualname, scope, state=State(made_at=scope.live.made_at, places=scope.live.places)
    )
    block(inner, node.body)
    state = finish(inner)
    fields = tuple(item for item in bindings(inner, state) if not isinstance(scope.unit.table[item.value], Function))
    annotations = tuple((name, value) for name, value in inner.annotations.items() if "." not in name)
    scope.unit.classes.append(
        ClassFacts(
            qualname=qualname,
            span=scope.span(node.name),
            bases=bases,
            decorators=decorators,
            fields=fields,
            annotations=annotations,
        )
    )
    if inner.calls:
        scope.calls.update(inner.calls)


def module_facts(scope: Scope, module: cst.Module) -> FunctionFacts:
    """Return the module's own statements as a function without a name."""
    return FunctionFacts(
        qualname="",
        span=scope.span(module),
        formals=(),
        decorators=(),
        annotation=None,
        returns=(),
        calls=tuple(scope.calls.values()),
        attributes=(),
        receiver=None,
        generator=False,
    )


HANDLERS: Handlers = {cst.FunctionDef: _define_function, cst.ClassDef: _define_class}
