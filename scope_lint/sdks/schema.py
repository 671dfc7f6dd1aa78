"""The one schema of stores: what a store's table may hold, in the presets that ship and in a user's settings.

Keys are written in kebab-case. What a key may be beyond its type is checked where the table becomes a Store.
"""

from msgspec import Struct, field

from scope_lint.model import Form, Match, NonStrings, Placeholders, Proof, Role

Names = tuple[str, ...]


class ScopeTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Where a scope stands: `{ keyword = "config", position = 1, path = "configurable" }`.

    `path` is dotted, and `*` in it stands for every item of a list: `"*.payload"`. See `model.ScopeSpec` for the forms.
    """

    keyword: str | None = None
    position: int | None = None
    path: str | None = None
    form: Form | None = None
    keys: Names = ()
    positions: dict[str, int] = field(default_factory=dict)
    placeholders: Placeholders | None = None


ScopeValue = str | ScopeTable | tuple[str | ScopeTable, ...]
"""A keyword that holds a mapping, a table, a list of flat keywords, or a list of tables that are alternatives."""


class SinkTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A call that takes a scope; see `model.Sink` for what the keys mean."""

    call: str
    role: Role
    scope: ScopeValue | None = None
    match: Match | None = None
    mapping_only: bool = False
    receivers: Names = ()
    proof: Proof = "keywords"
    beside: Names = ()
    demanded: bool = False
    versions: str = ""
    refuses: Names = ()
    ignores: Names = ()
    keys: Names = ()
    default: str | None = None


class LimitsTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What an SDK accepts in a scope; see `model.Limits`."""

    keys: int | None = None
    patterns: dict[str, str] = field(default_factory=dict)
    wildcards: Names = ()


class StoreTable(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A store; see `model.Store` for what the keys mean. `enabled = false` switches one that ships off.

    Without `on`, the packages of the receivers are what is imported.
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
    hints: Names = ()
    checked: Names = ()
    limits: LimitsTable = LimitsTable()
