"""Poetry's version constraints as version specifier sets.

The format: https://python-poetry.org/docs/dependency-specification/#version-constraints. Pipenv's are a part of it.
"""

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

_CLAUSE = re.compile(r"\s*(?P<operator>\^|~=|~|===|==|!=|<=|>=|<|>|=|)\s*(?P<version>[^\s,]+)\s*,?")


def specifier_sets(constraint: str) -> list[str]:
    """Return the specifier sets that a constraint such as `^1.2 || >=3,<4` allows, as alternatives; "" is any version.

    Raises:
        ValueError: it is no constraint. A clause that PEP 440 knows itself is handed on as it is.
    """
    return [_specifier_set(alternative) for alternative in re.split(r"\|\|?", constraint)]


def _specifier_set(text: str) -> str:
    clauses: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        clause = _CLAUSE.match(text, position)
        if clause is None:
            raise ValueError(text)
        clauses += _specifiers(clause["operator"], clause["version"])
        position = clause.end()
    return ",".join(clauses)


def _specifiers(operator: str, version: str) -> Iterator[str]:
    if version == "*":
        return
    if operator in {"^", "~"}:
        yield f">={version}"
        yield f"<{_caret(version) if operator == '^' else _tilde(version)}"
    else:
        yield f"{'==' if operator in {'', '='} else operator}{version}"


def _caret(version: str) -> str:
    """The first version that `^version` leaves out: the first part that is not 0 may not change."""
    release = _release(version)
    fixed = next((index for index, part in enumerate(release) if part), len(release) - 1)
    return _next(release, fixed)


def _tilde(version: str) -> str:
    """The first version that `~version` leaves out: major and minor may not change, or major if that is all."""
    release = _release(version)
    return _next(release, min(len(release), 2) - 1)


def _next(release: tuple[int, ...], index: int) -> str:
    return ".".join(str(part) for part in (*release[:index], release[index] + 1))


def _release(version: str) -> tuple[int, ...]:
    try:
        return Version(version).release
    except InvalidVersion as error:
        raise ValueError(version) from error
