"""Where the nodes of a parsed chunk stand in the file."""

from bisect import bisect_right
from collections.abc import Mapping

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider

from scope_lint.model import Span


class _Ranges(PositionProvider):
    """libcst's own positions, without the visit of the whole tree that `MetadataWrapper` adds: half the time."""

    def of(self, module: cst.Module) -> Mapping[cst.CSTNode, CodeRange]:
        """Return the range of every node: lines from 1, columns from 0 in code points, without parentheses around."""
        self._gen_impl(module)
        return {node: item for node, item in self._computed.items() if isinstance(item, CodeRange)}


class Positions:
    """Translates ranges in a chunk's source to spans of the file."""

    def __init__(self, module: cst.Module, lines: tuple[tuple[int, int], ...]) -> None:
        """Take `module`'s ranges; `lines` is the table of `model.Chunk`."""
        self._ranges = _Ranges().of(module)
        self._starts = [first for first, _ in lines]
        self._lines = lines

    def line(self, line: int) -> int:
        """Return the line of the file where the line `line` of the chunk's source stands."""
        start, target = self._lines[max(bisect_right(self._starts, line) - 1, 0)]
        return max(target + line - start, 1)

    def span(self, node: cst.CSTNode) -> Span:
        """Return the span of `node`."""
        return self.between(node, node)

    def between(self, first: cst.CSTNode, last: cst.CSTNode) -> Span:
        """Return the span from the start of `first` to the end of `last`."""
        start, end = self._ranges[first].start, self._ranges[last].end
        return Span(self.line(start.line), start.column + 1, self.line(end.line), end.column + 1)
