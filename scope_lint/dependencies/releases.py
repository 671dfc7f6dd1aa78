"""What dependency files come to: the releases of distributions."""

import re
from collections.abc import Mapping

from msgspec import Struct

from scope_lint.model import Problem


class Releases(Struct, frozen=True):
    """Which releases of one distribution are possible: those in any of `specifiers`.

    `specifiers` are version specifier sets (PEP 440), sorted, "" for any release; there is at least one. `files` are
    the dependency files that say so, sorted, relative to the working directory, with forward slashes.
    """

    specifiers: tuple[str, ...]
    files: tuple[str, ...]


class Dependencies(Struct, frozen=True):
    """What dependency files say: releases by normalised name (PEP 503), and what of them was not understood."""

    releases: Mapping[str, Releases]
    problems: tuple[Problem, ...] = ()


def normalised(name: str) -> str:
    """Return the name of a distribution as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()
