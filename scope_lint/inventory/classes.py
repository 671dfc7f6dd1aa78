"""Classes of the project that look like stores and were not counted: they write and read under an identity."""

import re
from collections.abc import Iterator, Mapping, Sequence

from scope_lint.activation import Active
from scope_lint.corpus import Corpus
from scope_lint.declared import fold
from scope_lint.home_made import IDENTITY_KEYWORDS, ROLES, tells_of_memory
from scope_lint.link import Linked
from scope_lint.model import Chunk, Outline, Place, Role, Site, Span, Store, UncountedClass
from scope_lint.projects import Project
from scope_lint.sieve import may_define_store


def find(project: Project, corpus: Corpus, active: Sequence[Active], linked: Linked) -> tuple[UncountedClass, ...]:
    """Return the classes in the reported files that look like stores, in the order in which they are shown.

    One counts already if a site lies in it, if it is a class of an SDK whose store is on, or if a store of the
    settings or a home-made one has its methods.
    """
    lines = _lines(linked.sites)
    used = {site.store for site in linked.sites}
    stores = [each.store for each in active]
    found = []
    for path, reading in sorted(corpus.readings.items()):
        if path not in project.reported or (reading.file.test and not project.settings.tests):
            continue
        if not may_define_store(reading.source.data):
            continue
        for cls, methods in _in_file(path, corpus.outlined(path)):
            holds_sites = any(line in span for span in map(_span, methods) for line in lines.get(path, ()))
            if not holds_sites and not _is_counted(cls, methods, stores, linked.home_made, used):
                found.append(cls)
    return tuple(sorted(found, key=in_order))


def in_order(cls: UncountedClass) -> tuple[bool, Place]:
    """Return the key by which classes are sorted: those that speak of memory first, then by place."""
    verbs = {*cls.writes, *cls.reads, *cls.deletes}
    return not tells_of_memory(cls.name.rpartition(".")[2], verbs), cls.place


def _lines(sites: Sequence[Site]) -> Mapping[str, frozenset[int]]:
    """Return the lines, by file, in which a site begins or that it goes through."""
    places = {place for site in sites for place in (site.place, *(hop.place for hop in site.via))}
    lines: dict[str, set[int]] = {}
    for place in places:
        lines.setdefault(place.path, set()).add(place.span.line)
    return {path: frozenset(found) for path, found in lines.items()}


def _in_file(path: str, outline: Outline) -> Iterator[tuple[UncountedClass, list[Chunk]]]:
    """Yield the classes that look like stores, with all their methods."""
    methods: dict[str, list[Chunk]] = {}
    for chunk in outline.chunks:
        if chunk.kind == "method":
            methods.setdefault(chunk.qualname.rpartition(".")[0], []).append(chunk)
    for chunk in outline.chunks:
        if chunk.kind != "class" or chunk.qualname not in methods:
            continue
        own = methods[chunk.qualname]
        writes, reads, deletes = (_verbs(own, role) for role in ("write", "read", "delete"))
        if writes and reads:
            yield UncountedClass(chunk.qualname, _place(path, chunk), writes, reads, deletes), own


def _verbs(methods: Sequence[Chunk], role: Role) -> tuple[str, ...]:
    """Return the methods that are called after what `role` does and mention an identity, in source order."""
    names = (_name(method) for method in methods if not method.names.isdisjoint(IDENTITY_KEYWORDS))
    return tuple(dict.fromkeys(name for name in names if ROLES.get(name) == role))


def _name(chunk: Chunk) -> str:
    return chunk.qualname.rpartition(".")[2]


def _place(path: str, chunk: Chunk) -> Place:
    """Return where the class says its name; decorators can stand above."""
    head = re.search(rf"^[ \t\f]*class[ \t]+({_name(chunk)})\b", chunk.source, re.MULTILINE)
    if head is None:  # a line was continued between the two words
        return Place(path, Span(_line(chunk, 1), 1, _line(chunk, 1), 2))
    line = _line(chunk, chunk.source.count("\n", 0, head.start()) + 1)
    above = chunk.source.rfind("\n", 0, head.start(1)) + 1
    return Place(path, Span(line, head.start(1) - above + 1, line, head.end(1) - above + 1))


def _span(chunk: Chunk) -> range:
    return range(_line(chunk, 1), _line(chunk, chunk.source.count("\n")) + 1)


def _line(chunk: Chunk, number: int) -> int:
    """Return the line of the file that a line of the chunk is."""
    first, line = max(pair for pair in chunk.lines if pair[0] <= number)
    return line + number - first


def _is_counted(
    cls: UncountedClass, methods: Sequence[Chunk], stores: Sequence[Store], home_made: Sequence[Store], used: set[str]
) -> bool:
    """Tell whether calls on the class count already, as far as names can tell."""
    name = cls.name.rpartition(".")[2]
    own = frozenset(map(_name, methods))
    if any(_is_sdks(store, name, cls.place.path) or _is_declared(store, name, own, used) for store in stores):
        return True
    for store in home_made:
        receiver = store.sinks[0].call.rpartition(".")[0]
        if fold(receiver) in fold(name) and own >= {sink.call.rpartition(".")[2] for sink in store.sinks}:
            return True
    return False


def _is_sdks(store: Store, name: str, path: str) -> bool:
    """Tell whether the class is one of the receivers of an SDK, whose source is looked at."""
    receivers = {*store.receivers, *(each for sink in store.sinks for each in sink.receivers)}
    parts = (receiver.split(".") for receiver in receivers)
    return any(each[-1] == name and each[0] in path.split("/") for each in parts)


def _is_declared(store: Store, name: str, methods: frozenset[str], used: set[str]) -> bool:
    """Tell whether the settings name a method of the class, with the class, or without it where that is met."""
    for sink in store.sinks:
        *before, method = sink.call.split(".")
        if sink.declared_at is None or method not in methods:
            continue
        if before and before[-1][:1].isupper():
            if before[-1] == name:
                return True
        elif store.name in used:
            return True
    return False
