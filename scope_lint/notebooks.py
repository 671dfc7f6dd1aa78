"""The code cells of a notebook in the text that is made of them, and places in cells."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import is_
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from scope_lint.model import Cell, Place

_T = TypeVar("_T")


def extents(cells: Sequence[Cell], lines: int) -> Iterator[tuple[int, int]]:
    """Yield the first line of each cell in a notebook's text of so many lines, and the last one before the next."""
    for position, cell in enumerate(cells, start=1):
        yield cell.first, cells[position].first - 1 if position < len(cells) else lines


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
