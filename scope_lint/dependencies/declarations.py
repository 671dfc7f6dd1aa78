"""What one dependency file says of a distribution, and requirements as PEP 508 writes them."""

import re
from collections.abc import Collection, Iterator
from typing import Literal

from msgspec import Struct
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from scope_lint.dependencies.releases import normalised

When = Literal["locked", "always", "sometimes"]
"""Whether it is the version that is installed, holds for every installation, or for some (an extra, a group)."""


class Declaration(Struct, frozen=True):
    """A requirement: the normalised name, and the version specifier set, "" for any version."""

    name: str
    versions: str
    when: When


class Include(Struct, frozen=True):
    """Another requirements file, relative to the file that names it."""

    target: str
    when: When


class Fault(Struct, frozen=True):
    """What is not understood: the line, counted from 1, and what is wrong with it."""

    line: int
    message: str


Said = Declaration | Include | Fault

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_EXACT = re.compile(r"===?[^,*]+")
_LONGEST = 5_000  # characters of a requirement: more are none, and would only keep the parser busy
_SHOWN = 60  # characters of one in a message


def pep508(text: str, when: When, wanted: Collection[str], *, line: int = 1, pins: bool = False) -> Iterator[Said]:
    """Yield what a requirement such as `mem0ai[graph]>=1,<2; python_version > "3.9"` says of the names in `wanted`.

    A URL says nothing of the version. A marker makes of "always" a "sometimes". With `pins` an exact version is the
    installed one.
    """
    named = _NAME.match(text)
    if named is None or normalised(named[1]) not in wanted:
        return
    try:
        requirement = Requirement(text[:_LONGEST])
    except (InvalidRequirement, RecursionError):  # RecursionError: parentheses in a marker
        yield Fault(line, f"`{shortened(text)}` is no requirement (PEP 508)")
        return
    if requirement.marker is not None and when == "always":
        when = "sometimes"
    versions = str(requirement.specifier)
    exact = pins and requirement.url is None and _EXACT.fullmatch(versions) is not None
    yield Declaration(normalised(requirement.name), versions, "locked" if exact else when)


def declared(name: str, versions: str, when: When, *, line: int = 1) -> Said:
    """Return the declaration of a version specifier set, or the fault that it is none."""
    try:
        SpecifierSet(versions)
    except InvalidSpecifier:
        return Fault(line, f"`{shortened(versions)}` of {name} is no version specifier (PEP 440)")
    return Declaration(name, versions, when)


def shortened(text: str) -> str:
    """Return what a message shows of a text: one line of it, its beginning."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
