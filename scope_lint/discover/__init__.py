"""discover: from the paths of the command line to the files that are read.

In a git work tree the files are git's own answer; elsewhere, and where git is missing or refuses, they come from a walk
that respects `.gitignore` files. What the user names is always taken, ignored or not; only `exclude` leaves it out.
"""

# For each of many thousand files, `Path` costs several times what the functions of `os` do.
# ruff: noqa: PTH100, PTH112, PTH114, PTH116, PTH118, PTH119

import os
import re
import stat
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scope_lint.discover.walk import Patterns, is_source, patterns, walk
from scope_lint.model import File

_CHECKPOINTS = re.compile(r"(?:^|/)\.ipynb_checkpoints/")
_TEST_FOLDERS = frozenset({"test", "tests"})

# What git sets for its hooks: with these, `git -C folder` would not look for the work tree of the folder.
_GIT_PLACES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX"})


class DiscoverError(Exception):
    """A path or a pattern that cannot be used; the message names it."""


class _Tree(NamedTuple):
    """A folder, absolute, and the paths of files below it."""

    folder: str
    files: Iterable[str]


def discover(
    paths: Sequence[Path], *, root: Path, exclude: Sequence[str] = (), tracked: bool = False
) -> tuple[File, ...]:
    r"""Find the Python files and notebooks at and below `paths`.

    Args:
        paths: files and folders, relative to the working directory or absolute.
        root: the project's folder, absolute: `exclude` and what is test code are judged relative to it.
        exclude: gitignore patterns. They apply to everything, to a file that is named in `paths` as well, since tools
            such as pre-commit name files that no user chose.
        tracked: leave out what git does not track (without effect outside of a git work tree).

    Returns:
        The files sorted by name, each once, however many paths and links lead to it: the first name wins. Names are
        relative to the working directory, with forward slashes; a byte in them that is no text reads `\xe9`. A link
        that leads nowhere is among them, and a folder that may not be listed (its name ends with a slash), so that
        reading them says what is wrong.

    Raises:
        DiscoverError: a path does not exist, or a pattern is not one.
    """
    top = os.path.abspath(root)
    excluded = _excluded(exclude, top)
    found: list[tuple[File, str]] = []
    for path in paths:
        tree = _tree(os.path.abspath(path), str(path), top, tracked=tracked)
        found.extend(_files(tree, top, excluded))
    first: dict[str, File] = {}
    for file, identity in sorted(found):
        first.setdefault(identity, file)
    return tuple(first.values())


def _excluded(exclude: Sequence[str], root: str) -> Patterns | None:
    if not exclude:
        return None
    try:
        return patterns(exclude, root)
    except ValueError as error:
        raise DiscoverError(f"exclude: {str(error)!r} is no gitignore pattern") from error


def _tree(path: str, name: str, root: str, *, tracked: bool) -> _Tree:
    """What one path of the user's stands for: `path` absolute, `name` as written."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise DiscoverError(f"{name}: no such file or folder") from None
    except OSError as error:
        raise DiscoverError(f"{name}: {error.strerror}") from error
    if not os.path.isdir(path):
        folder, file = os.path.split(path)
        return _Tree(folder, (file,))
    files = _git_files(path, tracked=tracked)
    return _Tree(path, walk(path, root) if files is None else files)


def _files(tree: _Tree, root: str, excluded: Patterns | None) -> Iterator[tuple[File, str]]:
    """The files of a tree that exist and are not excluded, each with its identity."""
    name_of = _naming(tree.folder)
    start, real_start = os.path.join(tree.folder, ""), os.path.join(os.path.realpath(tree.folder), "")
    top, real_top = os.path.join(root, ""), os.path.join(os.path.realpath(root), "")
    for below in tree.files:
        path, real = start + below, real_start + below
        identity = _identity(path, real)
        if identity is None:
            continue
        inside = _inside(path, top) or _inside(real, real_top)
        if excluded and inside and excluded.verdict(top + inside):
            continue
        yield File(_printable(name_of(below)), Path(path), test=_is_test(inside or below)), identity


def _inside(path: str, top: str) -> str | None:
    """A path relative to a folder, which ends with a slash; None if it lies elsewhere."""
    return path.removeprefix(top) if path.startswith(top) else None


def _naming(folder: str) -> Callable[[str], str]:
    """What makes a path below a folder relative to the working directory."""
    try:
        prefix = os.path.relpath(folder)
    except ValueError:  # another drive of Windows
        prefix = folder
    if prefix == os.curdir:
        return lambda below: below or os.path.join(os.curdir, "")
    if os.path.basename(prefix) == os.pardir:  # the way down from there can be the way up again
        return lambda below: _relative(os.path.join(folder, below))
    return (prefix + os.sep).__add__


def _relative(path: str) -> str:
    return os.path.join(os.path.relpath(path), "") if path.endswith(os.sep) else os.path.relpath(path)


def _identity(path: str, real: str) -> str | None:
    """What two names of one file share; None for a file that is gone and for (a link to) a folder."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            mode, real = os.stat(path).st_mode, os.path.realpath(path)
    except (FileNotFoundError, NotADirectoryError):
        return real if os.path.islink(path) else None
    except OSError:  # a link to itself, a folder that may not be searched: reading it says so
        return real
    return None if stat.S_ISDIR(mode) and not path.endswith(os.sep) else real


def _printable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def _is_test(path: str) -> bool:
    """Whether a file is test code, by its path below the project's root."""
    *folders, name = path.replace(os.sep, "/").split("/")
    return (
        not _TEST_FOLDERS.isdisjoint(folders)
        or name == "conftest.py"
        or (name.startswith("test_") and name.endswith(".py"))
        or name.endswith("_test.py")
    )


def _git_files(folder: str, *, tracked: bool) -> list[str] | None:
    """The Python files and notebooks below a folder of a git work tree; None if git does not answer for them.

    git answers for a folder that it ignores with nothing; the user who names it means its files. Virtual environments
    and Jupyter's checkpoints are left out, though git may not know what they are; submodules are by git itself.
    """
    answer = _git(folder, "ls-files", "-z", "--cached", *(() if tracked else ("--others", "--exclude-standard")))
    if answer is None or (not answer and not tracked and _git(folder, "check-ignore", "-q", ".") is not None):
        return None
    names = os.fsdecode(answer).split("\0")
    environments = tuple(name.removesuffix("pyvenv.cfg") for name in names if name.endswith("/pyvenv.cfg"))
    return [
        name
        for name in names
        if is_source(name) and not name.startswith(environments) and not _CHECKPOINTS.search(name)
    ]


def _git(folder: str, *arguments: str) -> bytes | None:
    """What git prints; None if it is not there, refuses, or `folder` is in no work tree.

    `core.fsmonitor` can name a program to run, and settings of the code that is read run nothing here.
    """
    work_tree = _work_tree(folder)
    if work_tree is None:
        return None
    # The hook's index has what is to be committed; it is that of the work tree in which the hook runs.
    left_out = _GIT_PLACES if work_tree == _work_tree(os.curdir) else _GIT_PLACES | {"GIT_INDEX_FILE"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command, and `folder` is an absolute path
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def _work_tree(folder: str) -> Path | None:
    """The nearest folder upwards that has a `.git`."""
    here = Path(os.path.realpath(folder))
    return next((each for each in (here, *here.parents) if os.path.lexists(each / ".git")), None)
