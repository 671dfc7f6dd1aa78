"""The one schema of stores: what a store's table may hold, in the presets that ship and in a user's settings.

Keys are written in kebab-case. What a key may be beyond its type is checked where the table becomes a Store.
"""

from msgspec import Struct, field

from scope_lint.model import Form, Match, NonStrings, Role

Names = tuple[str, ...]


class ScopeTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Where a scope stands: `{ keyword = "config", position = 1, path = "configurable" }`; `path` is dotted."""

    keyword: str | None = None
    position: int | None = None
    path: str | None = None
    form: Form | None = None
    keys: Names = ()


ScopeValue = str | ScopeTable | tuple[str | ScopeTable, ...]
"""A keyword that holds a mapping, a table, a list of flat keywords, or a list of tables that are alternatives."""


class SinkTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A call that takes a scope. `keys` are those that it takes where methods of one store differ."""

    call: str
    role: Role
    scope: ScopeValue | None = None
    match: Match | None = None
    mapping_only: bool = False
    keys: Names = ()


class StoreTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A store. From `on` on, the keys say when a preset is in force and what its SDK does; they are only validated.

    on         imports that switch the preset on
    receivers  classes whose methods the sinks are
    default    the scope that an omitted one means
    refuses    keywords that the calls refuse or ignore
    limits     the most that the SDK takes, such as keys in a scope
    """

    scope: ScopeValue | None = None
    tenant_keys: Names = ()
    application_keys: Names = ()
    narrowing_keys: Names = ()
    one_of: tuple[Names, ...] = ()
    other_keys: Names = ()
    aliases: dict[str, str] = field(default_factory=dict)
    match: Match = "exact"
    non_strings: NonStrings = "kept"
    constructors: Names = ()
    shapes: dict[str, str] = field(default_factory=dict)
    sinks: tuple[SinkTable, ...] = ()
    enabled: bool = True
    on: Names = ()
    receivers: Names = ()
    default: str | Names | dict[str, str] | None = None
    refuses: Names = ()
    limits: dict[str, int] = field(default_factory=dict)
