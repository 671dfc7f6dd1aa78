"""Releases of SDKs, and the wheels that pip downloads for them."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

# A wheel for another Python or system is as good to read: none of its code is run.
_ELSEWHERE = (
    "--python-version",
    "3.13",
    *(word for tag in ("manylinux_2_39_x86_64", "manylinux_2_28_x86_64", "any") for word in ("--platform", tag)),
)


class ReleaseError(Exception):
    """A release that cannot be read: what it is, and what is wrong with it."""


class Release(Struct, frozen=True, order=True):
    """One release of one distribution, `mem0ai==2.2.1`. The name is normalised."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


def parse(text: str) -> Release:
    """Return the release that `checked` of a preset names.

    Raises:
        ReleaseError: it is not written as `name==version`.
    """
    try:
        requirement = Requirement(text)
        (pinned,) = requirement.specifier
        version = Version(pinned.version)
    except (InvalidRequirement, InvalidVersion, ValueError):
        raise ReleaseError(f'"{text}" names no release; write "mem0ai==2.2.1"') from None
    if pinned.operator != "==":
        raise ReleaseError(f'"{text}" names several releases; write "{requirement.name}=={version}"')
    return Release(canonicalize_name(requirement.name), str(version))


def wheel(release: Release, cache: Path) -> Path:
    """Return the wheel of a release, downloaded into the folder `cache` unless it is there.

    Raises:
        ReleaseError: pip found no wheel.
    """
    found = _cached(release, cache)
    if found is not None:
        return found
    cache.mkdir(parents=True, exist_ok=True)
    said = ""
    for target in ((), _ELSEWHERE):
        said = _download(release, cache, target)
        found = _cached(release, cache)
        if found is not None:
            return found
    raise ReleaseError(f"no wheel of {release}: {said}")


def _download(release: Release, cache: Path, target: Sequence[str]) -> str:
    """Let pip download a release for the Python that `target` names, and return the last line of what it says."""
    options = ("--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--quiet", *target)
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(cache), str(release)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    return (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]


def _cached(release: Release, cache: Path) -> Path | None:
    """Return the wheel in `cache`; file names of wheels write `-` in names as `_`."""
    for path in sorted(cache.glob("*.whl")):
        name, version, *_ = path.name.split("-")
        if canonicalize_name(name) == release.name and _same(version, release.version):
            return path
    return None


def _same(version: str, wanted: str) -> bool:
    try:
        return Version(version) == Version(wanted)
    except InvalidVersion:
        return False
