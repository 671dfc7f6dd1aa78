"""Dependencies in TOML: pyproject.toml, in the tables of each tool that has its own, and Pipfile."""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from scope_lint.dependencies.declarations import Fault, Said, When, declared, pep508, shortened
from scope_lint.dependencies.poetry import specifier_sets
from scope_lint.dependencies.releases import normalised

# Of a table such as `{ version = "^1.0", optional = true }`: what makes it one of some installations only.
_CONDITIONS = ("markers", "optional", "platform", "python")
_TOOL_LISTS: tuple[tuple[tuple[str, ...], When], ...] = (
    (("uv", "dev-dependencies"), "sometimes"),
    (("uv", "constraint-dependencies"), "always"),
    (("uv", "override-dependencies"), "always"),
)


def pyproject(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield what a pyproject.toml says of the names in `wanted`.

    Raises:
        ValueError: the text is no TOML.
    """
    data = tomllib.loads(text)
    project, tool = _table(data, "project"), _table(data, "tool")
    yield from _list(project.get("dependencies"), "always", wanted)
    for group in _table(project, "optional-dependencies").values():
        yield from _list(group, "sometimes", wanted)
    # Every group is read, so that what one includes of another is read as well.
    for group in _table(data, "dependency-groups").values():
        yield from _list(group, "sometimes", wanted)
    for path, when in _TOOL_LISTS:
        yield from _list(_table(tool, *path[:-1]).get(path[-1]), when, wanted)
    for group in _table(tool, "pdm", "dev-dependencies").values():
        yield from _list(group, "sometimes", wanted)
    for environment in _table(tool, "hatch", "envs").values():
        for key in ("dependencies", "extra-dependencies") if isinstance(environment, dict) else ():
            yield from _list(environment.get(key), "sometimes", wanted)
    yield from _poetry(_table(tool, "poetry"), wanted)


def pipfile(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield what a Pipfile says of the names in `wanted`: its packages, and those of its other categories.

    Raises:
        ValueError: the text is no TOML.
    """
    for category, packages in tomllib.loads(text).items():
        if category not in {"source", "requires", "scripts", "pipenv"}:
            yield from _constraints(packages, "always" if category == "packages" else "sometimes", wanted)


def _poetry(poetry: Mapping[str, Any], wanted: Collection[str]) -> Iterator[Said]:
    yield from _constraints(poetry.get("dependencies"), "always", wanted)
    yield from _constraints(poetry.get("dev-dependencies"), "sometimes", wanted)
    for group in _table(poetry, "group").values():
        if isinstance(group, dict):
            yield from _constraints(group.get("dependencies"), "sometimes", wanted)


def _constraints(table: object, when: When, wanted: Collection[str]) -> Iterator[Said]:
    """What a table of names and constraints says: `mem0ai = "^1.0"`, `{ version = "^1.0" }` or a list of such."""
    for name, value in table.items() if isinstance(table, dict) else ():
        if normalised(name) not in wanted:
            continue
        several = isinstance(value, list)
        for each in value if isinstance(value, list) else [value]:
            yield from _constraint(normalised(name), each, "sometimes" if several else when)


def _constraint(name: str, value: object, when: When) -> Iterator[Said]:
    if isinstance(value, dict):
        if when == "always" and any(value.get(key) for key in _CONDITIONS):
            when = "sometimes"
        value = value.get("version", "*")  # without one it is a path or a repository
    if not isinstance(value, str):
        yield Fault(1, f"the version of {name} is no string")
        return
    try:
        alternatives = specifier_sets(value)
    except ValueError:
        yield Fault(1, f"`{shortened(value)}` of {name} is no version constraint")
        return
    for each in alternatives:
        yield declared(name, each, when if len(alternatives) == 1 else "sometimes")


def _list(value: object, when: When, wanted: Collection[str]) -> Iterator[Said]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            yield from pep508(item, when, wanted)


def _table(data: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The table at `path`; empty if there is none, or something else."""
    for key in path:
        inner = data.get(key)
        data = inner if isinstance(inner, dict) else {}
    return data
