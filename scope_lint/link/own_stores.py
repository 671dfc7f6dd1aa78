"""Home-made stores: receivers of no known class on which the project writes and reads under an identity."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scope_lint.declared import narrows_by_default
from scope_lint.facts import Attribute
from scope_lint.home_made import IDENTITY_KEYWORDS, ROLES, tells_of_memory
from scope_lint.link.evidence import Evidence, is_no_memory, is_series, written_receiver
from scope_lint.link.program import CallSite
from scope_lint.link.sinks import Match
from scope_lint.model import Form, Role, ScopeSpec, Sink, Store

_MAPPING = ScopeSpec("mapping", keyword="scope")
_NAMESPACE = ScopeSpec("namespace", keyword="namespace", position=0)
_NO_STORE = Store("", ())


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A call on an unknown receiver that reads or writes by its verb; `form` is how it passes an identity, if so."""

    site: CallSite
    receiver: str
    verb: str
    role: Role
    form: Form | None


def find(evidence: Evidence, taken: Collection[tuple[int, int]]) -> Iterator[Match]:
    """Yield the calls on home-made stores, `taken` (chunk and index) being those that are sinks already.

    A receiver counts in a module that both writes and reads (or deletes) under an identity on it. Once it counts, the
    calls there without a scope count, too, and those elsewhere that have one.
    """
    groups: dict[str, list[_Candidate]] = defaultdict(list)
    for candidate in _candidates(evidence, taken):
        groups[candidate.receiver].append(candidate)
    for receiver, written in sorted(groups.items()):
        if not _modules(written) or not _tells(receiver, written):
            continue
        candidates = [each for each in written if _is_unknown(evidence, each)]
        modules = _modules(candidates)
        if not modules or not _tells(receiver, candidates):
            continue
        store = _store(receiver, candidates)
        sinks = {sink.call.rpartition(".")[2]: sink for sink in store.sinks}
        for each in candidates:
            inside = each.site.unit.path in modules
            if inside or each.form is not None:
                yield Match(each.site, store, sinks[each.verb], known=inside)


def _candidates(evidence: Evidence, taken: Collection[tuple[int, int]]) -> Iterator[_Candidate]:
    """Yield the calls that read or write by their verb, before what they are called on is followed."""
    for verb, role in sorted(ROLES.items()):
        for site in evidence.resolver.program.calls(verb):
            callee = site.unit.values[site.call.function]
            if site.handed_on or (id(site.unit), site.index) in taken or not isinstance(callee, Attribute):
                continue
            receiver = written_receiver(site)
            if receiver.isidentifier() and not is_no_memory(receiver):
                yield _Candidate(site, receiver, verb, role, _form(site))


def _is_unknown(evidence: Evidence, candidate: _Candidate) -> bool:
    callee = evidence.callee(candidate.site)
    return callee.open and not callee.names


def _form(site: CallSite) -> Form | None:
    """Return how the call passes an identity, as far as that is to be seen."""
    keywords = {argument.keyword for argument in site.call.arguments}
    if not keywords.isdisjoint(IDENTITY_KEYWORDS):
        return "flat"
    if "scope" in keywords:
        return "mapping"
    return "namespace" if is_series(site, 0) else None


def _modules(candidates: Sequence[_Candidate]) -> frozenset[str]:
    """Return the modules in which an identity is both written and read (or deleted)."""
    roles: dict[str, set[str]] = defaultdict(set)
    for each in candidates:
        if each.form is not None:
            roles[each.site.unit.path].add("write" if each.role == "write" else "read")
    return frozenset(path for path, found in roles.items() if len(found) > 1)


def _tells(receiver: str, candidates: Sequence[_Candidate]) -> bool:
    return tells_of_memory(receiver, {each.verb for each in candidates})


def _store(receiver: str, candidates: Sequence[_Candidate]) -> Store:
    """Return what is known of a home-made store: the verbs that are called on it, and the keywords of its scope."""
    keywords = {argument.keyword for each in candidates for argument in each.site.call.arguments}
    keys = tuple(sorted(keyword for keyword in keywords if keyword is not None and _is_key(keyword)))
    forms = {each.form for each in candidates}
    flat = (ScopeSpec("flat", keys=keys),) if keys else ()
    specs = tuple(spec for spec in (*flat, _MAPPING, _NAMESPACE) if spec.form in forms)
    sinks = tuple(Sink(f"{receiver}.{verb}", ROLES[verb], specs) for verb in sorted({each.verb for each in candidates}))
    return Store(f"home-made {receiver}", sinks, match="subset", non_strings="kept")


def _is_key(keyword: str) -> bool:
    return keyword in IDENTITY_KEYWORDS or narrows_by_default(_NO_STORE, keyword)
