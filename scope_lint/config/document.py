"""A settings file as read: its tables, the places in it, and errors that name them."""

import os
import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import json

from scope_lint.config.toml_lines import TomlLines
from scope_lint.model import Place
from scope_lint.sdks.strict import Fault, TablePath

PYPROJECT = "pyproject.toml"
SECTION = ("tool", "scope-lint")

# How tomllib's messages end: "(at line 3, column 7)".
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class SettingsError(Exception):
    """Settings that cannot be used. Its text is one line, `FILE:LINE: key: what is wrong; the mend`."""


class Document:
    """The settings in one file: `data` is [tool.scope-lint] of a pyproject.toml, and any other file as a whole."""

    def __init__(self, name: str, text: str, data: dict[str, Any], section: TablePath) -> None:
        """Keep the name as shown to users, the text as decoded, and where in it the settings stand."""
        self.name = name
        self.data = data
        self._text = text
        self._section = section

    @cached_property
    def _lines(self) -> TomlLines:
        return TomlLines(self._text)

    def key_place(self, path: TablePath) -> Place:
        """Return where a key or table is written, or else what is around it."""
        return Place(self.name, self._lines.key((*self._section, *path)))

    def value_place(self, path: TablePath) -> Place:
        """Return where a scalar value is written, or else its key."""
        return Place(self.name, self._lines.value((*self._section, *path)))

    def error(self, fault: Fault) -> SettingsError:
        """Return a fault as an error that names file, line and dotted key."""
        line = self.key_place(fault.path).span.line
        key = dotted(fault.path or self._section)
        return SettingsError(one_line(f"{self.name}:{line}: {key}: {fault.message}"))


def read_document(file: Path) -> Document:
    """Read the settings of a file: [tool.scope-lint] of a pyproject.toml, the top level of any other.

    Raises:
        SettingsError: the file is missing, unreadable, not UTF-8 or not TOML, or a pyproject.toml without the section.
    """
    name = shown(file)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise unreadable(file, error) from None
    text, data = parse(raw, name)
    whole = Document(name, text, data, ())
    if file.name != PYPROJECT:
        if "tool" in data:
            raise whole.error(Fault(("tool",), "settings stand at the top level here, without [tool.scope-lint]"))
        return whole
    if not has_section(data):
        raise SettingsError(f"{name}: has no table [tool.scope-lint]; write one, or name a file that has settings")
    section = data["tool"]["scope-lint"]
    if not isinstance(section, dict):
        raise whole.error(Fault(SECTION, "expected a table; write [tool.scope-lint]"))
    return Document(name, text, section, SECTION)


def has_section(data: dict[str, Any]) -> bool:
    """Tell whether the tables of a pyproject.toml hold [tool.scope-lint]."""
    tool = data.get("tool")
    return isinstance(tool, dict) and "scope-lint" in tool


def parse(raw: bytes, name: str) -> tuple[str, dict[str, Any]]:
    """Return the text and the tables of a TOML file; a byte order mark is passed over.

    Raises:
        SettingsError: it is not UTF-8 or not TOML.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        byte = raw[error.start]
        raise SettingsError(f"{name}:{line}: not UTF-8 (byte 0x{byte:02x}); save the file as UTF-8") from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(_invalid(str(error), text, name)) from None
    except RecursionError:
        raise SettingsError(f"{name}: invalid TOML: nested too deeply; flatten the arrays or tables") from None
    except ValueError:  # of int(): more digits than Python reads
        raise SettingsError(f"{name}: invalid TOML: a number with too many digits; shorten it") from None


def _invalid(message: str, text: str, name: str) -> str:
    at = _AT.search(message)
    if at is None:  # "(at end of document)"
        return f"{name}:{text.rstrip().count(chr(10)) + 1}: invalid TOML: {message}"
    return f"{name}:{at[1]}: invalid TOML: {message[: at.start()]} (column {at[2]})"


def unreadable(file: Path, error: OSError) -> SettingsError:
    """Return the error for a file that the system does not let us read."""
    return SettingsError(
        f"{shown(file)}: cannot be read: {error.strerror or error}; check the path and its permissions"
    )


def shown(file: Path) -> str:
    """Return the path as users see it: relative to the working directory, with forward slashes."""
    try:
        return Path(os.path.relpath(file)).as_posix()
    except (ValueError, OSError):  # another drive; no working directory any more
        return file.as_posix()


def one_line(message: str) -> str:
    """Return a message with escapes for line ends and control characters: what a user wrote may hold any."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in message)


def dotted(path: TablePath) -> str:
    """Return a path as `stores.memory.sinks[0].role`, with quotes around keys that TOML would quote."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step if _BARE_KEY.fullmatch(step) else json.encode(step).decode()}"
    return text.removeprefix(".")
