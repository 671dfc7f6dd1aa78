"""dependencies: which releases of an SDK a project can have, from its dependency files, and what that makes of a store.

The files are those of pip, setuptools, uv, Poetry, PDM, Hatch and Pipenv, and the pip part of a conda environment.
They are read, never run, and only when a store with `versions` is on: `packaging` and the TOML parser take time to
import. What cannot be read says nothing of versions; where it names an SDK that is asked for, that is a `Problem`.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from scope_lint.dependencies.folders import project_folders
from scope_lint.dependencies.releases import Dependencies, Releases, normalised
from scope_lint.model import File, Store

__all__ = ["Dependencies", "Fitted", "Releases", "applicable", "distribution", "fit", "project_folders", "read"]


class Fitted(Struct, frozen=True):
    """Stores as they apply to a project, in their order, and the dependencies that made them so."""

    stores: tuple[Store, ...]
    dependencies: Dependencies


def fit(stores: Sequence[Store], files: Iterable[File], root: Path) -> Fitted:
    """Return `stores` without the sinks that the project of `files` cannot have.

    `root` is the project's folder. Nothing is read unless a store's sinks differ between versions.
    """
    wanted = {name for store in stores if _differs(store) and (name := distribution(store)) is not None}
    found = read(project_folders(files, root), wanted) if wanted else Dependencies({})
    fitted = (applicable(store, found.releases.get(distribution(store) or "")) for store in stores)
    return Fitted(tuple(fitted), found)


def read(folders: Sequence[Path], distributions: Collection[str]) -> Dependencies:
    """Read the dependency files that lie in `folders` for what they say of `distributions`.

    In one folder an exact version, of a lock or of a requirements file, counts more than ranges; of ranges, those
    that hold for every installation hold all at once, and those of extras, groups and markers count only where there
    are no others, as alternatives. What different folders say are alternatives, too. Requirements files that are
    included (`-r`, `-c`) are read if they lie in one of `folders` or below. A distribution of which nothing is said
    has no releases in the answer.

    Problems are `opaque`: they leave the exit status alone. Only those that can matter are among them: of files that
    name one of `distributions`, and of files too large to be looked into.
    """
    if not distributions:
        return Dependencies({})
    # packaging and tomllib, which a run without such stores does not pay
    from scope_lint.dependencies.reading import read_folders  # noqa: PLC0415 - for the reason above

    return read_folders(folders, frozenset(normalised(name) for name in distributions))


def applicable(store: Store, releases: Releases | None) -> Store:
    """Return `store` with the sinks that a project with one of `releases` can call; None: nothing is known.

    Possible releases are the exact ones, and of a range those of `store.checked` that lie in it; if a range holds none
    of them, nothing is known. Known, a sink with `versions` stays if one of the possible releases lies in them, and is
    held to its contracts (`refuses`, `ignores`, `keys`) if all do. Unknown, every sink stays and those with `versions`
    lose their contracts. What has no `versions`, the store's limits among it, holds for every release.
    """
    if not _differs(store):
        return store
    # packaging, which a run without such stores does not pay
    from scope_lint.dependencies.versions import restricted  # noqa: PLC0415 - for the reason above

    return restricted(store, () if releases is None else releases.specifiers)


def distribution(store: Store) -> str | None:
    """Return the normalised name (PEP 503) of the distribution that the versions of a store's sinks are those of.

    It is that of the first release that the store was checked in; None if there is none.
    """
    return normalised(store.checked[0].partition("==")[0]) if store.checked else None


def _differs(store: Store) -> bool:
    return any(sink.versions for sink in store.sinks)
