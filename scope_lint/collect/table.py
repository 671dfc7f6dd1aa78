"""The table of values of one chunk, in which equal values are stored once."""

from scope_lint.facts import Value
from scope_lint.model import Span


class Table:
    """Values by index; adding an equal value again gives the same index."""

    def __init__(self) -> None:
        self._values: list[Value] = []
        self._index: dict[Value, int] = {}

    def add(self, value: Value) -> int:
        """Return the index of `value`, adding it if it is new."""
        index = self._index.get(value)
        if index is None:
            index = self._index[value] = len(self._values)
            self._values.append(value)
        return index

    def __getitem__(self, index: int) -> Value:
        return self._values[index]

    def span(self, index: int) -> Span:
        """Return where the value at `index` is written."""
        return self._values[index].span

    def values(self) -> tuple[Value, ...]:
        """Return the whole table."""
        return tuple(self._values)
