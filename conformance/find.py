"""Finding calls: the functions, methods and classes that a sink of a preset means in the source of its SDK."""

import ast
import difflib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.classes import around, has_member, lineage, member, method, methods, names, unknown_bases
from conformance.names import Class, Routine, classes_in, lookup
from conformance.source import Source

MOST_STEPS = 5  # from a receiver to the class that has the method: `client.agent_engines.memories` is two
MOST_CLASSES = 400  # on the way: a client leads to its results, and those to everything

Target = Class | Routine

# Packages whose classes have no methods that a preset could mean.
_PLAIN = frozenset({*sys.stdlib_module_names, "attr", "msgspec", "pydantic", "pydantic_settings", "typing_extensions"})
# Their methods are made from data when a client is.
_GENERATED = frozenset({"boto3", "botocore"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a call is: all of `targets` where they are on the receiver's way, one of them if only the name is known."""

    targets: tuple[Target, ...]
    by_name: bool = False


class Receiver:
    """A receiver as a preset names it: `mem0.Memory` is any class or function of that name in or below mem0."""

    def __init__(self, source: Source, name: str) -> None:
        self._source = source
        self.name = name
        package, _, last = name.rpartition(".")
        self.packages = source.packages(package, last)
        self.defined = tuple(dict.fromkeys(_defined(source, package, last) if package else ()))
        self._owners = tuple(_owners(source, package, last)) if package and not self.defined else ()
        instances = [cls for each in self.defined for cls in self._instances(each)]
        kept = [cls for owner in self._owners for cls in member(source, owner, last)]
        self._levels = [list(dict.fromkeys([*instances, *kept]))]

    @property
    def exists(self) -> bool:
        """Whether there is anything of this name."""
        return bool(self.packages or self.defined or self._owners)

    def _instances(self, target: Target) -> list[Class]:
        """Return the classes that a receiver can be of: the class itself, or what a function returns."""
        if isinstance(target, Class):
            return [target]
        return list(classes_in(self._source, target.module, target.node.returns))

    def _level(self, steps: int) -> list[Class]:
        """Return the classes that are so many attributes, properties or results away."""
        while len(self._levels) <= steps:
            seen = {cls for level in self._levels for cls in level}
            beyond = dict.fromkeys(each for cls in self._levels[-1] for each in around(self._source, cls))
            more = [each for each in beyond if each not in seen]
            self._levels.append(more[: max(MOST_CLASSES - len(seen), 0)])
        return self._levels[steps]

    def calls(self, call: str) -> Found:
        """Return what `call` is on the receiver; of a dotted name the nearest."""
        *heads, last = call.split(".")
        for package in self.packages if not heads else ():
            direct = lookup(self._source, package, last)
            if isinstance(direct, Class | Routine):
                return Found((direct,))
        further: dict[Target, None] = {}
        for steps in range(MOST_STEPS):
            found = [each for cls in self._level(steps) for each in self._of(cls, heads, last)]
            if found and (heads or not steps):
                return Found(tuple(dict.fromkeys(found)))
            further |= dict.fromkeys(found)
        if further:
            return Found(tuple(further), by_name=True)
        if (self._levels[0] and not heads) or not self.exists:
            return Found(())
        packages = self.packages or [self.name.partition(".")[0]]
        known = (each for package in packages for each in _defined(self._source, package, last))
        return Found(tuple(dict.fromkeys(known)), by_name=True)

    def _of(self, cls: Class, heads: Sequence[str], last: str) -> Iterator[Routine]:
        """Yield the method that is reached from the class by the dotted names before it."""
        reached = [cls]
        for head in heads:
            reached = [each for before in reached for each in member(self._source, before, head)]
        for each in reached:
            target = method(self._source, each, last)
            if target is not None:
                yield target

    @property
    def is_open(self) -> bool:
        """Whether it can have methods that its source does not show.

        They are generated, answered by `__getattr__`, or inherited from a class that is in none of the wheels.
        """
        if self.name.partition(".")[0] in _GENERATED:
            return True
        owners = [owner for cls in self._levels[0] for owner in lineage(self._source, cls)]
        if any(each.name == "__getattr__" for owner in owners for each in methods(owner)):
            return True
        return any(
            base.partition(".")[0] not in _PLAIN for owner in owners for base in unknown_bases(self._source, owner)
        )

    def closest(self, call: str) -> str | None:
        """Return the name of a method or function that is most like the last of `call`, if one is."""
        known = {name for cls in self._levels[0] for name in names(self._source, cls)}
        for package in self.packages:
            module = self._source.module(package)
            known.update(() if module is None else module.bindings)
        similar = difflib.get_close_matches(call.rpartition(".")[2], sorted(known), n=1)
        return similar[0] if similar else None


def _owners(source: Source, package: str, name: str) -> Iterator[Class]:
    """Yield the classes in or below a package whose instances have an attribute of that name."""
    for module in source.that_bind(name, package):
        classes = (Class(module, bound) for bound in module.bindings.values() if isinstance(bound, ast.ClassDef))
        yield from (cls for cls in classes if has_member(cls, name))


def _defined(source: Source, package: str, name: str) -> Iterator[Target]:
    """Yield the classes and functions of a name in or below a package, and the methods."""
    for module in source.that_bind(name, package):
        meant = lookup(source, module.name, name) if name in module.bindings else None
        if isinstance(meant, Class | Routine):
            yield meant
        for bound in module.bindings.values():
            if isinstance(bound, ast.ClassDef):
                owner = Class(module, bound)
                yield from (Routine(module, each, owner) for each in methods(owner) if each.name == name)
