"""The dependency files of a folder: which they are, who reads them, and their text."""

import re
import stat
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from scope_lint.dependencies import locks, pip_files, setup_files, tables
from scope_lint.dependencies.declarations import Said, When

Reader = Callable[[str, Collection[str]], Iterator[Said]]
"""Takes the text of a file and the normalised names that are asked for; raises ValueError for what it cannot read."""

_NAMED: dict[str, Reader] = {
    "Pipfile": tables.pipfile,
    "Pipfile.lock": locks.pipfile_lock,
    "pdm.lock": locks.toml_lock,
    "poetry.lock": locks.toml_lock,
    "pyproject.toml": tables.pyproject,
    "setup.cfg": setup_files.setup_cfg,
    "setup.py": setup_files.setup_py,
    "uv.lock": locks.toml_lock,
}
_ENVIRONMENTS = ("environment.yaml", "environment.yml")
_ALWAYS = re.compile(r"requirements\.txt|constraints.*\.txt")
_SOMETIMES = re.compile(r".*requirements.*\.txt")
_PYLOCK = re.compile(r"pylock(\.[^.]+)?\.toml")
_LOCK = re.compile(r".*\.lock|pylock.*\.toml")
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# A lock of a large application has some megabytes; what people write has some kilobytes.
_MOST_LOCKED, _MOST_WRITTEN = 32 << 20, 1 << 20


class DependencyFile(Struct, frozen=True):
    """A file, who reads it, whether it holds for every installation, and whether it can include others."""

    path: Path
    reader: Reader
    always: bool = True
    includes: bool = False


class UnreadableError(Exception):
    """A file that cannot be read. The text says why; `data` is what was read of it."""

    def __init__(self, message: str, data: bytes | None = None) -> None:
        super().__init__(message)
        self.data = data


def of_folder(folder: Path) -> Iterator[DependencyFile]:
    """Yield the dependency files in a folder and its `requirements/`, sorted by name."""
    for path in _entries(folder):
        name = path.name
        if name in _NAMED:
            yield DependencyFile(path, _NAMED[name])
        elif _PYLOCK.fullmatch(name):
            yield DependencyFile(path, locks.toml_lock)
        elif name in _ENVIRONMENTS:
            yield DependencyFile(path, partial(pip_files.conda_environment, when="always"), includes=True)
        elif _ALWAYS.fullmatch(name) or _SOMETIMES.fullmatch(name):
            yield requirements_file(path, "always" if _ALWAYS.fullmatch(name) else "sometimes")
        elif name == "requirements":
            yield from (requirements_file(each, "sometimes") for each in _entries(path) if each.suffix == ".txt")


def requirements_file(path: Path, when: When) -> DependencyFile:
    """Return a requirements or constraints file that holds for every installation, or for some."""
    return DependencyFile(path, partial(pip_files.requirements, when=when), when == "always", includes=True)


def text_of(path: Path) -> str | None:
    """Return the text of a file; None if it is no regular file.

    Raises:
        UnreadableError: it may not be read, is too large, or is no text.
    """
    most = _MOST_LOCKED if _LOCK.fullmatch(path.name) else _MOST_WRITTEN
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device could keep us waiting for ever
            return None
        with path.open("rb", buffering=0) as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise UnreadableError(f"cannot be read ({error.strerror})") from error
    if len(data) > most:
        raise UnreadableError(f"is larger than {most >> 20} MiB, and was not read")
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is no {encoding.upper()}; save it as UTF-8", data) from error


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # no folder, or none that we may enter: reading its Python files says so
        return []
