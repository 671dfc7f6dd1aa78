"""Dotted module names to files of the corpus."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath


class Modules:
    """Finds the file that an import means.

    Nothing says which folders Python would search. A file can be the module `a.b` if its path ends in `a/b.py` or
    `a/b/__init__.py` and what stands above is a folder that can be searched: no package itself. Of several, the one
    that shares most of its path with the importing file wins, then the shortest.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """Take the paths of all files, with forward slashes."""
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        self._packages: set[str] = set()
        for path in sorted(paths):
            pure = PurePosixPath(path)
            if pure.suffix == ".ipynb":  # no module; often it has the name of the one that it is about
                continue
            if pure.name == "__init__.py":
                self._packages.add(str(pure.parent))
                self._by_stem[pure.parent.name].append(path)
            else:
                self._by_stem[pure.stem].append(path)

    def find(self, module: str, importer: str) -> str | None:
        """Return the path of the module `module` (absolute, dotted), as the file `importer` would import it."""
        parts = tuple(module.split("."))
        ending = [(path, _root(path, parts)) for path in self._by_stem.get(parts[-1], ())]
        found = [path for path, root in ending if root is not None and root not in self._packages]
        if not found:  # a script that imports its neighbours by name, though an `__init__.py` stands beside them
            above = {str(folder) for folder in PurePosixPath(importer).parents}
            found = [path for path, root in ending if root in above]
        if not found:
            return None
        return min(found, key=lambda path: (-_shared(path, importer), len(path), path))

    def relative(self, module: str, level: int, importer: str) -> str | None:
        """Return the path of the module that `from ..module import x` (`level` dots) means in `importer`."""
        folder = PurePosixPath(importer).parent
        for _ in range(level - 1):
            folder = folder.parent
        target = folder.joinpath(*module.split(".")) if module else folder
        for path in (f"{target}.py", str(target / "__init__.py")):
            if path in self._by_stem.get(target.name if module else folder.name, ()):
                return path
        return None

    def submodule(self, path: str, name: str) -> str | None:
        """Return the path of the module `name` in the package whose `__init__` is `path`."""
        pure = PurePosixPath(path)
        if pure.name != "__init__.py":
            return None
        known = self._by_stem.get(name, ())
        for candidate in (str(pure.parent / f"{name}.py"), str(pure.parent / name / "__init__.py")):
            if candidate in known:
                return candidate
        return None

    def dotted(self, path: str) -> str:
        """Return the dotted name of the module in the file `path`: the packages around it and its own name."""
        pure = PurePosixPath(path)
        parts = [] if pure.name == "__init__.py" else [pure.stem]
        folder = pure.parent
        while folder.name and str(folder) in self._packages:
            parts.insert(0, folder.name)
            folder = folder.parent
        return ".".join(parts) or pure.parent.name

    def names(self, path: str) -> tuple[str, ...]:
        """Return the dotted names that the module in `path` can have: packages need no `__init__.py`."""
        pure = PurePosixPath(path)
        parts = pure.parent.parts if pure.name == "__init__.py" else (*pure.parent.parts, pure.stem)
        below = (".".join(parts[start:]) for start in range(len(parts)))
        return tuple(dict.fromkeys((self.dotted(path), *below)))


def _root(path: str, parts: tuple[str, ...]) -> str | None:
    """Return the folder from which `path` is the module with these parts, or None."""
    pure = PurePosixPath(path)
    own = pure.parent.parts if pure.name == "__init__.py" else (*pure.parent.parts, pure.stem)
    if own[-len(parts) :] != parts:
        return None
    return str(PurePosixPath(*own[: -len(parts)]))


def _shared(path: str, importer: str) -> int:
    shared = 0
    for mine, theirs in zip(PurePosixPath(path).parent.parts, PurePosixPath(importer).parent.parts, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared
