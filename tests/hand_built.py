"""Sites and stores built by hand, for tests of the judging stages."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from scope_lint.beliefs import learn
from scope_lint.model import (
    Evidence,
    Finding,
    Key,
    NonStrings,
    Place,
    Role,
    ScopeSpec,
    Sink,
    Site,
    Span,
    Spelling,
    Store,
    Writing,
)
from scope_lint.rules import judge

SETTINGS = Place("pyproject.toml", Span(3, 1, 3, 30))
MAPPING = (ScopeSpec("mapping", keyword="scope"),)
STORE = Store("memory", (Sink("ingest", "write", MAPPING), Sink("retrieve", "read", MAPPING)))


def place(path: str, line: int, column: int = 1, width: int = 4) -> Place:
    return Place(path, Span(line, column, line, column + width))


def writing(shape: str = "as is", type_: str | None = None, text: str = "uid", *, made: bool = False) -> Writing:
    """A value of a key; `const:…` in the shape makes it a constant with the text as written."""
    constant = text.strip('"') if shape.startswith("const:") else None
    spelling: Spelling = "constant" if constant is not None else "name"
    return Writing(shape, spelling, text, type_, constant, made=made, nullable=False, place=place("", 0))


def site(
    where: str,
    role: Role = "write",
    keys: Mapping[str, Writing | str | None] | None = None,
    *,
    sink: str | None = None,
    function: str | None = None,
    **more: Writing | str | None,
) -> Site:
    """A site at `path:line`; a key's value is a writing, a shape, or None for a str as is.

    Its name ends in `__maybe` if it can be absent.
    """
    path, _, number = where.partition(":")
    line = int(number)
    named = {**(keys or {}), **more}
    entries = tuple(_key(path, line, column, name, value) for column, (name, value) in enumerate(named.items(), 2))
    call = sink or {"write": "ingest", "read": "retrieve"}.get(role, "forget")
    return Site(
        place=place(path, line, 1, 90),
        scope_place=place(path, line, 11, 79),
        store=STORE.name,
        sink=call,
        call=f"bank.{call}",
        role=role,
        function=f"f{line}" if function is None else function,
        keys=entries,
        complete=True,
        test=False,
    )


def _key(path: str, line: int, column: int, name: str, value: Writing | str | None) -> Key:
    found = writing("as is", "str", name) if value is None else writing(value) if isinstance(value, str) else value
    spot = place(path, line, 10 * column, 8)
    return Key(name.removesuffix("__maybe"), (replace(found, place=spot),), name.endswith("__maybe"), spot)


def namespace(where: str, *parts: Writing | str, role: Role = "write") -> Site:
    """A site whose scope is a tuple."""
    return site(where, role, {f"#{number}": part for number, part in enumerate(parts)})


def evidence(sites: Sequence[Site], store: Store = STORE) -> Evidence:
    return Evidence(tuple(sites), (store,), learn(sites, (store,)))


def judged(sites: Sequence[Site], store: Store = STORE) -> list[Finding]:
    return list(judge(evidence(sites, store)))


def spoken(sites: Sequence[Site], store: Store = STORE) -> list[tuple[str, str, str | None]]:
    """What is found, as (rule, path:line, key)."""
    return [(one.rule, f"{one.place.path}:{one.place.span.line}", one.key) for one in judged(sites, store)]


def declared(*, non_strings: NonStrings = "kept", tenant: Sequence[str] = ("user_id",), **fields: object) -> Store:
    """A store of the user's settings with declared keys."""
    base = replace(STORE, non_strings=non_strings, tenant_keys=tuple(tenant), declared_at=SETTINGS)
    return replace(base, **fields)
