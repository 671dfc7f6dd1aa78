"""Which arguments the parameters of functions stand for, at one call after another."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scope_lint.facts import Argument, Call, Formal, FunctionFacts, Value
from scope_lint.link.values import Abstract
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.program import Unit

# An argument with so many stars is a mapping spread over keywords.
MAPPING_STARS = 2

Owner = tuple[str, str]
"""A function: its file and qualified name."""


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A value where it stands: its chunk, its index there, and the frame under which its parameters are read."""

    unit: "Unit"
    index: int
    frame: "Frame"

    @property
    def value(self) -> Value:
        """The value itself."""
        return self.unit.values[self.index]

    @property
    def place(self) -> Place:
        """Where it is written."""
        return Place(self.unit.path, self.value.span)

    def at(self, index: int) -> "Ref":
        """Return another value of the chunk under the same frame."""
        return Ref(self.unit, index, self.frame)


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """An argument, to be resolved where it is written, and its place in the call."""

    ref: Ref
    place: Place


@dataclass(frozen=True, slots=True)
class Defaulted:
    """An argument left out: the parameter's default, and the call that omits it."""

    default: int | None
    place: Place


@dataclass(frozen=True, slots=True)
class Receiver:
    """What a method is called on."""

    value: Abstract


@dataclass(frozen=True, slots=True)
class Rest:
    """What `*args` collects, and whether there may be more."""

    items: tuple[Passed, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class Extra:
    """What `**kwargs` collects: keywords, and mappings that are spread at the call."""

    keywords: tuple[tuple[str, Passed], ...]
    spreads: tuple[Passed, ...]


@dataclass(frozen=True, slots=True)
class FromSpread:
    """A parameter that only a mapping spread at the call can fill."""

    spreads: tuple[Passed, ...]
    default: int | None
    place: Place


Bound = Passed | Defaulted | Receiver | Rest | Extra | FromSpread


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The bindings of the functions on the way, and what was resolved under them."""

    bindings: dict[Owner, dict[str, Bound]] = field(default_factory=dict)
    resolved: dict[tuple[int, int], tuple[Abstract, ...]] = field(default_factory=dict)

    def with_call(self, owner: Owner, bound: dict[str, Bound]) -> "Frame":
        """Return a frame in which `owner` is called with `bound`."""
        return Frame({**self.bindings, owner: bound})


class CannotBindError(Exception):
    """The arguments of a call do not fit the signature."""


def bind(function: FunctionFacts, call: Call, ref: Ref, receiver: Abstract | None = None) -> dict[str, Bound]:
    """Bind the arguments of `call`, which stands at `ref`, to the parameters of `function`.

    Raises:
        CannotBindError: too many arguments, an unknown keyword, or a required one left out.
    """
    bound: dict[str, Bound] = {}
    formals = list(function.formals)
    if receiver is not None and function.receiver is not None:
        bound[formals.pop(0).name] = Receiver(receiver)
    arguments = _Arguments.of(call, ref)
    _take_positional(formals, arguments, bound)
    for formal in formals:
        if formal.name not in bound and formal.kind not in ("args", "kwargs"):
            bound[formal.name] = _named(formal, arguments)
    _take_rest(formals, arguments, bound)
    return bound


@dataclass(frozen=True, slots=True, eq=False)
class _Arguments:
    """The arguments of a call by kind; `plain` are those before the first `*`, `late` those after it."""

    place: Place
    plain: tuple[Passed, ...]
    late: tuple[Passed, ...]
    keywords: dict[str, Passed]
    spreads: tuple[Passed, ...]
    starred: bool

    @classmethod
    def of(cls, call: Call, ref: Ref) -> "_Arguments":
        positional = [each for each in call.arguments if each.keyword is None and each.stars < MAPPING_STARS]
        star = next((position for position, each in enumerate(positional) if each.stars), len(positional))
        return cls(
            place=ref.place,
            plain=tuple(_passed(each, ref) for each in positional[:star]),
            late=tuple(_passed(each, ref) for each in positional[star:] if not each.stars),
            keywords={each.keyword: _passed(each, ref) for each in call.arguments if each.keyword is not None},
            spreads=tuple(_passed(each, ref) for each in call.arguments if each.stars == MAPPING_STARS),
            starred=star < len(positional),
        )


def _passed(argument: Argument, ref: Ref) -> Passed:
    value = ref.at(argument.value)
    return Passed(value, value.place if argument.keyword else Place(ref.unit.path, argument.span))


def _take_positional(formals: list[Formal], arguments: _Arguments, bound: dict[str, Bound]) -> None:
    """Bind arguments without a keyword."""
    slots = [formal for formal in formals if formal.kind in ("positional-only", "positional")]
    rest = next((formal for formal in formals if formal.kind == "args"), None)
    for formal, passed in zip(slots, arguments.plain, strict=False):
        bound[formal.name] = passed
    left = arguments.plain[len(slots) :]
    if rest is not None:
        bound[rest.name] = Rest((*left, *arguments.late), arguments.starred)
    elif left:
        raise CannotBindError


def _named(formal: Formal, arguments: _Arguments) -> Bound:
    passed = None if formal.kind == "positional-only" else arguments.keywords.get(formal.name)
    if passed is not None:
        return passed
    if arguments.spreads:
        return FromSpread(arguments.spreads, formal.default, arguments.place)
    if formal.default is None and not arguments.starred:
        raise CannotBindError
    return Defaulted(None if arguments.starred else formal.default, arguments.place)


def _take_rest(formals: list[Formal], arguments: _Arguments, bound: dict[str, Bound]) -> None:
    named = {formal.name for formal in formals if formal.kind in ("positional", "keyword-only")}
    left = tuple((name, passed) for name, passed in arguments.keywords.items() if name not in named)
    extra = next((formal for formal in formals if formal.kind == "kwargs"), None)
    if extra is not None:
        bound[extra.name] = Extra(left, arguments.spreads)
    elif left:
        raise CannotBindError
