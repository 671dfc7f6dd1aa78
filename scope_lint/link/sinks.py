"""Which calls are sinks of which store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute, Imported, Name
from scope_lint.link.describe import text_of
from scope_lint.link.evidence import Evidence
from scope_lint.link.program import CallSite
from scope_lint.link.values import (
    Abstract,
    ClassRef,
    Dictionary,
    External,
    FunctionRef,
    Instance,
    Leaf,
    is_none,
)
from scope_lint.link.values import (
    Sequence as Items,
)
from scope_lint.model import Sink, Store

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A call that is a sink. `known`: by its receiver or its name alone, so that one without a scope is one, too."""

    site: CallSite
    store: Store
    sink: Sink
    known: bool


def find(evidence: Evidence, stores: Sequence[Store]) -> Iterator[Match]:
    """Yield the calls that are sinks, each for the one store and sink that it fits best.

    A user's store comes before those that ship, of which one whose receiver is known comes before the others; then
    the sink with the longest name (`bank.put` is not taken for another store's `put`), and of several variants of one
    sink the one whose scope is there.
    """
    best: dict[tuple[int, int], tuple[Rank, Match]] = {}
    for store in stores:
        for sink in store.sinks:
            for site in evidence.resolver.program.calls(sink.call.rpartition(".")[2]):
                found = _weigh(evidence, site, store, sink)
                if found is None:
                    continue
                rank, match = found
                key = (id(site.unit), site.index)
                if key not in best or rank < best[key][0]:
                    best[key] = rank, match
    for _, match in best.values():
        yield match


Rank = tuple[int, bool, int]
"""How well a call fits a sink, the less the better."""


def _weigh(evidence: Evidence, site: CallSite, store: Store, sink: Sink) -> tuple[Rank, Match] | None:
    """Return how well a call, whose last name is the sink's, fits it; None if it is another call."""
    length, own = -sink.call.count("."), store.declared_at is not None
    if not (sink.receivers or store.receivers):
        fit = (own or not sink.mapping_only or _names_scope(site, sink)) and fits(evidence.resolver, site, sink)
        return ((0 if own else 4, False, length), Match(site, store, sink, known=own)) if fit else None
    if not evidence.is_worth_a_look(site, store, sink):
        return None
    first = 0 if own else 2
    if evidence.is_known(site, store, sink):
        return (first, not evidence.stands(site, store, sink), length), Match(site, store, sink, known=True)
    if evidence.is_likely(site, store, sink):
        return (first + 1, False, length), Match(site, store, sink, known=False)
    return None


def _names_scope(site: CallSite, sink: Sink) -> bool:
    """Tell whether the keyword of a scope stands at the call, or can come out of a `**` spread there."""
    keywords = {spec.keyword for spec in sink.scopes}
    return any(each.keyword in keywords if each.keyword else each.stars for each in site.call.arguments)


def fits(resolver: "Resolver", site: CallSite, sink: Sink) -> bool:
    """Tell whether a call, whose last name is the sink's, is this sink."""
    head = sink.call.rpartition(".")[0]
    if _is_other(resolver, site):
        return False
    if not head:
        return True
    wanted = [part.lstrip("_") for part in sink.call.split(".")]
    for text in (site.call.written, text_of(site.unit, site.call.function)):
        if [part.lstrip("_") for part in text.split(".")][-len(wanted) :] == wanted:
            return True
    return any(_same(name, sink.call) for name in qualified(resolver, site))


def call_text(site: CallSite) -> str:
    """Return what is called, as it is written: `self.bank.ingest`."""
    return site.call.written or text_of(site.unit, site.call.function)


def _same(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith(f".{wanted}") or wanted.endswith(f".{name}")


def qualified(resolver: "Resolver", site: CallSite) -> list[str]:
    """Return the dotted names of what the call can be resolved to: function, method, or method of a known class."""
    modules = resolver.program.modules
    found = []
    for target in resolver.module_value(site.unit, site.call.function):
        if isinstance(target, FunctionRef | ClassRef):
            found.append(f"{modules.dotted(target.path)}.{target.qualname}")
        elif isinstance(target, External):
            found.append(target.name)
    callee = site.unit.values[site.call.function]
    if isinstance(callee, Attribute):
        for receiver in resolver.module_value(site.unit, callee.base):
            name = class_name(resolver, receiver)
            if name is not None:
                found.append(f"{name}.{callee.name}")
    return found


def class_name(resolver: "Resolver", value: Abstract) -> str | None:
    """Return the dotted name of the class of a receiver, if it is known."""
    if isinstance(value, Instance):
        return f"{resolver.program.modules.dotted(value.cls.path)}.{value.cls.qualname}"
    if isinstance(value, Leaf):
        return value.class_name
    if isinstance(value, External):
        return value.name
    return None


# What a receiver can be known to be, and then is no memory.
_NO_MEMORY = frozenset({"set", "list", "dict", "tuple", "frozenset", "str", "bytes", "re", "logging", "queue.Queue"})
_NO_MEMORY_MODULES = ("re.", "logging.", "pytest.", "collections.", "queue.", "argparse.", "subprocess.", "shutil.")


def _is_other(resolver: "Resolver", site: CallSite) -> bool:
    """Tell whether the receiver is known to be something else than a memory: a container, a pattern, a logger."""
    callee = site.unit.values[site.call.function]
    if not isinstance(callee, Attribute):
        return isinstance(callee, Name | Imported) and _is_pytest(resolver, site)
    found = resolver.module_value(site.unit, callee.base)
    return all(_no_memory(each) for each in found)


def _is_pytest(resolver: "Resolver", site: CallSite) -> bool:
    return any(name.startswith("pytest") for name in qualified(resolver, site))


def _no_memory(value: Abstract) -> bool:
    if isinstance(value, Dictionary | Items):
        return True
    if isinstance(value, Leaf):
        if is_none(value):  # not made yet
            return False
        if value.constant is not None or value.conversions:
            return True
        name = value.class_name or value.type
    elif isinstance(value, External):
        name = value.name
    else:
        return False
    return name is not None and (name in _NO_MEMORY or name.startswith(_NO_MEMORY_MODULES))
