"""What a value can turn out to be once it is followed over the whole corpus.

Resolving gives alternatives, `tuple[Abstract, ...]`, never an empty one.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from scope_lint.model import Place, Spelling

if TYPE_CHECKING:
    from scope_lint.link.frames import Frame, Ref


@dataclass(frozen=True, slots=True)
class Conversion:
    """A function applied to an identity on its way into a scope, as written in a shape, and the type it gives."""

    text: str
    type: str | None
    place: Place
    call: bool = True


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is not followed further: an identity, a constant, or something unknown.

    `reason` says why it is no mapping; `parameter` is (path, owner, name) of an unbound parameter; `class_name` the
    dotted name of a class outside the corpus that it is an instance of, `member_of` the way from there to what it is
    an attribute or a result of (`vertexai.Client.agent_engines.memories`). `argument` is the place of the argument
    through which it came, at the outermost call; `trail` all such places, from the sink outwards. `made_by` is the call
    that gave it, `parts` are the texts and values that a string was made of.
    """

    spelling: Spelling
    text: str
    place: Place
    reason: str
    type: str | None = None
    constant: str | None = None
    nullable: bool = False
    made: bool = False
    parameter: tuple[str, str, str] | None = None
    class_name: str | None = None
    member_of: str | None = None
    conversions: tuple[Conversion, ...] = ()
    argument: Place | None = None
    trail: tuple[Place, ...] = ()
    made_by: "Construction | None" = field(default=None, compare=False)
    parts: tuple["str | Abstract", ...] = field(default=(), compare=False)

    @property
    def dotted(self) -> str | None:
        """What is known of where it comes from: its class, or the way from one."""
        return self.class_name or self.member_of

    def converted(self, conversion: Conversion) -> "Leaf":
        """Return the leaf with one more function applied to it."""
        return replace(self, conversions=(*self.conversions, conversion))

    def passed_at(self, place: Place) -> "Leaf":
        """Return the leaf after it came through the argument at `place`."""
        return replace(self, argument=self.argument or place, trail=(place, *self.trail))


@dataclass(frozen=True, slots=True)
class Held:
    """A key of a dictionary with its alternatives, whether it can be absent, and where the key is written."""

    values: tuple["Abstract", ...]
    maybe: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a dictionary that is unknown: a `**mapping`, or a key (`dynamic`) that cannot be told.

    `itself`: it is what the dictionary was before, while an update of it is looked at.
    """

    reason: str
    place: Place
    dynamic: bool = False
    itself: bool = False
    parameter: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A mapping; `builders` are the functions that returned it, outermost first, `inside` the one that made it."""

    items: tuple[tuple[str, Held], ...]
    gaps: tuple[Gap, ...]
    place: Place
    inside: str
    literal: bool = True
    builders: tuple[str, ...] = ()

    def get(self, name: str) -> Held | None:
        """Return what is held under `name`."""
        return next((held for key, held in self.items if key == name), None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, list or set: each item with its alternatives; `open` if there can be more, `parameter` being those."""

    kind: str
    items: tuple[tuple["Abstract", ...], ...]
    place: Place
    open: bool = False
    parameter: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function of the corpus; `receiver` is what it is bound to."""

    path: str
    qualname: str
    receiver: "Abstract | None" = None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the corpus."""

    path: str
    qualname: str


@dataclass(frozen=True, slots=True, eq=False)
class Construction:
    """The call that made an instance, and the frames of its initialisers."""

    ref: "Ref"
    frames: dict[str, "Frame"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class of the corpus; `text` is how the code calls it; `made_by` the call, if it is known."""

    cls: ClassRef
    text: str
    place: Place
    made_by: Construction | None = None
    nullable: bool = False
    parameter: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the corpus."""

    path: str


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the corpus, by its dotted name: a builtin, a module, or what is imported from one."""

    name: str
    place: Place


def present(values: "tuple[Abstract, ...]") -> "tuple[Abstract, ...]":
    """Return the alternatives without None, which has no attributes and cannot be called, unless it is the only one."""
    return tuple(each for each in values if not is_none(each)) or values


def is_none(value: "Abstract") -> bool:
    """Tell whether a value is the constant None."""
    return isinstance(value, Leaf) and value.type == "None" and not value.conversions


Abstract = Leaf | Dictionary | Sequence | FunctionRef | ClassRef | Instance | ModuleRef | External
