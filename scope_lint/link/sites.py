"""Sites: each flow of a scope from the outermost caller into a sink."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scope_lint.link import callers, classes, scopes
from scope_lint.link.evidence import COMMON_METHODS
from scope_lint.link.forms import Scope
from scope_lint.link.frames import MAPPING_STARS, CannotBindError, Frame, bind
from scope_lint.link.program import CallSite, Definition
from scope_lint.link.sinks import Match, call_text
from scope_lint.link.values import Abstract, FunctionRef
from scope_lint.model import Hop, Key, Place, Sink, Site

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

# A wrapper of a wrapper of a wrapper: deeper trails are not ones that a reader would follow.
MOST_HOPS = 8
# More flows than this into one sink call are a plug-in system or a generated client, and one opaque site.
MOST_FLOWS = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A way into a sink: the call where it begins, and the calls from there on (the sink's own last)."""

    calls: tuple[CallSite, ...]
    receivers: tuple[Abstract | None, ...]
    owners: tuple[Definition, ...]


class Sites:
    """Finds the sites of sinks, and remembers which functions turned out to be wrappers."""

    def __init__(self, resolver: "Resolver", reserved: frozenset[str]) -> None:
        self._resolver = resolver
        self._reserved = reserved
        self._callers: dict[tuple[str, str], list[tuple[CallSite, Abstract | None]]] = {}
        self.wrappers: dict[tuple[str, str], Definition] = {}

    def of(self, match: Match) -> list[Site]:
        """Return the sites of one sink call."""
        found: list[Site] = []
        for flow, scope in self._flows(match):
            if len(found) >= MOST_FLOWS:
                reason = f"more than {MOST_FLOWS} callers reach it"
                place = match.site.place
                return [_site(match, Flow((match.site,), (), ()), Scope(place, opaque=reason, mapping=False))]
            if not _is_none_of_it(match, scope):
                found.append(_site(match, flow, scope))
        return found

    def forwarded(self) -> set[tuple[int, int]]:
        """Return the calls (chunk and index) that hand their scope on to a wrapper."""
        return {(id(site.unit), site.index) for found in self._callers.values() for site, _ in found}

    def evident(self, found: Sequence[tuple[Match, list[Site]]]) -> list[tuple[Match, list[Site]]]:
        """Return the sink calls without those that take no scope and for which nothing speaks but their name."""
        counted = {key for match, sites in found if any(not site.left_out for site in sites) for key in _company(match)}
        return [
            (match, sites)
            for match, sites in found
            if not all(site.left_out for site in sites) or self._is_evident(match, counted)
        ]

    def _is_evident(self, match: Match, counted: set[tuple[str, ...]]) -> bool:
        """Tell whether a call without a scope is the sink's all the same.

        A function of the project that cannot take the scope is none. A common method name needs another call on the
        same receiver in the file that does pass a scope; another bare name, one on a receiver of that name anywhere.
        """
        if match.store.declared_at is None:
            return match.known
        targets = self._resolver.module_value(match.site.unit, match.site.call.function)
        if any(isinstance(target, FunctionRef) and not self._takes_scope(target, match.sink) for target in targets):
            return False
        anywhere, here = _company(match)
        name = match.sink.call.rpartition(".")
        if name[2] in COMMON_METHODS:
            return here in counted
        return bool(name[0]) or anywhere in counted

    def _takes_scope(self, target: FunctionRef, sink: Sink) -> bool:
        definition = self._resolver.program.function(target.path, target.qualname)
        if definition is None:
            return True
        formals = {formal.name for formal in definition.facts.formals}
        names = {name for spec in sink.scopes for name in (spec.keyword, *spec.keys) if name is not None}
        positional = any(spec.position is not None for spec in sink.scopes)
        kinds = {formal.kind for formal in definition.facts.formals}
        return positional or bool(formals & names) or "kwargs" in kinds

    def _flows(self, match: Match) -> Iterator[tuple[Flow, Scope]]:
        """Yield each flow with its scope, going up to callers as long as the scope is made of parameters."""
        pending = [Flow((match.site,), (), ())]
        while pending:
            flow = pending.pop(0)
            frame = self._frame(flow)
            if frame is None:
                continue
            self._resolver.begin()
            scope = scopes.read(self._resolver, match.site, match.store, match.sink, frame)
            above = [] if len(flow.calls) > MOST_HOPS else self._above(flow, scope)
            if not any(not each.calls[0].unit.test for each in above):
                yield flow, scope
            pending += above

    def _above(self, flow: Flow, scope: Scope) -> list[Flow]:
        """Return the flows that begin one call further out, at the callers of the function that the flow begins in."""
        owner = self._owner(flow.calls[0])
        if owner is None or not self._is_needed(owner, scope):
            return []
        key = (owner.unit.path, owner.facts.qualname)
        if any(each.facts is owner.facts for each in flow.owners):
            return []
        self.wrappers[key] = owner
        if key not in self._callers:
            self._callers[key] = callers.find(self._resolver, owner, self._reserved)
        return [
            Flow((site, *flow.calls), (receiver, *flow.receivers), (owner, *flow.owners))
            for site, receiver in self._callers[key]
        ]

    def _is_needed(self, owner: Definition, scope: Scope) -> bool:
        """Tell whether the scope is made of parameters of the function, or of one that it is nested in."""
        qualname = owner.facts.qualname
        if qualname.endswith(".__init__"):
            return False
        return any(path == owner.unit.path and name == qualname for path, name, _ in scope.needs)

    def _owner(self, site: CallSite) -> Definition | None:
        outer, is_lambda, _ = site.function.qualname.partition(".<lambda")
        if is_lambda:  # it runs where the function around it hands it on
            return self._resolver.program.function(site.unit.path, outer)
        return Definition(site.unit, site.function) if outer and "<lambda" not in outer else None

    def _frame(self, flow: Flow) -> Frame | None:
        """Return the frame in which the sink's call runs at the end of the flow; None if the arguments do not fit."""
        frame = self._resolver.top
        for call, receiver, owner in zip(flow.calls, flow.receivers, flow.owners, strict=False):
            seen = callers.receiver_under(self._resolver, call, frame) or receiver
            try:
                bound = bind(owner.facts, call.call, call.at(frame), _receiver(owner, seen))
            except CannotBindError:
                return None
            frame = frame.with_call((owner.unit.path, owner.facts.qualname), bound)
        return frame


def _company(match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a call shares with others of its store: the receiver's name anywhere, and in the same file."""
    receiver = call_text(match.site).rpartition(".")[0].rpartition(".")[2].lstrip("_")
    return (match.store.name, receiver), (match.store.name, receiver, match.site.unit.path)


def _receiver(owner: Definition, receiver: Abstract | None) -> Abstract | None:
    return None if classes.is_staticmethod(owner) else receiver


def _is_none_of_it(match: Match, scope: Scope) -> bool:
    """Tell whether a sink with a common name was met that takes no scope after all."""
    if match.site.handed_on and scope.left_out:  # the method is registered, kept or shown
        return True
    if match.store.declared_at is None:
        if scope.impossible or (scope.left_out and (match.sink.demanded or not match.known)):
            return True
    elif scope.impossible and match.sink.call in COMMON_METHODS:
        return True
    return match.sink.mapping_only and not scope.mapping


def _site(match: Match, flow: Flow, scope: Scope) -> Site:
    first = flow.calls[0]
    known = scope.opaque is None and not scope.left_out
    dynamic = tuple(dict.fromkeys(gap.place for gap in scope.gaps if gap.dynamic))
    return Site(
        place=first.place,
        scope_place=first.place if _is_handed_through(match, flow) else scope.place,
        store=match.store.name,
        sink=match.sink.call,
        call=call_text(match.site),
        role=match.sink.role,
        function=first.function.qualname,
        keys=tuple(_canonical(match, scope.keys)) if known else (),
        complete=scope.left_out or (known and not scope.gaps),
        test=first.unit.test,
        opaque=scope.opaque,
        dynamic=dynamic,
        left_out=scope.left_out,
        built_at=scope.built_at,
        builders=scope.builders,
        inside=scope.inside,
        via=tuple(_hops(flow)),
        refused=scope.refused,
        form=None if scope.left_out or scope.spec is None else scope.spec.form,
        number=match.store.sinks.index(match.sink),
    )


def _is_handed_through(match: Match, flow: Flow) -> bool:
    """Tell whether the scope is whatever keywords the outermost call passes: a wrapper only spreads them."""
    return len(flow.calls) > 1 and any(argument.stars == MAPPING_STARS for argument in match.site.call.arguments)


def _canonical(match: Match, keys: tuple[Key, ...]) -> Iterator[Key]:
    """Yield keys under the names that the store's aliases give them."""
    aliases = dict(match.store.aliases)
    for key in keys:
        yield Key(aliases.get(key.name, key.name), key.writings, key.maybe, key.place, key.exhaustive)


def _hops(flow: Flow) -> Iterator[Hop]:
    """Yield the calls that the scope goes through after the first: the wrappers, and at last the sink."""
    if len(flow.calls) == 1:
        return
    for call, owner in zip(flow.calls[1:], flow.owners, strict=True):
        formals = [formal.name for formal in owner.facts.formals if formal.name != owner.facts.receiver]
        name = callers.called_name(owner)
        yield Hop(Place(owner.unit.path, owner.facts.span), f"{name}({', '.join(formals)})")
        if call is flow.calls[-1]:
            yield Hop(call.place, call_text(call))
