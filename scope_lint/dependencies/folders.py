"""Where the dependency files of a project lie."""

import os
from collections.abc import Iterable
from pathlib import Path

from scope_lint.model import File


def project_folders(files: Iterable[File], root: Path) -> tuple[Path, ...]:
    """Return the folders, absolute and sorted, whose dependency files can speak for `files`.

    These are the folders between each file and `root`, and those from `root` upwards to the one that is a git
    repository, if it lies in one.
    """
    top = _absolute(root)
    found = {top, *_outside(top)}
    for folder in {_absolute(file.location.parent) for file in files}:
        each = folder
        while each not in found and top in each.parents:
            found.add(each)
            each = each.parent
    return tuple(sorted(found))


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute leaves `..` in


def _outside(top: Path) -> tuple[Path, ...]:
    """The folders above `top` up to its git repository; none if there is no repository, or if `top` is one."""
    above = (top, *top.parents)
    number = next((number for number, folder in enumerate(above) if os.path.lexists(folder / ".git")), 0)
    return above[1 : number + 1]
