"""The corpus as far as it was read: files, their definitions and names; and what was missed on the way."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from scope_lint.facts import (
    Attribute,
    Call,
    ChunkFacts,
    ClassFacts,
    Element,
    FileFacts,
    FunctionFacts,
    Imported,
    Name,
    Parameter,
    Value,
    Wanted,
)
from scope_lint.link.frames import Frame, Ref
from scope_lint.link.modules import Modules
from scope_lint.model import Place


@dataclass(eq=False, slots=True)
class Unit:
    """The facts of one chunk, with the file they belong to."""

    path: str
    facts: ChunkFacts
    test: bool

    @property
    def values(self) -> tuple[Value, ...]:
        """The chunk's table of values."""
        return self.facts.values


@dataclass(eq=False, slots=True)
class Definition:
    """A function with the chunk that its values are in."""

    unit: Unit
    facts: FunctionFacts


@dataclass(eq=False, slots=True)
class ClassDefinition:
    """A class with the chunk that its values are in."""

    unit: Unit
    facts: ClassFacts


@dataclass(eq=False, slots=True)
class FileIndex:
    """What is known of a file, by name."""

    definitions: frozenset[str]
    units: list[Unit] = field(default_factory=list)
    functions: dict[str, list[Definition]] = field(default_factory=dict)
    classes: dict[str, ClassDefinition] = field(default_factory=dict)
    bindings: dict[str, list[tuple[Unit, int]]] = field(default_factory=dict)
    stars: list[tuple[Unit, int]] = field(default_factory=list)

    def methods(self, qualname: str) -> Iterator[Definition]:
        """Yield the methods of a class, without those of classes in it."""
        prefix = f"{qualname}."
        for name, definitions in self.functions.items():
            if name.startswith(prefix) and "." not in name[len(prefix) :]:
                yield from definitions


@dataclass(frozen=True, slots=True, eq=False)
class CallSite:
    """A call, the function it stands in, and the chunk of both.

    `handed_on`: the call is not made here, its method is handed to another with its arguments beside it, as in
    `asyncio.to_thread(memory.add, text, user_id=uid)`.
    """

    unit: Unit
    function: FunctionFacts
    call: Call
    index: int
    handed_on: bool = False

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return Place(self.unit.path, self.call.span)

    def at(self, frame: Frame) -> Ref:
        """Return the call under `frame`."""
        return Ref(self.unit, self.index, frame)


class Program:
    """All facts, indexed; `wanted` and `names` grow while link looks things up that were not read yet."""

    def __init__(self, files: Iterable[FileFacts], paths: Iterable[str]) -> None:
        """Take what was read so far, and the paths of all files of the corpus."""
        self.modules = Modules(paths)
        self.wanted: set[Wanted] = set()
        self._files = {file.file.name: _index(file) for file in files}
        self._definitions = Counter(
            qualname.rpartition(".")[2] for index in self._files.values() for qualname in index.definitions
        )
        self._calls: dict[str, list[CallSite]] | None = None

    def file(self, path: str) -> FileIndex | None:
        """Return what is known of a file, or None (and ask for it) if it was not read."""
        return self._files.get(path)

    def want(self, path: str, qualname: str, attribute: str | None = None) -> None:
        """Ask for a definition, or for the methods of a class that mention an attribute."""
        self.wanted.add(Wanted(path, qualname, attribute))

    def function(self, path: str, qualname: str) -> Definition | None:
        """Return a function's facts; the last definition counts, but overloads and property setters do not."""
        self.want(path, qualname)
        index = self._files.get(path)
        found = [] if index is None else index.functions.get(qualname, [])
        for definition in reversed(found):
            if not _stands_aside(definition):
                return definition
        return None

    def class_(self, path: str, qualname: str) -> ClassDefinition | None:
        """Return a class's facts."""
        self.want(path, qualname)
        index = self._files.get(path)
        return None if index is None else index.classes.get(qualname)

    def definitions_named(self, name: str) -> int:
        """Return how many functions and methods of the files read are called `name`."""
        return self._definitions[name]

    def units(self) -> Iterator[Unit]:
        """Yield all chunks, in the order of their files and places."""
        for path in sorted(self._files):
            yield from self._files[path].units

    def calls(self, name: str) -> list[CallSite]:
        """Return the calls of something called `name` (the last part of its name, or what an import calls it)."""
        if self._calls is None:
            self._calls = {}
            for unit in self.units():
                for function in unit.facts.functions:
                    for index in function.calls:
                        self._file_call(unit, function, index)
        return self._calls.get(name, [])

    def _file_call(self, unit: Unit, function: FunctionFacts, index: int) -> None:
        call = unit.values[index]
        if self._calls is None or not isinstance(call, Call):
            return
        for name in sorted(self._called_names(unit, unit.values[call.function])):
            self._calls.setdefault(name, []).append(CallSite(unit, function, call, index))
        for position, argument in enumerate(call.arguments):
            method = unit.values[argument.value]
            if isinstance(method, Attribute) and argument.keyword is None and not argument.stars:
                later = Call(argument.value, call.arguments[position + 1 :], call.span, "")
                self._calls.setdefault(method.name, []).append(CallSite(unit, function, later, index, handed_on=True))

    def _called_names(self, unit: Unit, callee: Value) -> set[str]:
        if isinstance(callee, Attribute):
            return {callee.name}
        if isinstance(callee, Imported):
            return {callee.member or callee.module.rpartition(".")[2]}
        if isinstance(callee, Parameter | Element):
            return {callee.name}
        if not isinstance(callee, Name):
            return set()
        names = {callee.name}
        for bound_in, value in self._files[unit.path].bindings.get(callee.name, ()):
            target = bound_in.values[value]
            if isinstance(target, Imported) and target.member is not None:
                names.add(target.member)
            elif isinstance(target, Attribute):
                names.add(target.name)
        return names


def _index(file: FileFacts) -> FileIndex:
    index = FileIndex(file.definitions)
    for facts in file.chunks:
        unit = Unit(file.file.name, facts, file.file.test)
        index.units.append(unit)
        for function in facts.functions:
            index.functions.setdefault(function.qualname, []).append(Definition(unit, function))
        for class_ in facts.classes:
            index.classes[class_.qualname] = ClassDefinition(unit, class_)
        for binding in facts.bindings:
            index.bindings.setdefault(binding.name, []).append((unit, binding.value))
        index.stars += [(unit, star) for star in facts.stars]
    return index


def _stands_aside(definition: Definition) -> bool:
    """Tell whether a decorator says that another definition of the name is the one that runs."""
    values = definition.unit.values
    for decorator in definition.facts.decorators:
        value = values[decorator]
        name = value.name if isinstance(value, Name | Attribute) else getattr(value, "member", None)
        if name in ("overload", "setter", "deleter"):
            return True
    return False
