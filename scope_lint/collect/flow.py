"""Branches, loops, and the statements that leave them."""

from collections.abc import Callable

import libcst as cst

from scope_lint.collect.assignments import bind_target
from scope_lint.collect.expressions import assign_element, evaluate, frozen, unknown
from scope_lint.collect.nodes import parts
from scope_lint.collect.scope import Scope
from scope_lint.collect.state import State, Step, join
from scope_lint.collect.statements import Handlers, block
from scope_lint.facts import Attribute, Call, Constant, Unknown

# Each loop around another doubles the passes over the inner one; deeper than this there is one pass.
MOST_LOOPS = 4


def _return(scope: Scope, node: cst.Return) -> None:
    span = scope.span(node)
    scope.returns[span] = scope.add(Constant("None", "None", span)) if node.value is None else frozen(scope, node.value)
    scope.exits.append(scope.live)
    scope.state = None


def _raise(scope: Scope, node: cst.Raise) -> None:
    for part in parts(node):
        evaluate(scope, part)
    scope.state = None


def _jump(scope: Scope, _: cst.Break | cst.Continue) -> None:
    scope.jumps.append(scope.live)
    scope.state = None


def _if(scope: Scope, node: cst.If) -> None:
    evaluate(scope, node.test)
    before = scope.live.copy()
    block(scope, node.body)
    after = scope.state
    scope.state = before
    if isinstance(node.orelse, cst.If):
        _if(scope, node.orelse)
    elif node.orelse is not None:
        block(scope, node.orelse.body)
    scope.state = join(scope.unit.table, after, scope.state)


def _for(scope: Scope, node: cst.For) -> None:
    base = frozen(scope, node.iter)

    def step() -> None:
        assign_element(scope, node.target, base)
        block(scope, node.body)

    _loop(scope, step, node.orelse)


def _while(scope: Scope, node: cst.While) -> None:
    def step() -> None:
        evaluate(scope, node.test)
        block(scope, node.body)

    _loop(scope, step, node.orelse)


def _loop(scope: Scope, step: Callable[[], None], orelse: cst.Else | None) -> None:
    """Run a loop's body at most twice; a name that is still not at rest is unknown after it."""
    table, outer_jumps = scope.unit.table, scope.jumps
    before = entry = scope.live
    scope.loops += 1
    for _ in range(2 if scope.loops <= MOST_LOOPS else 1):
        scope.jumps = []
        scope.state = entry.copy()
        step()
        before = entry
        after: State | None = scope.state
        for jump in scope.jumps:
            after = join(table, after, jump)
        entry = join(table, before, after) or before
        if entry.same(before):
            break
    scope.loops -= 1
    _give_up(scope, before, entry)
    scope.jumps, scope.state = outer_jumps, entry
    if orelse is not None:
        block(scope, orelse.body)


def _give_up(scope: Scope, before: State, after: State) -> None:
    """Make unknown what the last pass still changed."""
    for name, operand in after.names.items():
        if before.names.get(name) != operand and operand >= 0:
            after.names[name] = scope.add(Unknown("it changes in a loop", scope.unit.table.span(operand)))
    for handle, steps in after.heap.items():
        known = before.heap.get(handle)
        if known is not None and known != steps:
            rest = scope.add(Unknown("a dict that grows in a loop", after.span(handle)))
            after.heap[handle] = (*known, Step(None, rest, maybe=False, span=after.span(handle)))


def _try(scope: Scope, node: cst.Try | cst.TryStar) -> None:
    table, before = scope.unit.table, scope.live.copy()
    block(scope, node.body)
    body_end = scope.state
    raised = join(table, before, None if body_end is None else body_end.copy())
    if node.orelse is not None and scope.state is not None:
        block(scope, node.orelse.body)
    end = scope.state
    for handler in node.handlers:
        scope.state = None if raised is None else raised.copy()
        if handler.type is not None:
            evaluate(scope, handler.type)
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            scope.bind(handler.name.name.value, unknown(scope, handler.name, "an exception"))
        block(scope, handler.body)
        end = join(table, end, scope.state)
    _finally(scope, node, end, raised)


def _finally(scope: Scope, node: cst.Try | cst.TryStar, end: State | None, raised: State | None) -> None:
    scope.state = end
    if node.finalbody is None:
        return
    reached = end is not None
    if end is None:
        scope.state = raised
    block(scope, node.finalbody.body)
    if not reached:
        scope.state = None


def _with(scope: Scope, node: cst.With) -> None:
    for item in node.items:
        manager = frozen(scope, item.item)
        if item.asname is not None:
            span = scope.unit.table.span(manager)
            enter = scope.add(Attribute(manager, "__enter__", span))
            bind_target(scope, item.asname.name, scope.add(Call(enter, (), span)))
    block(scope, node.body)


def _match(scope: Scope, node: cst.Match) -> None:
    subject = frozen(scope, node.subject)
    before, end = scope.live, None
    exhaustive = False
    for case in node.cases:
        scope.state = before.copy()
        _bind_pattern(scope, case.pattern, subject)
        if case.guard is not None:
            evaluate(scope, case.guard)
        else:
            exhaustive = exhaustive or _catches_all(case.pattern)
        block(scope, case.body)
        end = join(scope.unit.table, end, scope.state)
    scope.state = end if exhaustive else join(scope.unit.table, end, before)


def _catches_all(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchAs) and pattern.pattern is None


def _bind_pattern(scope: Scope, pattern: cst.CSTNode, subject: int) -> None:
    """Bind the names of a pattern: the subject itself where it is caught whole, else a part that is not followed."""
    if isinstance(pattern, cst.MatchAs):
        if pattern.name is not None:
            scope.bind(pattern.name.value, subject)
        if pattern.pattern is not None:
            _bind_pattern(scope, pattern.pattern, subject)
        return
    if isinstance(pattern, cst.MatchStar) and pattern.name is not None:
        scope.bind(pattern.name.value, unknown(scope, pattern.name, "a part of a matched value"))
    if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
        scope.bind(pattern.rest.value, unknown(scope, pattern.rest, "a part of a matched value"))
    for child in pattern.children:
        if isinstance(child, cst.MatchPattern | cst.BaseExpression):
            part = scope.add(Unknown("a part of a matched value", scope.span(child)))
            _bind_pattern(scope, child, part)
        elif not isinstance(child, cst.BaseParenthesizableWhitespace):
            _bind_pattern(scope, child, subject)


HANDLERS: Handlers = {
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Break: _jump,
    cst.Continue: _jump,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
}
