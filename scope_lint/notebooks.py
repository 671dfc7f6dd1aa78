"""Places in notebooks: from the lines of the joined text to cells."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import is_
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from scope_lint.model import Cell, Place

_T = TypeVar("_T")


def in_cells(value: _T, notebooks: Mapping[str, Sequence[Cell]]) -> _T:
    """Say of every place in `value`, a struct or a tuple of them, in which cell it is.

    `notebooks` are the code cells of each notebook by its path, in order; what lies in no notebook stays as it is.
    """
    return cast("_T", _in_cells(value, notebooks)) if notebooks else value


def _in_cells(value: object, notebooks: Mapping[str, Sequence[Cell]]) -> object:
    if isinstance(value, Place):
        cells = notebooks.get(value.path)
        return replace(value, cell=cells[bisect_right(cells, value.span.line, key=_first) - 1]) if cells else value
    if isinstance(value, tuple):
        items = [_in_cells(each, notebooks) for each in value]
        return value if all(map(is_, items, value)) else tuple(items)
    if isinstance(value, Struct):
        old = {name: getattr(value, name) for name in value.__struct_fields__}
        new = {name: found for name, each in old.items() if (found := _in_cells(each, notebooks)) is not each}
        return replace(value, **new) if new else value
    return value


def _first(cell: Cell) -> int:
    return cell.first
