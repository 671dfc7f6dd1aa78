"""What the sinks of a store do: a call that reads and writes in one counts as both."""

from collections.abc import Mapping

from scope_lint.model import Role, SinkUse, StoreUse

_LABELS: Mapping[str, tuple[Role, ...]] = {
    "write": ("write", "readwrite"),
    "read": ("read", "readwrite"),
    "delete": ("delete",),
    "bind": ("bind",),
}


def by_role(use: StoreUse) -> dict[str, tuple[SinkUse, ...]]:
    """Return the sinks of `use` under "write", "read", "delete" and "bind", in this order, for each maybe none."""
    return {label: tuple(sink for sink in use.sinks if sink.role in roles) for label, roles in _LABELS.items()}


def total(sinks: tuple[SinkUse, ...]) -> int:
    """Count the sites of `sinks`."""
    return sum(sink.sites for sink in sinks)
