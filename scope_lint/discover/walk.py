"""The Python files and notebooks below a folder that git does not answer for."""

# For each of many thousand files, `Path` costs several times what the functions of `os` do.
# ruff: noqa: PTH113, PTH118, PTH119, PTH123, PTH206

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_NEVER = frozenset({"__pycache__", "__pypackages__", "node_modules"})
_SUFFIXES = (".py", ".ipynb")
_BUILD_OUTPUT = frozenset({"_build", "build", "buck-out", "dist"})


class Patterns(NamedTuple):
    """gitignore patterns and the folder, absolute, that they are relative to."""

    base: str
    spec: "GitIgnoreSpec"

    def verdict(self, path: str) -> bool | None:
        """Whether `path`, absolute and below the base, matches; None if no pattern speaks of it.

        A folder ends with a slash. False is a pattern with `!`, which takes back what patterns further out say.
        """
        return self.spec.check_file(path[len(self.base.rstrip(os.sep)) + 1 :]).include


def patterns(lines: Iterable[str], base: str) -> Patterns:
    """Make patterns of the lines of a `.gitignore` or of the settings.

    Raises:
        ValueError: one of the lines is no pattern; the message names it.
    """
    # 35 ms that a run without patterns does not pay
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - for the reason above

    lines = list(lines)
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except (ValueError, re.error) as error:
            raise ValueError(line) from error
    return Patterns(base, GitIgnoreSpec.from_lines(lines))


def is_source(name: str) -> bool:
    """Whether a file of this name, or path, holds Python."""
    return name.endswith(_SUFFIXES)


def walk(folder: str, root: str) -> Iterator[str]:
    """Find the Python files and notebooks below `folder`.

    Virtual environments, caches, build output, `node_modules`, hidden folders and what `.gitignore` files between
    `root` and the file ignore are left out, links to folders are not followed. `folder` itself is always entered.

    Args:
        folder: absolute.
        root: the project's folder, absolute.

    Yields:
        Paths below `folder`, in no order. A folder that may not be listed is given too, with a slash at its end ("" for
        `folder` itself).
    """
    waiting = [("", _outer(folder, root))]
    while waiting:
        below, ignores = waiting.pop()
        here = os.path.join(folder, below)
        try:
            with os.scandir(here) as listing:
                entries = list(listing)
        except OSError:
            yield os.path.join(below, "")
            continue
        names = frozenset(entry.name for entry in entries)
        if below and _is_left_out(os.path.basename(below), names):
            continue
        if ".gitignore" in names:
            ignores += _gitignore(here)
        for entry in entries:
            path = os.path.join(below, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and not _ignored(os.path.join(entry.path, ""), ignores):
                    waiting.append((path, ignores))
            elif is_source(entry.name) and not _ignored(entry.path, ignores):
                yield path


def _is_left_out(name: str, content: frozenset[str]) -> bool:
    """Whether a folder holds nothing that its user wrote; a folder `build` that is a package does."""
    return name in _NEVER or "pyvenv.cfg" in content or (name in _BUILD_OUTPUT and "__init__.py" not in content)


def _outer(folder: str, root: str) -> tuple[Patterns, ...]:
    """The patterns of the folders from `root` down to the parent of `folder`, unless they ignore `folder` itself."""
    if not folder.startswith(os.path.join(root, "")):
        return ()
    ignores: tuple[Patterns, ...] = ()
    here = root
    for name in os.path.relpath(folder, root).split(os.sep):
        ignores += _gitignore(here)
        here = os.path.join(here, name)
        if _ignored(os.path.join(here, ""), ignores):
            return ()
    return ignores


def _gitignore(folder: str) -> tuple[Patterns, ...]:
    """The patterns of a folder's own `.gitignore`; like git, without the lines that are no patterns."""
    file = os.path.join(folder, ".gitignore")
    if not os.path.isfile(file):
        return ()
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return ()
    try:
        return (patterns(lines, folder),)
    except ValueError:
        return (patterns([line for line in lines if _is_pattern(line)], folder),)


def _is_pattern(line: str) -> bool:
    try:
        patterns([line], "")
    except ValueError:
        return False
    return True


def _ignored(path: str, ignores: tuple[Patterns, ...]) -> bool:
    """Whether the nearest patterns that speak of `path` ignore it."""
    for each in reversed(ignores):
        verdict = each.verdict(path)
        if verdict is not None:
            return verdict
    return False
