"""Which projects the given paths belong to: what votes together, and what of it is reported."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from scope_lint.config import Overrides, Settings, find_settings, load_settings, override
from scope_lint.discover import DiscoverError, discover
from scope_lint.model import File


class Project(Struct, frozen=True):
    """One corpus.

    `files` are all that vote, `reported` the names of those that the paths chose; `whole` says that the paths are
    folders that hold everything, so that what is found nowhere is missing indeed.
    """

    settings: Settings
    files: tuple[File, ...]
    reported: frozenset[str]
    whole: bool


def find_projects(
    paths: Sequence[Path], config: Path | None, overrides: Overrides, rules: Collection[str]
) -> list[Project]:
    """Return the projects of `paths`.

    For each path the project is the nearest folder upwards with settings; paths without any are one corpus by
    themselves, and so are all paths where `config` names the settings. `rules` are the names of all rules.

    Raises:
        SettingsError: the settings, or the overrides, are wrong.
        DiscoverError: a path does not exist.
    """
    groups: dict[Path | None, list[Path]] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise DiscoverError(f"{path}: no such file or folder")
        groups.setdefault(None if config is not None else find_settings(path), []).append(path)
    return [_project(file, config, targets, overrides, rules) for file, targets in groups.items()]


def _project(
    file: Path | None, config: Path | None, targets: Sequence[Path], overrides: Overrides, rules: Collection[str]
) -> Project:
    root = _common_folder(targets) if file is None else file.parent
    settings = override(load_settings(config or file, root, rules), overrides, rules)

    def found(corpus: Sequence[Path]) -> tuple[File, ...]:
        return discover(corpus, root=root, exclude=settings.exclude, tracked=overrides.tracked)

    reported = found(targets)
    files = reported if file is None else found([root, *targets])
    whole = all(path.is_dir() for path in targets) and len(reported) == len(files)
    return Project(settings, files, frozenset(each.name for each in reported), whole)


def _common_folder(paths: Sequence[Path]) -> Path:
    """Return the folder that holds everything; test code is told by what lies below it."""
    absolute = [Path.cwd() / path for path in paths]
    folders = [path if path.is_dir() else path.parent for path in absolute]
    return Path(os.path.normpath(os.path.commonpath(folders)))
