"""The stores of a run: the user's, and the presets that ship with what the user says of them."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scope_lint import sdks
from scope_lint.config.document import Document
from scope_lint.model import Store
from scope_lint.sdks.schema import StoreTable
from scope_lint.sdks.stores import build
from scope_lint.sdks.strict import Fault, closest, convert

_EXAMPLE_SINKS = 'name the calls that take the scope: sinks = [{ call = "ingest", role = "write" }]'


def read_stores(tables: Mapping[str, object], document: Document) -> tuple[Store, ...]:
    """Return the stores in the order in which they are asked: the user's in file order, then the presets.

    A table with a preset's name changes that preset; `enabled = false` leaves a store out.

    Raises:
        Fault: a table breaks the schema; its path starts at `stores`.
    """
    given = {name: _store(name, table, document) for name, table in tables.items()}
    own = [store for name, store in given.items() if name not in sdks.tables()]
    shipped = [given.get(store.name, store) if store.name in given else store for store in sdks.presets()]
    return tuple(store for store in (*own, *shipped) if store is not None)


def _store(name: str, raw: object, document: Document) -> Store | None:
    """Return the store that a user's table makes, with its places; None for one that is switched off."""
    try:
        table = convert(raw, StoreTable)
        count = len(table.sinks)
        store = build(name, _whole(name, raw, table))
    except Fault as fault:
        raise fault.below("stores", name) from None
    if not table.enabled:
        return None
    path = ("stores", name)
    sinks = [
        replace(sink, declared_at=document.value_place((*path, "sinks", index, "call"))) if index < count else sink
        for index, sink in enumerate(store.sinks)
    ]
    return replace(store, sinks=tuple(sinks), declared_at=document.key_place(path))


def _whole(name: str, raw: Any, table: StoreTable) -> StoreTable:  # noqa: ANN401 - a table as tomllib gives it
    """Return the table completed by the preset of that name, if there is one: the user's sinks stand first."""
    preset = sdks.tables().get(name)
    if "sinks" in raw and not table.sinks:
        raise Fault(("sinks",), f"an empty list; {_EXAMPLE_SINKS}")
    if preset is not None:
        calls = {sink.call for sink in table.sinks}
        rest = [sink for sink in preset["sinks"] if sink["call"] not in calls]
        return convert({**preset, **raw, "sinks": [*raw.get("sinks", ()), *rest]}, StoreTable)
    if not table.sinks:
        meant = closest(name, sdks.tables())
        hint = f"; if the preset is meant, its name is `{meant}`" if meant else ""
        raise Fault(("sinks",), f"missing; {_EXAMPLE_SINKS}{hint}")
    return table
