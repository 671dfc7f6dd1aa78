"""What is known at one point of a function: its names, and the dicts that they share.

An operand is what a name or an entry holds: an index into the chunk's table (0 and up), or a dict of the heap
(negative, `-1 - n` for the n-th), which two names can share and both see change.
"""

from dataclasses import dataclass, field
from typing import Literal

from scope_lint.collect.table import Table
from scope_lint.facts import Choice, Constant, Entry, Mapping, Unknown
from scope_lint.model import Span

Operand = int

# More than this many ways to bind one name is no longer something a reader could follow.
MOST_OPTIONS = 32


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a dict in the making; as `facts.Entry`, but its value is an operand."""

    key: int | None
    value: Operand | None
    maybe: bool
    span: Span


@dataclass(slots=True)
class State:
    """The names of a function (`self.x` stands for an attribute of a name) and the dicts alive.

    `made_at` and `places`, which all states of a function share, say which handle a dict made at a place has.
    """

    names: dict[str, Operand] = field(default_factory=dict)
    heap: dict[Operand, tuple[Step, ...]] = field(default_factory=dict)
    made_at: dict[Span, Operand] = field(default_factory=dict)
    places: list[Span] = field(default_factory=list)

    def copy(self) -> "State":
        """Return a state that changes on its own; dicts keep their identity."""
        return State(dict(self.names), dict(self.heap), self.made_at, self.places)

    def new_dict(self, steps: tuple[Step, ...], span: Span) -> Operand:
        """Put a dict on the heap. One place makes one dict, so that a loop comes to rest."""
        handle = self.made_at.get(span)
        if handle is None:
            self.places.append(span)
            handle = self.made_at[span] = -len(self.places)
        self.heap[handle] = steps
        return handle

    def span(self, handle: Operand) -> Span:
        """Return where the dict `handle` is made."""
        return self.places[-1 - handle]

    def same(self, other: "State") -> bool:
        """Tell whether nothing differs."""
        return self.names == other.names and self.heap == other.heap

    def forget(self, name: str) -> None:
        """Drop what is known of the attributes of `name`, which is bound anew."""
        prefix = f"{name}."
        for attribute in [known for known in self.names if known.startswith(prefix)]:
            del self.names[attribute]

    def rebind(self, old: Operand, new: Operand) -> None:
        """Let every name that holds `old` hold `new`: an object that is not on the heap was changed in place."""
        for name, operand in self.names.items():
            if operand == old:
                self.names[name] = new


def freeze(state: State, table: Table, operand: Operand, inside: frozenset[Operand] = frozenset()) -> int:
    """Return the index of `operand` as it is now: later changes of a dict do not reach the result."""
    if operand >= 0:
        return operand
    if operand in inside:
        return table.add(Unknown("a dict that contains itself", state.span(operand)))
    inner = inside | {operand}
    entries = tuple(
        Entry(step.key, None if step.value is None else freeze(state, table, step.value, inner), step.maybe, step.span)
        for step in state.heap[operand]
    )
    return table.add(Mapping(entries, state.span(operand)))


def join(table: Table, first: State | None, second: State | None) -> State | None:
    """Return what is known where two paths meet; None is a path that does not get there."""
    if first is None or second is None:
        return first or second
    joined = State({}, {}, first.made_at, first.places)
    for handle in first.heap.keys() | second.heap.keys():
        here, there = first.heap.get(handle), second.heap.get(handle)
        if here is None or there is None:
            joined.heap[handle] = here or there or ()
        else:
            joined.heap[handle] = _join_steps(table, (first, here), (second, there))
    for name in {**first.names, **second.names}:
        here_name, there_name = first.names.get(name), second.names.get(name)
        if here_name is None or there_name is None or here_name == there_name:
            joined.names[name] = _either(here_name, there_name)
        else:
            joined.names[name] = _choice(table, (first, here_name), (second, there_name))
    return joined


def _either(first: Operand | None, second: Operand | None) -> Operand:
    present = first if first is not None else second
    if present is None:
        raise AssertionError("a name that is bound on neither path")
    return present


def _join_steps(
    table: Table, first: tuple[State, tuple[Step, ...]], second: tuple[State, tuple[Step, ...]]
) -> tuple[Step, ...]:
    """Keep what both paths did; what only one did is a maybe."""
    here, there = first[1], second[1]
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    merged = list(here[:common])
    rest = list(there[common:])
    for step in here[common:]:
        twin = next((other for other in rest if _same_key(table, step, other)), None)
        if twin is None or step.value is None or twin.value is None:
            merged.append(Step(step.key, step.value, maybe=True, span=step.span))
            continue
        rest.remove(twin)
        value = (
            step.value if step.value == twin.value else _choice(table, (first[0], step.value), (second[0], twin.value))
        )
        merged.append(Step(step.key, value, maybe=step.maybe or twin.maybe, span=step.span))
    merged += [Step(step.key, step.value, maybe=True, span=step.span) for step in rest]
    return tuple(merged)


def _same_key(table: Table, step: Step, other: Step) -> bool:
    if step.key is None or other.key is None:
        return False
    key, twin = table[step.key], table[other.key]
    if isinstance(key, Constant) and isinstance(twin, Constant):
        return (key.kind, key.text) == (twin.kind, twin.text)
    return step.key == other.key


def _choice(table: Table, first: tuple[State, Operand], second: tuple[State, Operand]) -> int:
    return choose(table, "branch", [freeze(state, table, operand) for state, operand in (first, second)])


def choose(table: Table, how: Literal["or", "and", "if", "branch"], options: list[int]) -> int:
    """Return the choice among `options`, flat and without doubles; one option alone is itself."""
    flat: list[int] = []
    for option in options:
        value = table[option]
        inner = value.options if isinstance(value, Choice) and value.how == how else (option,)
        flat += [each for each in inner if each not in flat]
    if len(flat) == 1:
        return flat[0]
    span = table.span(flat[0])
    if len(flat) > MOST_OPTIONS:
        return table.add(Unknown("too many alternatives", span))
    return table.add(Choice(how, tuple(flat), span))
