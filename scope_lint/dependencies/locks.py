"""Lock files: uv.lock, poetry.lock, pdm.lock, pylock.toml and Pipfile.lock."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import json

from scope_lint.dependencies.declarations import Fault, Said, declared
from scope_lint.dependencies.releases import normalised

_PACKAGE = re.compile(r"^\[\[packages?\]\][ \t]*$", re.MULTILINE)
_OTHER_TABLE = re.compile(r"^\[(?!\[?packages?\.)", re.MULTILINE)
_NAME = re.compile(r"""^name[ \t]*=[ \t]*["']([^"'\n]+)["']""", re.MULTILINE)
# Sources that are a folder: the version there is what the folder says today, often none.
_LOCAL = ("directory", "editable", "path", "virtual")


def toml_lock(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield the locked versions of the names in `wanted`; several of one name where the lock forks.

    Only the packages that are asked for are parsed, each by itself: a lock can have megabytes, and a conflict of a
    merge in it is nobody's business but theirs.
    """
    starts = [found.end() for found in _PACKAGE.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        other = _OTHER_TABLE.search(text, start, end)
        package = text[start : other.start() if other else end]
        name = _NAME.search(package)
        if name is not None and normalised(name[1]) in wanted:
            yield from _package(package, normalised(name[1]), text.count("\n", 0, start) + 1)


def pipfile_lock(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield the locked versions of the names in `wanted`.

    Raises:
        ValueError: the text is no JSON.
    """
    data = json.decode(text)
    for category, packages in data.items() if isinstance(data, dict) else ():
        for name, entry in packages.items() if category != "_meta" and isinstance(packages, dict) else ():
            version = entry.get("version") if isinstance(entry, dict) else None
            if normalised(name) in wanted and isinstance(version, str):
                yield declared(normalised(name), version, "locked")


def _package(package: str, name: str, line: int) -> Iterator[Said]:
    try:
        table = tomllib.loads(package)
    except (ValueError, RecursionError):
        yield Fault(line, f"what is locked of {name} is no TOML")
        return
    version = table.get("version")
    if isinstance(version, str) and not _is_local(table):
        yield declared(name, f"=={version}", "locked", line=line)


def _is_local(table: Mapping[str, Any]) -> bool:
    """Whether a package is a folder: `source = { editable = "." }` of uv, `[package.source]` of Poetry, and so on."""
    own = [table, table.get("package"), table.get("packages")]
    sources = [each.get("source") for each in own if isinstance(each, dict)]
    tables = [each for each in (*own, *sources) if isinstance(each, dict)]
    return any(each.get("type") in _LOCAL or not each.keys().isdisjoint(_LOCAL) for each in tables)
