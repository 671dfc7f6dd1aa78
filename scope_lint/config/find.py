"""Which settings file holds for a path."""

import os
from pathlib import Path

from scope_lint.config.document import PYPROJECT, has_section, parse, shown, unreadable

OWN_FILE = "scope-lint.toml"


def find_settings(start: Path) -> Path | None:
    """Return the settings file (absolute) of the nearest folder from `start` upwards, or None.

    A folder has settings by a scope-lint.toml, or else by a pyproject.toml with [tool.scope-lint]. For a file the
    search starts from its folder.

    Raises:
        SettingsError: on the way lies a pyproject.toml that is not TOML and mentions scope-lint, or that is unreadable.
    """
    folder = Path(os.path.realpath(start))  # Path.resolve raises on a circular link, which is no settings error
    if not _is_folder(folder):
        folder = folder.parent
    for each in (folder, *folder.parents):
        own, pyproject = each / OWN_FILE, each / PYPROJECT
        if _content(own) is not None:
            return own
        raw = _content(pyproject)
        # Most files do not mention scope-lint, and parsing them would be slow and none of our business.
        if raw is not None and b"scope-lint" in raw and has_section(parse(raw, shown(pyproject))[1]):
            return pyproject
    return None


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise unreadable(file, error) from None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # within a folder that we may not enter
        return False
