"""Stores as data: the presets that ship, one TOML file for each SDK, in the same schema as a user's stores."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from scope_lint.model import Store
from scope_lint.sdks.schema import StoreTable
from scope_lint.sdks.stores import build
from scope_lint.sdks.strict import convert

# Its names are the commonest and it knows no SDK: every other store is asked first.
_LAST = "generic"


@cache
def tables() -> Mapping[str, dict[str, Any]]:
    """Return the presets as tables by name, in the order in which they are asked; the values must not be changed."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml")]
    named = {file.name.removesuffix(".toml"): file for file in files}
    return {name: tomllib.loads(named[name].read_text("utf-8")) for name in sorted(named, key=_rank)}


@cache
def presets() -> tuple[Store, ...]:
    """Return the stores that ship, in the order in which they are asked."""
    return tuple(build(name, convert(table, StoreTable)) for name, table in tables().items())


def _rank(name: str) -> tuple[bool, str]:
    return name == _LAST, name
