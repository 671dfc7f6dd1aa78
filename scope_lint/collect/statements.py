"""Running statements in order; which statement does what is in `assignments`, `flow`, `definitions` and `imports`."""

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from scope_lint.collect.expressions import evaluate
from scope_lint.collect.nodes import parts
from scope_lint.collect.scope import Scope
from scope_lint.collect.state import State, join
from scope_lint.facts import Binding

Handlers = dict[type[cst.CSTNode], Callable[[Scope, Any], None]]

HANDLERS: Handlers = {}
"""Filled by the package from the modules named above."""


def execute(scope: Scope, statements: Sequence[cst.CSTNode]) -> None:
    """Run `statements` on the scope's state; what follows a return or raise is not run."""
    for statement in statements:
        if scope.state is None:
            return
        handler = HANDLERS.get(type(statement))
        if handler is not None:
            handler(scope, statement)
        else:
            for part in parts(statement):
                evaluate(scope, part)


def block(scope: Scope, body: cst.BaseSuite) -> None:
    """Run the body of a compound statement."""
    execute(scope, body.body)


def line(scope: Scope, node: cst.SimpleStatementLine) -> None:
    """Run the statements of one line."""
    execute(scope, node.body)


def finish(scope: Scope) -> State:
    """Return the state at the end of a function, whichever way it ends, and interpret the functions nested in it."""
    state = scope.state
    for end in scope.exits:
        state = join(scope.unit.table, state, end)
    scope.state = state or State()
    while scope.deferred:
        scope.deferred.pop(0)()
    return scope.state


def bindings(scope: Scope, state: State) -> tuple[Binding, ...]:
    """Return the plain names that a scope leaves bound."""
    table = scope.unit.table
    found = []
    for name, operand in state.names.items():
        if "." not in name:
            index = scope.frozen(operand)
            found.append(Binding(name, index, scope.annotations.get(name), table.span(index)))
    return tuple(found)
