"""Whether a call is an SDK's: what is known of the receiver decides, then the call's name and the scope's keywords."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from scope_lint.declared import fold
from scope_lint.facts import Attribute, Series
from scope_lint.link import classes, scopes
from scope_lint.link.describe import text_of
from scope_lint.link.forms import Scope
from scope_lint.link.frames import MAPPING_STARS
from scope_lint.link.names import BUILTINS
from scope_lint.link.program import CallSite
from scope_lint.link.values import (
    Abstract,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Leaf,
    ModuleRef,
    is_none,
)
from scope_lint.model import Sink, Store

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

# What a call is made on is followed for every call of a common name: an answer further away than this is none.
MOST_STEPS_TO_RECEIVER = 400
# Methods that so many classes have that the name alone says nothing.
COMMON_METHODS = frozenset(
    """
    add append call clear count create delete delete_all drop execute exists fetch find get get_all insert invoke list
    load pop profile put query read recall remember remove reset retain retrieve run save search send session set store
    stream update upsert write
    """.split()  # noqa: SIM905 - forty pairs of quotes say nothing
)
# What is called like one of these holds no memories, whatever keywords its methods take.
_NO_MEMORY = frozenset(
    """
    analytics cache conn connection cursor database db http httpx log logger logging metric metrics mixpanel
    oauth objects posthog prometheus queryset queue redis requests sentry span statsd tracer
    """.split()  # noqa: SIM905 - twenty pairs of quotes say nothing
)
_HINTS = ("mem",)
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class Callee:
    """What is known of what is called.

    `names` are dotted names that it has (`mem0.Memory.search`); `texts` the ways in which it is written; `open` tells
    whether it can be something else than those names say.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    open: bool


class Evidence:
    """Weighs calls against sinks. `imports` are the files that import the SDK of a store, by the store's name."""

    def __init__(self, resolver: "Resolver", imports: Mapping[str, frozenset[str]]) -> None:
        self.resolver = resolver
        self._imports = imports
        self._callees: dict[tuple[int, int], Callee] = {}

    def is_known(self, site: CallSite, store: Store, sink: Sink) -> bool:
        """Tell whether what is called is known to be the sink: its receiver's class says so, or its name alone."""
        callee = self.callee(site)
        receivers = sink.receivers or store.receivers
        results = _results(store)
        if any(_is_of(name, receiver, sink.call, results) for name in callee.names for receiver in receivers):
            return True
        return sink.proof == "name" and callee.open and _is_written(callee, sink.call)

    def is_likely(self, site: CallSite, store: Store, sink: Sink) -> bool:
        """Tell whether a call on an unknown receiver is the sink, by its name, the scope's keywords and its company."""
        callee = self.callee(site)
        if sink.proof != "keywords" or not callee.open or not _is_written(callee, sink.call):
            return False
        keywords = {argument.keyword for argument in site.call.arguments}
        if sink.beside and keywords.isdisjoint(sink.beside):
            return False
        imported = site.unit.path in self._imports.get(store.name, ())
        name = _receiver_name(callee)
        if is_no_memory(name):
            return False
        if sink.call in COMMON_METHODS and not imported:
            hints = (*_HINTS, *store.hints)
            if not any(hint in name.lower() for hint in hints):
                return False
        return self._stands(site, store, sink, trusted=imported)

    def is_worth_a_look(self, site: CallSite, store: Store, sink: Sink) -> bool:
        """Tell whether anything but a common name speaks for the call, before its receiver is followed.

        A file that imports the SDK does, and a keyword of the scope, a tuple in its place, or the receiver's name.
        """
        if sink.call.rpartition(".")[2] not in COMMON_METHODS or site.unit.path in self._imports.get(store.name, ()):
            return True
        keywords = {argument.keyword for argument in site.call.arguments if argument.keyword is not None}
        if any(spec.keyword in keywords or not keywords.isdisjoint(spec.keys) for spec in sink.scopes):
            return True
        receiver = written_receiver(site).lower()
        if any(hint in receiver for hint in (*_HINTS, *store.hints)):
            return True
        return any(spec.form == "namespace" and is_series(site, spec.position) for spec in sink.scopes)

    def stands(self, site: CallSite, store: Store, sink: Sink) -> bool:
        """Tell whether a scope is passed at the call."""
        self.resolver.begin()
        return not scopes.read(self.resolver, site, store, sink, self.resolver.top).left_out

    def _stands(self, site: CallSite, store: Store, sink: Sink, *, trusted: bool) -> bool:
        """Tell whether the scope stands at the call in the form that the sink takes."""
        self.resolver.begin()
        scope = scopes.read(self.resolver, site, store, sink, self.resolver.top)
        spec = scope.spec
        if spec is None or scope.left_out or scope.impossible:
            return False
        names = {fold(key) for key in (spec.keys if spec.form == "flat" else (spec.keyword or "",))}
        named = any(each.stars == MAPPING_STARS or fold(each.keyword or "") in names for each in site.call.arguments)
        if spec.path or spec.form in ("filter", "payload"):
            return bool(scope.keys)
        if spec.form == "namespace":
            return has_labels(scope) or (scope.opaque is not None and (named or trusted))
        if named or spec.form == "flat":
            return named
        return scope.mapping or (trusted and spec.form in ("id", "template", "carried"))

    def callee(self, site: CallSite) -> Callee:
        """Return what is known of what is called."""
        key = (id(site.unit), site.index)
        known = self._callees.get(key)
        if known is None:
            self.resolver.begin(MOST_STEPS_TO_RECEIVER)
            known = self._callees[key] = _callee(self.resolver, site)
        return known


def written_receiver(site: CallSite) -> str:
    """Return the last name of what the method is called on, as it is written; "" if nothing is."""
    text = site.call.written or text_of(site.unit, site.call.function)
    return text.rpartition(".")[0].rpartition(".")[2].strip("_")


def is_series(site: CallSite, position: int | None) -> bool:
    """Tell whether a tuple or list is written at a position of the call."""
    plain = [argument for argument in site.call.arguments if argument.keyword is None and not argument.stars]
    if position is None or position >= len(plain):
        return False
    return isinstance(site.unit.values[plain[position].value], Series)


def is_no_memory(name: str) -> bool:
    """Tell whether a receiver says by its name that it holds no memories: a logger, a database, an HTTP client."""
    return not _NO_MEMORY.isdisjoint(word.lower() for word in _WORD.findall(name))


def has_labels(scope: Scope) -> bool:
    """Tell whether a namespace starts with a label: a tuple of numbers is something else."""
    if not scope.keys or scope.keys[0].name != "#0":
        return False
    return any(writing.type in (None, "str") for writing in scope.keys[0].writings)


@cache
def _results(store: Store) -> frozenset[str]:
    """Return the last names of the sinks that give something else than another receiver: records, not a client.

    What `from_documents` and the like give is a client, though they write.
    """
    names = {sink.call.rpartition(".")[2] for sink in store.sinks if sink.role != "bind"}
    return frozenset(name for name in names if "from_" not in name)


def _is_of(name: str, receiver: str, call: str, results: frozenset[str]) -> bool:
    """Tell whether the dotted name is that of a call on a receiver.

    The name starts with the package of the receiver, goes through its class, and ends in the call:
    `mem0.memory.main.Memory.search` is `search` of `mem0.Memory`. What is called on one of the `results` is not.
    """
    parts, tail = name.split("."), call.split(".")
    if [part.lstrip("_") for part in parts[-len(tail) :]] != [part.lstrip("_") for part in tail]:
        return False
    rest = parts[: -len(tail)]
    *package, last = receiver.split(".")
    within = rest[len(package) :]
    if rest[: len(package)] != package or last not in within:
        return False
    classes_at = [position for position, part in enumerate(within) if part[:1].isupper()]
    return not classes_at or results.isdisjoint(within[classes_at[-1] + 1 :])


def _is_written(callee: Callee, call: str) -> bool:
    """Tell whether what is called is written as the sink says; `user_store.put` is written as `store.put`."""
    wanted = call.split(".")
    for text in callee.texts:
        parts = [part.strip("_") for part in text.split(".")][-len(wanted) :]
        if len(parts) == len(wanted) and all(
            part == want or (part.endswith(f"_{want}") and part is not parts[-1])
            for part, want in zip(parts, wanted, strict=True)
        ):
            return True
    return False


def _receiver_name(callee: Callee) -> str:
    return callee.texts[0].rpartition(".")[0].rpartition(".")[2] if callee.texts else ""


def _callee(resolver: "Resolver", site: CallSite) -> Callee:
    value = site.unit.values[site.call.function]
    written = [text for text in (site.call.written, text_of(site.unit, site.call.function)) if text]
    names: list[str] = []
    is_open = False
    if isinstance(value, Attribute):
        for base in resolver.module_value(site.unit, value.base):
            names += [f"{name}.{value.name}" for name in _names(resolver, base)]
            is_open = is_open or _is_open(base)
            if isinstance(base, Leaf):
                written.append(f"{base.text}.{value.name}")
    else:
        for target in resolver.module_value(site.unit, site.call.function):
            names += _names(resolver, target)
            is_open = is_open or _is_open(target)
            if isinstance(target, Leaf):  # a method kept in a variable
                written.append(target.text)
    return Callee(tuple(dict.fromkeys(names)), tuple(dict.fromkeys(written)), is_open)


def _names(resolver: "Resolver", value: Abstract) -> Iterator[str]:
    """Yield the dotted names of a value, those of its classes for an instance."""
    modules = resolver.program.modules
    if isinstance(value, Instance | ClassRef):
        cls = value.cls if isinstance(value, Instance) else value
        for owner in classes.lineage(resolver, cls):
            yield from (f"{module}.{owner.qualname}" for module in modules.names(owner.path))
        yield from classes.outside(resolver, cls)
    elif isinstance(value, FunctionRef):
        yield from (f"{module}.{value.qualname}" for module in modules.names(value.path))
        if isinstance(value.receiver, Instance | ClassRef):
            method = value.qualname.rpartition(".")[2]
            yield from (f"{name}.{method}" for name in _names(resolver, value.receiver))
    elif isinstance(value, ModuleRef):
        yield from modules.names(value.path)
    elif isinstance(value, External):
        yield value.name
    elif isinstance(value, Leaf) and value.dotted is not None:
        yield value.dotted


def _is_open(value: Abstract) -> bool:
    """Tell whether a value can be an instance of any class: nothing that is known says otherwise."""
    if isinstance(value, External):
        return _is_open_name(value.name, instance=False)
    if not isinstance(value, Leaf) or is_none(value):
        return False
    if value.constant is not None or value.conversions or value.type in BUILTINS:
        return False
    return value.class_name is None or _is_open_name(value.class_name, instance=True)


def _is_open_name(name: str, *, instance: bool) -> bool:
    """Tell whether a name from outside the corpus leaves open what it is: a variable, the result of a function.

    A class (in capitals), a module and what the standard library has are known to be what they are.
    """
    parts = name.split(".")
    if parts[0] in sys.stdlib_module_names or (len(parts) == 1 and (not instance or name in BUILTINS)):
        return False
    return not any(part[:1].isupper() for part in parts)
