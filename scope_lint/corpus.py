"""Reading on demand: which files are outlined and which of their chunks collected, as linking asks for them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scope_lint.collect import collect
from scope_lint.facts import Attribute, ChunkFacts, FileFacts, Imported, Wanted
from scope_lint.home_made import ROLES
from scope_lint.model import Cell, Chunk, File, Outline, Problem
from scope_lint.notebooks import in_cells
from scope_lint.outline import outline, syntax_error
from scope_lint.sieve import COMMON_NAMES, Interest, Sieve, imported_modules, may_be_home_made, words_finder
from scope_lint.source import Notebook, Source, decode, read

_T = TypeVar("_T")


@dataclass(eq=False, slots=True)
class Reading:
    """A file on the way from bytes to facts.

    `wanted` are qualified names and `attributes` pairs of a class and an attribute that link asked for; `tried` are
    the chunks, by position, that were collected or could not be.
    """

    file: File
    source: Source
    outline: Outline | None = None
    text: str | None = None
    facts: dict[int, ChunkFacts] = field(default_factory=dict)
    tried: set[int] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    attributes: set[tuple[str, str]] = field(default_factory=set)

    def facts_so_far(self) -> FileFacts:
        """Return what is known of the file."""
        chunks = () if self.outline is None else self.outline.chunks
        names = frozenset(chunk.qualname for chunk in chunks if chunk.qualname)
        return FileFacts(self.file, names, tuple(self.facts[position] for position in sorted(self.facts)))


class Corpus:
    """The files of one project, read as far as they matter."""

    def __init__(self, files: Sequence[File]) -> None:
        self.problems: list[Problem] = []
        self.readings: dict[str, Reading] = {}
        self._cells: dict[str, tuple[Cell, ...]] = {}
        self._near: dict[str, tuple[str, ...]] = {}
        self._called: dict[str, frozenset[bytes]] = {}
        self._trusted: dict[str, frozenset[str]] = {}
        for file in files:
            source = read(file)
            if isinstance(source, Problem):
                self.problems.append(source)
            else:
                self.readings[file.name] = Reading(file, source)
                if source.cells:
                    self._cells[file.name] = source.cells

    def importing(self, modules: Collection[str]) -> dict[str, frozenset[str]]:
        """Return which files import each of `modules`."""
        found: dict[str, set[str]] = {}
        for name, reading in self.readings.items():
            for module in imported_modules(reading.source.data).intersection(modules):
                found.setdefault(module, set()).add(name)
        return {module: frozenset(files) for module, files in found.items()}

    def naming(self, names: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return in which files each of `names` stands as a word."""
        words_of = words_finder(names)
        found: dict[str, set[str]] = {}
        for file, reading in self.readings.items():
            for name in words_of(reading.source.data):
                found.setdefault(name, set()).add(file)
        return {name: frozenset(files) for name, files in found.items()}

    def words(self, file: str, names: Collection[str]) -> list[str]:
        """Return those of `names` that stand as words in a file."""
        return words_finder(names)(self.readings[file].source.data)

    def look_for(self, interests: Iterable[Interest], trusted: Mapping[str, frozenset[str]]) -> None:
        """Outline the files in which the sieve finds one of `interests`, or one of the names it is `trusted` with.

        A file that imports an SDK is trusted with the names of its calls: they count there whatever is near them.
        """
        found = tuple(interests)
        for interest in found:
            known = self._near.get(interest.name, interest.near)
            self._near[interest.name] = (*known, *interest.near) if known and interest.near else ()
        self._trusted.update(trusted)
        sieve = Sieve(found)
        for reading in self._unread():
            names = self._trusted.get(reading.file.name, frozenset())
            if may_be_home_made(reading.source.data):
                self._trusted[reading.file.name] = names | ROLES.keys()
                self._outline(reading)
                continue
            if any(name.encode() in reading.source.data for name in names) or sieve.passes(reading.source.data):
                self._outline(reading)

    def look_for_callers(self, wrappers: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Outline the files that may call a wrapper: a common name counts only in a file with one of its words.

        The words are those of the class and the module that the wrapper is in; a file that calls it imports one.
        """
        new: set[str] = set()
        for name, words in wrappers:
            known = self._called.get(name)
            needed = frozenset(word.encode() for word in words) if name in COMMON_NAMES else frozenset()
            if known is None or not needed <= known:
                self._called[name] = needed | (known or frozenset())
                new.add(name)
        words_of = words_finder(new)
        for reading in self._unread() if new else ():
            if any(self._may_call(reading, name) for name in words_of(reading.source.data)):
                self._outline(reading)

    def want(self, wanted: Iterable[Wanted]) -> None:
        """Remember definitions that link asked for, and outline the files they are in."""
        for each in wanted:
            reading = self.readings.get(each.path)
            if reading is None:
                continue
            if reading.outline is None:
                self._outline(reading)
            if each.attribute is None:
                reading.wanted.add(each.qualname)
            else:
                reading.attributes.add((each.qualname, each.attribute))

    def collect(self) -> bool:
        """Collect every chunk that matters and was not collected yet; tell whether there was one."""
        collected = [self._collect(reading) for reading in self.readings.values() if reading.outline is not None]
        return any(collected)

    def facts(self) -> list[FileFacts]:
        """Return the facts of the files that were outlined, by name."""
        return [reading.facts_so_far() for _, reading in sorted(self.readings.items()) if reading.outline is not None]

    def in_cells(self, value: _T) -> _T:
        """Return `value` with the cells of all its places that are in notebooks."""
        return in_cells(value, self._cells)

    def shown(self, name: str) -> str | None:
        """Return the text of a file as people see it: the cells of a notebook with all that is not Python."""
        reading = self.readings.get(name)
        notebook = reading.source.notebook if reading else None
        return notebook.text if isinstance(notebook, Notebook) else self.text(name)

    def outlined(self, name: str) -> Outline:
        """Return the outline of a file that was read, made now if nothing needed it before."""
        reading = self.readings[name]
        if reading.outline is None:
            self._outline(reading)
        return reading.outline or Outline(())

    def text(self, name: str) -> str | None:
        """Return the Python in a file, or None if it cannot be decoded."""
        reading = self.readings.get(name)
        if reading is None:
            return None
        if reading.text is None:
            decoded = decode(reading.source)
            reading.text = decoded if isinstance(decoded, str) else None
        return reading.text

    def _unread(self) -> list[Reading]:
        return [reading for reading in self.readings.values() if reading.outline is None]

    def _may_call(self, reading: Reading, name: str) -> bool:
        needed = self._called.get(name)
        return needed is not None and (not needed or any(word in reading.source.data for word in needed))

    def _outline(self, reading: Reading) -> None:
        text = decode(reading.source)
        if isinstance(text, Problem):
            reading.outline = Outline((), (text,))
        else:
            reading.text = text
            reading.outline = outline(reading.file.name, text, reading.source.cells)
        self.problems += self.in_cells(reading.outline.problems)

    def _collect(self, reading: Reading) -> bool:
        chunks = () if reading.outline is None else reading.outline.chunks
        names = self._aliases(reading)
        chosen = [
            position
            for position, chunk in enumerate(chunks)
            if position not in reading.tried and self._matters(reading, chunk, names)
        ]
        if chosen:  # with the imports and constants of what is used, and the damaged cells of its notebook
            modules = {position for position, chunk in enumerate(chunks) if chunk.kind == "module"}
            chosen = sorted({*chosen, *modules - reading.tried})
        for position in chosen:
            reading.tried.add(position)
            found = collect(reading.file.name, chunks[position])
            if isinstance(found, Problem):
                refused = syntax_error(reading.file.name, chunks[position])  # the file's own error, not libcst's
                self.problems.append(self.in_cells(refused or found))
            else:
                reading.facts[position] = found
        return bool(chosen)

    def _matters(self, reading: Reading, chunk: Chunk, aliases: frozenset[str]) -> bool:
        if not aliases.isdisjoint(chunk.names):
            return True
        if not chunk.names.isdisjoint(self._trusted.get(reading.file.name, ())):
            return True
        for name in chunk.names & self._near.keys():
            near = self._near[name]
            if not near or not chunk.names.isdisjoint(near):
                return True
        if any(self._may_call(reading, name) for name in chunk.names & self._called.keys()):
            return True
        return chunk.qualname in reading.wanted or self._is_asked_for(reading, chunk)

    def _is_asked_for(self, reading: Reading, chunk: Chunk) -> bool:
        """Tell whether the chunk holds something nested that was asked for, or gives an attribute that was."""
        qualname = chunk.qualname
        if not qualname:
            return bool(reading.wanted)
        if chunk.kind != "class" and any(name.startswith(f"{qualname}.") for name in reading.wanted):
            return True
        if any(_binds(chunk, name) for name in reading.wanted & chunk.names):
            return True
        owner = qualname.rpartition(".")[0]
        return any(class_ in (owner, qualname) and name in chunk.names for class_, name in reading.attributes)

    def _aliases(self, reading: Reading) -> frozenset[str]:
        """Return the names that the file's imports and assignments give to what is looked for."""
        found: set[str] = set()
        for facts in reading.facts.values():
            for binding in facts.bindings:
                value = facts.values[binding.value]
                target = value.member if isinstance(value, Imported) else None
                if isinstance(value, Attribute):
                    target = value.name
                if target is not None and binding.name != target and self._is_looked_for(target):
                    found.add(binding.name)
        return frozenset(found)

    def _is_looked_for(self, name: str) -> bool:
        return name in self._near or name in self._called


def _binds(chunk: Chunk, name: str) -> bool:
    """Tell whether a function declares a name of its module `global`, to bind it."""
    if "global " not in chunk.source:
        return False
    return re.search(rf"\bglobal\b[^\n]*\b{re.escape(name)}\b", chunk.source) is not None
