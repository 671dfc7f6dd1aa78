"""Settings: [tool.scope-lint] in a pyproject.toml, or a scope-lint.toml, read strictly.

What is unknown, of the wrong type or contradictory is a SettingsError that names file, line, key and mend.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from scope_lint import sdks
from scope_lint.config.document import Document, SettingsError, one_line, read_document
from scope_lint.config.find import find_settings
from scope_lint.config.stores import read_stores
from scope_lint.model import Severity, Store
from scope_lint.sdks.schema import Names
from scope_lint.sdks.strict import Fault, convert, listing, nearest

__all__ = ["Overrides", "Settings", "SettingsError", "find_settings", "load_settings", "override"]


class Settings(Struct, frozen=True):
    """What a run goes by.

    file      the settings file, absolute; None without one
    root      the folder, absolute, that `exclude` (gitignore patterns) is relative to
    stores    in the order in which they are asked: the user's, then those that ship
    select    the rules to run; None for those that are on by default
    ignore    rules that are left out
    severity  the rules whose severity is changed
    fail_on   the least severity that makes a run fail
    tests     whether test code votes and is judged
    """

    file: Path | None
    root: Path
    stores: tuple[Store, ...]
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    fail_on: Severity = "warning"
    tests: bool = False


class Overrides(Struct, frozen=True):
    """What the command line says over the settings; `tracked` (only files that git tracks) is known to it alone."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tests: bool | None = None
    tracked: bool = False


class _Table(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The schema of the settings; `severity` and `stores` are read entry by entry, so that errors can name theirs."""

    exclude: Names = ()
    select: Names | None = None
    ignore: Names = ()
    severity: dict[str, Any] = field(default_factory=dict)
    fail_on: Severity = "warning"
    tests: bool = False
    stores: dict[str, Any] = field(default_factory=dict)


def load_settings(file: Path | None, root: Path, rules: Collection[str]) -> Settings:
    """Return the settings in `file`, or without a file the defaults; `rules` are the names of all rules.

    Raises:
        SettingsError: the file cannot be read, or says what is not understood.
    """
    if file is None:
        return Settings(file=None, root=root.absolute(), stores=sdks.presets())
    document = read_document(file)
    try:
        return _settings(document, file, root, rules)
    except Fault as fault:
        raise document.error(fault) from None


def override(settings: Settings, overrides: Overrides, rules: Collection[str]) -> Settings:
    """Return the settings with what the command line says: `select` and `tests` replace, the others are added.

    A rule that the command line selects runs although the settings ignore it.

    Raises:
        SettingsError: an unknown rule or a bad pattern; the message begins with the option (`--select: …`).
    """
    try:
        _check_rules(overrides.select or (), ("--select",), rules)
        _check_rules(overrides.ignore, ("--ignore",), rules)
        _check_patterns(overrides.exclude, ("--exclude",))
    except Fault as fault:
        raise SettingsError(one_line(f"{fault.path[0]}: {fault.message}")) from None
    selected = overrides.select or ()
    return replace(
        settings,
        select=settings.select if overrides.select is None else overrides.select,
        ignore=(*(rule for rule in settings.ignore if rule not in selected), *overrides.ignore),
        exclude=(*settings.exclude, *overrides.exclude),
        tests=settings.tests if overrides.tests is None else overrides.tests,
    )


def _settings(document: Document, file: Path, root: Path, rules: Collection[str]) -> Settings:
    table = convert(document.data, _Table)
    _check_rules(table.select or (), ("select",), rules)
    _check_rules(table.ignore, ("ignore",), rules)
    _check_patterns(table.exclude, ("exclude",))
    for rule, severity in table.severity.items():
        _check_severity(rule, severity, rules)
    return Settings(
        file=file.absolute(),
        root=root.absolute(),
        stores=read_stores(table.stores, document),
        exclude=table.exclude,
        select=table.select,
        ignore=table.ignore,
        severity=tuple(table.severity.items()),
        fail_on=table.fail_on,
        tests=table.tests,
    )


def _check_rules(names: Sequence[str], path: tuple[str], rules: Collection[str]) -> None:
    for index, name in enumerate(names):
        if name not in rules:
            raise Fault((*path, index), f"unknown rule `{name}`; {nearest(name, rules)}")


def _check_severity(rule: str, severity: object, rules: Collection[str]) -> None:
    if rule not in rules:
        raise Fault(("severity", rule), f"unknown rule; {nearest(rule, rules)}")
    valid = get_args(Severity)
    if severity not in valid:
        words = listing([f'"{word}"' for word in valid])
        raise Fault(("severity", rule), f"expected {words}")


def _check_patterns(patterns: Sequence[str], path: tuple[str]) -> None:
    if not patterns:
        return
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - takes time to import, and only exclusions need it

    for index, pattern in enumerate(patterns):
        try:
            GitIgnoreSpec.from_lines([pattern])
        except ValueError:
            raise Fault((*path, index), f'"{pattern}" is not a gitignore pattern, such as "build/" or "*.py"') from None
