"""From a store's table to a Store: what the schema's types cannot say is checked here."""

import re
from collections.abc import Iterator

from scope_lint.model import Limits, ScopeSpec, Sink, Store
from scope_lint.sdks.schema import LimitsTable, Names, ScopeTable, ScopeValue, SinkTable, StoreTable
from scope_lint.sdks.strict import Fault, TablePath, nearest

_RELEASE = re.compile(
    r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?==[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?", re.ASCII
)
# What `packaging` takes, as far as a store needs it: it is not imported to read settings.
_CLAUSE = r"(?:(?:<=|>=|<|>|==|!=) ?[0-9]+(?:\.[0-9]+)*|(?:==|!=) ?[0-9]+(?:\.[0-9]+)*\.\*|~= ?[0-9]+(?:\.[0-9]+)+)"
_VERSIONS = re.compile(rf"{_CLAUSE}(?:, ?{_CLAUSE})*")
_EXAMPLE_SCOPE = 'write scope = "scope" for a keyword that holds a dict, or scope = ["user_id"] for flat keywords'


def build(name: str, table: StoreTable) -> Store:
    """Return the store that a table describes, its sinks in the table's order, without places.

    Raises:
        Fault: the table contradicts itself or says too little.
    """
    _check_sinks(table.sinks)
    _check_keys(table)
    _check_one_of(table.one_of)
    _check_names({"on": table.on, "receivers": table.receivers})
    _check_releases(table)
    for index, constructor in enumerate(table.constructors):
        _check_dotted(constructor, ("constructors", index), "myapp.tenancy.scope_of")
    default = None if table.scope is None else scopes(table.scope, ("scope",))
    return Store(
        name=name,
        sinks=tuple(_sink(sink, index, default) for index, sink in enumerate(table.sinks)),
        tenant_keys=table.tenant_keys,
        application_keys=table.application_keys,
        narrowing_keys=table.narrowing_keys,
        one_of=table.one_of,
        other_keys=table.other_keys,
        aliases=tuple(table.aliases.items()),
        match=table.match,
        non_strings=table.non_strings,
        constructors=table.constructors,
        shapes=tuple(table.shapes.items()),
        on=table.on or tuple(sorted({receiver.partition(".")[0] for receiver in table.receivers})),
        receivers=table.receivers,
        hints=table.hints,
        checked=table.checked,
        limits=_limits(table.limits),
    )


def scopes(value: ScopeValue, path: TablePath) -> tuple[ScopeSpec, ...]:
    """Return the alternatives that a `scope` says, in order; `path` is where it stands, for errors.

    Raises:
        Fault: no place, or one that contradicts itself.
    """
    if isinstance(value, str):
        _check_keyword(value, path)
        return (ScopeSpec(form="mapping", keyword=value),)
    if isinstance(value, ScopeTable):
        return (_spec(value, path),)
    if not value:
        raise Fault(path, f"an empty list says nowhere; {_EXAMPLE_SCOPE}")
    words = tuple(item for item in value if isinstance(item, str))
    tables = tuple(item for item in value if isinstance(item, ScopeTable))
    if words and tables:
        raise Fault(path, "strings and tables in one list; write flat keywords as { keys = [...] } among the tables")
    if words:
        return (ScopeSpec(form="flat", keys=_flat_keys(words, path)),)
    return tuple(_spec(item, (*path, index)) for index, item in enumerate(tables))


def _sink(table: SinkTable, index: int, default: tuple[ScopeSpec, ...] | None) -> Sink:
    path: TablePath = ("sinks", index)
    _check_dotted(table.call, (*path, "call"), "myapp.bank.Bank.ingest")
    own = default if table.scope is None else scopes(table.scope, (*path, "scope"))
    if own is None:
        raise Fault((*path, "scope"), f"neither this sink nor its store says where the scope stands; {_EXAMPLE_SCOPE}")
    _check_names({"receivers": table.receivers}, path)
    return Sink(
        call=table.call,
        role=table.role,
        scopes=own,
        match=table.match,
        mapping_only=table.mapping_only,
        receivers=table.receivers,
        proof=table.proof,
        beside=table.beside,
        demanded=table.demanded,
        versions=table.versions,
        refuses=table.refuses,
        ignores=table.ignores,
        keys=table.keys,
        default=table.default,
    )


def _limits(table: LimitsTable) -> Limits:
    for key, pattern in table.patterns.items():
        try:
            re.compile(pattern)
        except re.error as error:
            raise Fault(("limits", "patterns", key), f"no regular expression: {error}") from None
    return Limits(table.keys, tuple(table.patterns.items()), table.wildcards)


def _spec(table: ScopeTable, path: TablePath) -> ScopeSpec:
    form = table.form or ("flat" if table.keys else "mapping")
    if form == "flat":
        _check_flat(table, path)
        keys = _flat_keys(table.keys, (*path, "keys"))
        return ScopeSpec(form="flat", keys=keys, positions=tuple(table.positions.items()))
    if form == "carried" and not table.keys:
        raise Fault(path, 'form "carried" without keys; write keys = ["user_id"], the attributes of what is passed')
    if table.keys and form != "carried":
        raise Fault((*path, "keys"), f'only forms "flat" and "carried" take keys; remove these of "{form}"')
    if table.positions:
        raise Fault((*path, "positions"), f'only form "flat" takes positions, and this is "{form}"; write position')
    if table.keyword is None and table.position is None:
        raise Fault(path, 'says no place; write keyword = "scope", position = 0, or both')
    if table.keyword is not None:
        _check_keyword(table.keyword, (*path, "keyword"))
    if table.position is not None and table.position < 0:
        raise Fault((*path, "position"), "negative; positions count from 0, the receiver not counted")
    steps = () if table.path is None else tuple(table.path.split("."))
    if not all(steps):
        raise Fault((*path, "path"), 'expected keys joined by dots, as in "configurable" or "request.scope"')
    return ScopeSpec(
        form=form,
        keyword=table.keyword,
        position=table.position,
        path=steps,
        keys=table.keys,
        placeholders=table.placeholders,
    )


def _check_flat(table: ScopeTable, path: TablePath) -> None:
    if not table.keys:
        raise Fault(path, 'form "flat" without keys; write keys = ["user_id"]')
    for name, value in (("keyword", table.keyword), ("position", table.position), ("path", table.path)):
        if value is not None:
            raise Fault((*path, name), "flat keys are keywords of the call itself; leave this out")
    for key, position in table.positions.items():
        if key not in table.keys:
            raise Fault((*path, "positions", key), f"`{key}` is none of the keys; {nearest(key, table.keys)}")
        if position < 0:
            raise Fault((*path, "positions", key), "negative; positions count from 0, the receiver not counted")


def _flat_keys(keys: Names, path: TablePath) -> Names:
    for index, key in enumerate(keys):
        _check_keyword(key, (*path, index))
    return keys


def _check_sinks(sinks: tuple[SinkTable, ...]) -> None:
    seen: set[tuple[str, Names, str, str]] = set()
    for index, sink in enumerate(sinks):
        key = (sink.call, sink.receivers, sink.versions, sink.role if sink.receivers else "")
        if key in seen:
            raise Fault(("sinks", index, "call"), f'"{sink.call}" is a sink of this store already; remove one of them')
        seen.add(key)


def _check_keys(table: StoreTable) -> None:
    """A key plays one part: a tenant's, an application's, a narrowing or another."""
    part: dict[str, str] = {}
    for name, index, key in _declared(table):
        if key in part:
            raise Fault((name, index), f'"{key}" is declared in {part[key]} already; keep one of them')
        part[key] = name


def _declared(table: StoreTable) -> Iterator[tuple[str, int, str]]:
    lists = {
        "tenant-keys": table.tenant_keys,
        "application-keys": table.application_keys,
        "narrowing-keys": table.narrowing_keys,
        "other-keys": table.other_keys,
    }
    for name, keys in lists.items():
        for index, key in enumerate(keys):
            yield name, index, key


def _check_releases(table: StoreTable) -> None:
    """Versions are those of the distribution that the store was checked in."""
    for index, release in enumerate(table.checked):
        if not _RELEASE.fullmatch(release):
            raise Fault(("checked", index), f'"{release}" is not a release, such as "mem0ai==2.2.1"')
    for index, sink in enumerate(table.sinks):
        path = ("sinks", index, "versions")
        if sink.versions and not _VERSIONS.fullmatch(sink.versions):
            raise Fault(path, f'"{sink.versions}" is not a version specifier, such as ">=1,<2"')
        if sink.versions and not table.checked:
            raise Fault(
                path, 'of what? write checked = ["mem0ai==2.2.1"] in the store, the releases that were looked at'
            )


def _check_one_of(groups: tuple[Names, ...]) -> None:
    for index, group in enumerate(groups):
        if len(set(group)) < len(group) or len(group) <= 1:
            raise Fault(("one-of", index), 'expected two different keys or more, as in ["user_id", "graph_id"]')


def _check_dotted(name: str, path: TablePath, example: str) -> None:
    if not all(part.isidentifier() for part in name.split(".")):
        raise Fault(path, f'"{name}" is not a dotted name; write "{example.rpartition(".")[2]}" or "{example}"')


def _check_names(lists: dict[str, Names], path: TablePath = ()) -> None:
    for name, values in lists.items():
        for index, value in enumerate(values):
            _check_dotted(value, (*path, name, index), "mem0.Memory")


def _check_keyword(name: str, path: TablePath) -> None:
    if not name.isidentifier():
        raise Fault(path, f'"{name}" is not the name of a keyword argument, such as "scope" or "user_id"')
