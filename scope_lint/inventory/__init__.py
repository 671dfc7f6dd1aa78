"""inventory: which stores are on and why, what was found of them, and what was seen but not understood."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from scope_lint.activation import Active
from scope_lint.corpus import Corpus
from scope_lint.inventory import classes
from scope_lint.link import Linked
from scope_lint.model import Inventory, Reason, Role, SinkUse, Site, Store, StoreUse, UnrecognisedSdk
from scope_lint.projects import Project

_BY_ROLE: tuple[Role, ...] = ("write", "readwrite", "read", "delete", "bind")
_BY_REASON = ("settings", "import", "mention", "calls", "always")


def take(project: Project, corpus: Corpus, active: Sequence[Active], linked: Linked) -> Inventory:
    """Return what there is in the reported files of one project; they are looked through for classes once more.

    An SDK of which a call was recognised anywhere in the project is understood.
    """
    return Inventory(
        stores=tuple(sorted(_uses(project, active, linked), key=_in_order)),
        sdks=tuple(_unrecognised(project, active, {site.store for site in linked.sites})),
        classes=corpus.in_cells(classes.find(project, corpus, active, linked)),
    )


def merged(inventories: Sequence[Inventory]) -> Inventory:
    """Return the inventories of several projects as one; what the settings of each declare is a store of its own."""
    stores: dict[tuple[str, object], StoreUse] = {}
    for use in (use for each in inventories for use in each.stores):
        key = use.name, use.reason.place if use.reason.how == "settings" else None
        stores[key] = _sum(stores[key], use) if key in stores else use
    sdks: dict[tuple[str, ...], UnrecognisedSdk] = {}
    for sdk in (sdk for each in inventories for sdk in each.sdks):
        known = sdks.get(sdk.stores, sdk)
        modules, files = {*known.modules, *sdk.modules}, {*known.files, *sdk.files}
        sdks[sdk.stores] = UnrecognisedSdk(tuple(sorted(modules)), sdk.stores, tuple(sorted(files)))
    found = (cls for each in inventories for cls in each.classes)
    return Inventory(
        stores=tuple(sorted(stores.values(), key=_in_order)),
        sdks=tuple(sorted(sdks.values())),
        classes=tuple(sorted(found, key=classes.in_order)),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Stores


def _in_order(use: StoreUse) -> tuple[int, str, tuple[str, int, str]]:
    return _BY_REASON.index(use.reason.how), use.name, _where(use.reason)


def _where(reason: Reason) -> tuple[str, int, str]:
    place = reason.place
    return place.path if place else reason.path or "", place.span.line if place else 0, reason.name or ""


def _uses(project: Project, active: Sequence[Active], linked: Linked) -> Iterator[StoreUse]:
    by_store: dict[str, list[Site]] = {}
    for site in linked.sites:
        if site.place.path in project.reported:
            by_store.setdefault(site.store, []).append(site)
    for each in active:
        yield _use(each.store, _reason(project, each), by_store.get(each.store.name, ()), tests=project.settings.tests)
    for store in linked.home_made:
        if sites := by_store.get(store.name):
            receiver = store.sinks[0].call.rpartition(".")[0]
            first = min(sites, key=lambda site: (site.test, site.place))
            yield _use(store, Reason("calls", receiver, place=first.place), sites, tests=project.settings.tests)


def _reason(project: Project, active: Active) -> Reason:
    """Say why a store is on, naming a file that is reported and no test code where there is one."""
    if active.store.declared_at is not None:
        return Reason("settings", place=active.store.declared_at)
    imports = [Reason("import", name, file) for name, files in active.imports for file in sorted(files)]
    mentions = [Reason("mention", name, file) for name, files in active.mentions for file in sorted(files)]
    tests = {file.name for file in project.files if file.test}

    def rank(reason: Reason) -> tuple[bool, bool]:
        return reason.path not in project.reported, reason.path in tests

    return min(imports or mentions, key=rank, default=Reason("always"))


def _use(store: Store, reason: Reason, sites: Collection[Site], *, tests: bool) -> StoreUse:
    counted = [site for site in sites if tests or not site.test]
    calls = Counter((site.sink, site.role) for site in counted)
    declared = {(sink.call, sink.role) for sink in store.sinks if sink.declared_at is not None}
    sinks = [SinkUse(*key, calls[key], declared=key in declared) for key in {*calls, *declared}]
    return StoreUse(
        name=store.name,
        reason=reason,
        sinks=_sorted(sinks),
        sites=len(counted),
        opaque=sum(site.opaque is not None for site in counted),
        test=sum(site.test for site in counted),
        left_out=len(sites) - len(counted),
    )


def _sorted(sinks: Collection[SinkUse]) -> tuple[SinkUse, ...]:
    return tuple(sorted(sinks, key=lambda sink: (_BY_ROLE.index(sink.role), sink.call)))


def _sum(one: StoreUse, other: StoreUse) -> StoreUse:
    """Return two uses of one store as one; it is on for the reason that comes first."""
    sinks: dict[tuple[str, Role], SinkUse] = {}
    for sink in (*one.sinks, *other.sinks):
        known = sinks.get((sink.call, sink.role))
        sinks[sink.call, sink.role] = replace(sink, sites=sink.sites + known.sites) if known else sink
    return StoreUse(
        name=one.name,
        reason=min(one.reason, other.reason, key=lambda reason: (_BY_REASON.index(reason.how), _where(reason))),
        sinks=_sorted(sinks.values()),
        sites=one.sites + other.sites,
        opaque=one.opaque + other.opaque,
        test=one.test + other.test,
        left_out=one.left_out + other.left_out,
    )


# ---------------------------------------------------------------------------------------------------------------------
# SDKs


def _unrecognised(project: Project, active: Sequence[Active], seen: AbstractSet[str]) -> Iterator[UnrecognisedSdk]:
    """Yield the modules that are imported in vain, those that switch on the same stores together."""
    stores: dict[str, list[str]] = {}
    importing: dict[str, frozenset[str]] = {}
    for each in active:
        for module, files in each.imports:
            stores.setdefault(module, []).append(each.store.name)
            importing[module] = files
    shown = {file.name for file in project.files if project.settings.tests or not file.test} & project.reported
    groups: dict[tuple[str, ...], list[str]] = {}
    for module in sorted(stores):
        if seen.isdisjoint(stores[module]) and importing[module] & shown:
            groups.setdefault(tuple(sorted(stores[module])), []).append(module)
    for names, modules in sorted(groups.items(), key=lambda item: item[1]):
        files = frozenset().union(*(importing[module] for module in modules)) & shown
        yield UnrecognisedSdk(tuple(modules), names, tuple(sorted(files)))
