"""Reading the dependency files of folders, and what they come to together."""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from scope_lint.dependencies.declarations import Declaration, Fault, Include, Said
from scope_lint.dependencies.files import DependencyFile, UnreadableError, of_folder, requirements_file, text_of
from scope_lint.dependencies.releases import Dependencies, Releases
from scope_lint.model import Place, Problem, Span

Found = tuple[Declaration, str]
"""A declaration, and the file that makes it as it is shown."""


def read_folders(folders: Sequence[Path], wanted: frozenset[str]) -> Dependencies:
    """Return what the dependency files in `folders` say of the normalised names in `wanted`.

    See `scope_lint.dependencies.read`.
    """
    inside = {Path(os.path.realpath(folder)) for folder in folders}
    possible: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    problems: set[Problem] = set()
    for folder in sorted(set(folders)):
        reading = _Reading(wanted, inside)
        reading.read(folder)
        problems.update(reading.problems)
        for name in {declaration.name for declaration, _ in reading.found}:
            specifiers, sources = _together([each for each in reading.found if each[0].name == name])
            possible.setdefault(name, set()).update(specifiers)
            files.setdefault(name, set()).update(sources)
    releases = {name: Releases(tuple(sorted(possible[name])), tuple(sorted(files[name]))) for name in sorted(possible)}
    return Dependencies(releases, tuple(sorted(problems)))


def _together(found: Sequence[Found]) -> tuple[set[str], set[str]]:
    """The specifier sets, as alternatives, that one folder's declarations of one name come to, and whose they are."""
    when = next(each for each in ("locked", "always", "sometimes") if any(said.when == each for said, _ in found))
    chosen = [each for each in found if each[0].when == when]
    versions = {said.versions for said, _ in chosen}
    if when == "always":
        versions = {",".join(sorted(versions - {""}))}
    return versions, {file for _, file in chosen}


class _Reading:
    """Reads the dependency files of one folder for what they say of the names in `wanted`.

    `inside` are the folders, resolved, in or below which an included file must lie.
    """

    def __init__(self, wanted: Collection[str], inside: set[Path]) -> None:
        self.found: list[Found] = []
        self.problems: list[Problem] = []
        self._wanted = wanted
        self._inside = inside
        self._named = re.compile("|".join(_spellings(name) for name in sorted(wanted)), re.IGNORECASE)
        self._seen: set[str] = set()

    def read(self, folder: Path) -> None:
        """Read the folder's files, those that hold for every installation first, with what they include."""
        files = list(of_folder(folder))
        for always in (True, False):
            self._read_all(file for file in files if file.always == always)

    def _read_all(self, files: Iterable[DependencyFile]) -> None:
        waiting = list(files)
        while waiting:
            file = waiting.pop(0)
            identity = os.path.realpath(file.path)
            if identity not in self._seen:
                self._seen.add(identity)
                waiting += [each for said in self._said(file) for each in self._included(file.path, said)]

    def _said(self, file: DependencyFile) -> Sequence[Said]:
        """What a file says; its declarations and faults are kept."""
        try:
            text = text_of(file.path)
            said = [] if text is None else self._parsed(text, file)
        except UnreadableError as error:
            matters = error.data is None or self._named.search(error.data.decode("utf-8", "replace"))
            said = [Fault(1, str(error))] if matters else []
        name = _shown(file.path)
        self.found += [(each, name) for each in said if isinstance(each, Declaration)]
        self.problems += [_problem(name, each) for each in said if isinstance(each, Fault)]
        return said

    def _parsed(self, text: str, file: DependencyFile) -> list[Said]:
        """What a text says; one that names nothing that is asked for is parsed only for what it includes."""
        if self._named.search(text) is None and not file.includes:
            return []
        try:
            return list(file.reader(text, self._wanted))
        except ValueError as error:
            return [Fault(1, f"cannot be parsed: {error}")]
        except RecursionError:
            return [Fault(1, "is nested too deeply")]

    def _included(self, path: Path, said: Said) -> list[DependencyFile]:
        """The requirements file that is included, if it is one of the project's."""
        if not isinstance(said, Include) or "://" in said.target or "\0" in said.target:
            return []
        target = Path(os.path.realpath(path.parent / said.target))
        is_inside = not self._inside.isdisjoint(target.parents)
        return [requirements_file(target, said.when)] if is_inside else []


def _spellings(name: str) -> str:
    """The pattern of all that PEP 503 normalises to `name`, but for its case."""
    return "[-_.]+".join(re.escape(part) for part in name.split("-"))


def _problem(name: str, fault: Fault) -> Problem:
    message = f"{fault.message}; which releases it asks for is not known"
    return Problem(Place(name, Span(fault.line, 1, fault.line, 1)), message, opaque=True)


def _shown(path: Path) -> str:
    """The path as users see it: relative to the working directory, with forward slashes."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except (ValueError, OSError):  # another drive; no working directory any more
        return path.as_posix()
