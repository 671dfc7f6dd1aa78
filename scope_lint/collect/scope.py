"""The function, class body or module that is being interpreted, and what comes out of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import libcst as cst

from scope_lint.collect.positions import Positions
from scope_lint.collect.state import Operand, State, freeze
from scope_lint.collect.table import Table
from scope_lint.facts import Binding, ClassFacts, Element, FunctionFacts, Name, Parameter, Value
from scope_lint.model import Span


@dataclass(slots=True)
class Unit:
    """One chunk on its way to facts."""

    table: Table
    positions: Positions
    functions: list[FunctionFacts] = field(default_factory=list)
    classes: list[ClassFacts] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    stars: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """A function, class body or module in the middle of its statements.

    `state` is None where control does not get to. `exits` are the states at each `return`; nested functions wait in
    `deferred` until the end, since they see the names as they are when they are called. A loop's `break` and
    `continue` leave their states in `jumps`; `loops` are those around the statement.
    """

    unit: Unit
    kind: Literal["module", "class", "function"]
    qualname: str
    parent: "Scope | None" = None
    receiver: str | None = None
    state: State | None = field(default_factory=State)
    calls: dict[Span, int] = field(default_factory=dict)
    returns: dict[Span, int] = field(default_factory=dict)
    exits: list[State] = field(default_factory=list)
    jumps: list[State] = field(default_factory=list)
    deferred: list[Callable[[], None]] = field(default_factory=list)
    outer_names: set[str] = field(default_factory=set)
    annotations: dict[str, int] = field(default_factory=dict)
    generator: bool = False
    loops: int = 0

    @property
    def live(self) -> State:
        """The state at a point that control gets to."""
        if self.state is None:
            raise AssertionError("a statement that is never run was interpreted")
        return self.state

    def add(self, value: Value) -> int:
        """Put a value into the chunk's table."""
        return self.unit.table.add(value)

    def span(self, node: cst.CSTNode) -> Span:
        """Return where `node` stands in the file."""
        return self.unit.positions.span(node)

    def frozen(self, operand: Operand) -> int:
        """Return `operand` as it is now."""
        return freeze(self.live, self.unit.table, operand)

    def inner(self, name: str) -> str:
        """Return the qualified name of something called `name` that is defined here."""
        return f"{self.qualname}.{name}" if self.qualname else name

    def bind(self, name: str, operand: Operand) -> None:
        """Let `name` (or a dotted `name.attribute`) hold `operand` from here on."""
        if name in self.outer_names:
            index = self.frozen(operand)
            self.unit.bindings.append(Binding(name, index, None, self.unit.table.span(index)))
            return
        if "." not in name:
            self.live.forget(name)
        self.live.names[name] = operand

    def lookup(self, name: str, span: Span) -> Operand:
        """Return what `name`, read at `span`, holds: here, in a function around, or else in the module."""
        if name in self.outer_names:
            return self.add(Name(name, span))
        operand = self.live.names.get(name)
        if operand is not None:
            return self._read_at(operand, span)
        scope = self.parent
        while scope is not None:
            if scope.kind != "class" and scope.state is not None and name in scope.state.names:
                return self._read_at(freeze(scope.state, self.unit.table, scope.state.names[name]), span)
            scope = scope.parent
        return self.add(Name(name, span))

    def _read_at(self, operand: Operand, span: Span) -> Operand:
        """A value that nothing was done to yet stands where it is used, not where it came in."""
        if operand < 0:
            return operand
        value = self.unit.table[operand]
        if isinstance(value, Parameter):
            return self.add(Parameter(value.owner, value.name, span))
        if isinstance(value, Element):
            return self.add(Element(value.base, value.name, span))
        return operand
