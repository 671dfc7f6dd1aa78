"""What a function does to the dicts that it makes."""

from dataclasses import dataclass

from scope_lint.collect.scope import Scope
from scope_lint.collect.state import Operand, Step, choose
from scope_lint.facts import Constant, Item, Name, Series, Unknown
from scope_lint.model import Span


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument, with a dict still shared: its operand, keyword, number of stars and place."""

    operand: Operand
    keyword: str | None
    stars: int
    span: Span


def is_builtin(scope: Scope, function: int) -> bool:
    """Tell whether the value is a name that nothing in this chunk binds."""
    return isinstance(scope.unit.table[function], Name)


def spread(scope: Scope, operand: Operand, span: Span) -> list[Step]:
    """Return the entries that `**operand` or `update(operand)` adds: those of a dict made here one by one."""
    if operand < 0:
        return list(scope.live.heap[operand])
    value = scope.unit.table[operand]
    if isinstance(value, Series):
        pairs = [_pair(scope, item) for item in value.items]
        if all(pair is not None for pair in pairs):
            return [pair for pair in pairs if pair is not None]
    return [Step(None, operand, maybe=False, span=span)]


def _pair(scope: Scope, item: int) -> Step | None:
    value = scope.unit.table[item]
    if isinstance(value, Series) and value.kind != "set" and len(value.items) == 2:  # noqa: PLR2004 - a pair has two
        key, operand = value.items
        return Step(key, operand, maybe=False, span=scope.unit.table.span(key))
    return None


def construct(scope: Scope, arguments: list[Passed], span: Span) -> Operand:
    """Return what `dict(…)` makes."""
    steps: list[Step] = []
    for argument in arguments:
        steps += _added(scope, argument)
    return scope.live.new_dict(tuple(steps), span)


def _added(scope: Scope, argument: Passed) -> list[Step]:
    if argument.keyword is not None:
        key = scope.add(Constant("str", argument.keyword, argument.span))
        return [Step(key, argument.operand, maybe=False, span=argument.span)]
    if argument.stars == 1:
        return [Step(None, scope.add(Unknown("`*` in dict(…)", argument.span)), maybe=False, span=argument.span)]
    return spread(scope, argument.operand, argument.span)


def get(scope: Scope, handle: Operand, key: int) -> Operand | None:
    """Return what a dict made here surely holds under a constant key, or None."""
    wanted = _text(scope, key)
    if wanted is None:
        return None
    for step in reversed(scope.live.heap[handle]):
        if step.key is None or _text(scope, step.key) is None:
            return None
        if _text(scope, step.key) == wanted:
            return None if step.maybe else step.value
    return None


def _text(scope: Scope, key: int) -> tuple[str, str] | None:
    value = scope.unit.table[key]
    return (value.kind, value.text) if isinstance(value, Constant) else None


def put(scope: Scope, handle: Operand, key: int, operand: Operand | None, span: Span) -> None:
    """`d[key] = operand`, or `del d[key]` where it is None."""
    wanted = _text(scope, key)
    steps = scope.live.heap[handle]
    if wanted is not None:
        steps = tuple(step for step in steps if step.key is None or _text(scope, step.key) != wanted)
    if operand is not None or any(step.key is None for step in steps):
        steps = (*steps, Step(key, operand, maybe=False, span=span))
    scope.live.heap[handle] = steps


def method(scope: Scope, name: str, handle: Operand, arguments: list[Passed], span: Span) -> Operand | None:
    """Return what a method of a dict made here returns, and do to the dict what it does.

    None stands for a method whose result has to be found by linking.
    """
    heap = scope.live.heap
    if name == "copy" and not arguments:
        return scope.live.new_dict(heap[handle], span)
    if name == "update":
        for argument in arguments:
            for step in _added(scope, argument):
                append(scope, handle, step)
        return scope.add(Constant("None", "None", span))
    if name == "clear":
        heap[handle] = ()
        return scope.add(Constant("None", "None", span))
    if name in ("pop", "get", "setdefault") and arguments and arguments[0].operand >= 0:
        return _look_up(scope, name, handle, arguments, span)
    if name == "popitem":
        heap[handle] = (Step(None, scope.add(Unknown("a dict changed by .popitem()", span)), maybe=False, span=span),)
    return None


def append(scope: Scope, handle: Operand, step: Step) -> None:
    """Add an entry or a `**mapping` to a dict."""
    if step.key is None or step.maybe:
        scope.live.heap[handle] = (*scope.live.heap[handle], step)
    else:
        put(scope, handle, step.key, step.value, step.span)


def _look_up(scope: Scope, name: str, handle: Operand, arguments: list[Passed], span: Span) -> Operand:
    key = arguments[0].operand
    found = get(scope, handle, key)
    default = arguments[1].operand if len(arguments) > 1 else scope.add(Constant("None", "None", span))
    result = found if found is not None else _missing(scope, handle, key, default, span)
    if name == "pop":
        put(scope, handle, key, None, span)
    elif name == "setdefault" and found is None:
        put(scope, handle, key, result, arguments[0].span)
    return result


def _may_hold(scope: Scope, handle: Operand, key: int) -> bool:
    wanted = _text(scope, key)
    steps = scope.live.heap[handle]
    return wanted is None or any(step.key is None or _text(scope, step.key) in (None, wanted) for step in steps)


def _missing(scope: Scope, handle: Operand, key: int, default: Operand, span: Span) -> Operand:
    """Return what a look-up gives that may miss: the default, or what may be there."""
    if not _may_hold(scope, handle, key):
        return default
    held = scope.add(Item(scope.frozen(handle), key, span))
    return choose(scope.unit.table, "branch", [held, scope.frozen(default)])


METHODS = frozenset({"clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"})


def adopt(scope: Scope, operand: int, name: str | None) -> Operand:
    """Return a dict that starts as a copy of what `operand` is and that all names holding it share from now on."""
    span = scope.unit.table.span(operand)
    handle = scope.live.new_dict((Step(None, operand, maybe=False, span=span),), span)
    scope.live.rebind(operand, handle)
    if name is not None:
        scope.live.names[name] = handle
    return handle


def underlying(scope: Scope, handle: Operand) -> int:
    """Return what a dict started as, if something was adopted, else the dict itself as it is now."""
    steps = scope.live.heap[handle]
    if steps and steps[0].value is not None and steps[0].value >= 0 and steps[0].span == scope.live.span(handle):
        return steps[0].value
    return scope.frozen(handle)


def looks_like_update(method: str, arguments: list[Passed]) -> bool:
    """Tell whether a call on an unknown object is that of a dict: `x.update({…})`, `x.update(key=…)`."""
    if method != "update" or not arguments:
        return False
    return all(argument.keyword is not None or argument.stars == 2 or argument.operand < 0 for argument in arguments)  # noqa: PLR2004 - the stars of **
