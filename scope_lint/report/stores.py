"""Stores as text: which are on and why, their calls by what they do, and what was seen but not understood."""

from collections.abc import Iterator, Sequence

from click import style

from scope_lint.model import Inventory, Place, Reason, Report, SinkUse, StoreUse, UncountedClass, UnrecognisedSdk
from scope_lint.report.cells import pad, visible, width
from scope_lint.report.roles import by_role, total
from scope_lint.report.summary import plural
from scope_lint.report.text import location

_WIDTH = 80
_FILES = 3  # named before "and N more"
_CLASSES = 10
# Where a store has calls of these roles, none of the other is worth a line.
_ASKED = {"write": ("read", "delete"), "read": ("write", "delete"), "delete": ("write",)}
_LABEL = max(map(len, ("why", "write", "read", "delete", "bind")))


def render(report: Report, *, colour: bool) -> str:
    """Show the inventory of `report`: stores with calls or of the settings in full, the names of the others."""
    found = report.stores
    in_full = [use for use in found.stores if use.sites or use.left_out or use.reason.how == "settings"]
    digits = max((len(str(use.sites)) for use in in_full), default=1)
    lines = [line for use in in_full for line in _store(use, digits, colour=colour)]
    in_vain = {name for sdk in found.sdks for name in sdk.stores}
    rest = [use for use in found.stores if use not in in_full and use.name not in in_vain]
    if rest:
        lines.append(_title("on, but without a call", colour=colour))
    for use in rest:
        lines += _wrapped(f"  {visible(use.name)}:", _reason(use.reason), 4)
    lines += _not_understood(found, colour=colour)
    return "".join(f"{line}\n" for line in lines)


def _title(text: str, *, colour: bool) -> str:
    return style(text, bold=True) if colour else text


def _wrapped(head: str, words: Sequence[str], indent: int) -> list[str]:
    """Return the lines of `head` and `words`, none of which is broken; the lines after the first are indented."""
    lines = [head]
    for word in words:
        if width(lines[-1]) >= indent and width(lines[-1]) + 1 + width(word) > _WIDTH:
            lines.append(" " * (indent - 1))
        lines[-1] += f" {word}"
    return lines


def _listed(items: Sequence[str]) -> list[str]:
    """Return `items` with a comma after each but the last."""
    return [*(f"{item}," for item in items[:-1]), *items[-1:]]


# ---------------------------------------------------------------------------------------------------------------------
# Stores


def _store(use: StoreUse, digits: int, *, colour: bool) -> Iterator[str]:
    yield f"{_title(visible(use.name), colour=colour)}: {_counts(use, colour=colour)}"
    yield from _labelled("why", _reason(use.reason), colour=colour)
    roles = by_role(use)
    for label, sinks in roles.items():
        if sinks or any(total(roles[other]) for other in _ASKED.get(label, ())):
            names = [f"{visible(sink.call)} {sink.sites}" for sink in sorted(sinks, key=_most_first)]
            yield from _labelled(label, _listed(names), f"{total(sinks):>{digits}}", colour=colour)


def _counts(use: StoreUse, *, colour: bool) -> str:
    parts = [plural(use.sites, "call") if use.sites else "no calls"]
    if use.opaque:
        opaque = f"{use.opaque} opaque"
        parts.append(style(opaque, fg="yellow") if colour else opaque)
    if use.test:
        parts.append(f"{use.test} in test code")
    more = f"; {use.left_out} {'more ' if use.sites else ''}in test code: --tests" if use.left_out else ""
    return ", ".join(parts) + more


def _most_first(sink: SinkUse) -> tuple[int, str]:
    return -sink.sites, sink.call


def _labelled(label: str, words: Sequence[str], count: str = "", *, colour: bool) -> list[str]:
    head = f"  {pad(label, _LABEL)}" + f"  {count}" * bool(count)
    first, *rest = _wrapped(head + " ", words, width(head) + 2)
    return [(first.replace(label, style(label, fg="cyan"), 1) if colour else first).rstrip(), *rest]


def _reason(reason: Reason) -> list[str]:
    name = visible(reason.name or "")
    path = visible(reason.path or "")
    match reason.how:
        case "settings":
            return ["declared", "at", _line(reason.place)]
        case "import":
            return [path, "imports", name]
        case "mention":
            return [path, "mentions", name]
        case "calls":
            return [*f"{name} is written and read under an identity, first at".split(), _line(reason.place)]
        case "always":
            return ["calls", "that", "pass", "scope="]


def _line(place: Place | None) -> str:
    return visible(f"{place.where}:{place.line}") if place else ""


# ---------------------------------------------------------------------------------------------------------------------
# What was not understood


def _not_understood(found: Inventory, *, colour: bool) -> Iterator[str]:
    if found.sdks:
        yield _title("imported, but no memory call was recognised", colour=colour)
    for sdk in found.sdks:
        yield from _sdk(sdk)
    if found.classes:
        yield _title("like stores, but not counted", colour=colour)
    for cls in found.classes[:_CLASSES]:
        yield from _class(cls)
    if len(found.classes) > _CLASSES:
        yield f"  and {len(found.classes) - _CLASSES} more: --format json"
    if found.sdks or found.classes:
        yield from _hint(found.classes)


def _sdk(sdk: UnrecognisedSdk) -> list[str]:
    words = _listed([visible(file) for file in sdk.files[:_FILES]])
    if len(sdk.files) > _FILES:
        words += f"and {len(sdk.files) - _FILES} more".split()
    return _wrapped(f"  {visible(', '.join(sdk.modules))}:", words, 4)


def _class(cls: UncountedClass) -> list[str]:
    methods = {"write": cls.writes, "read": cls.reads, "delete": cls.deletes}
    parts = [f"{label} {', '.join(names)}" for label, names in methods.items() if names]
    return [f"  {location(cls.place)}", *_wrapped(f"    {visible(cls.name)}:", visible("; ".join(parts)).split(" "), 6)]


def _hint(classes: Sequence[UncountedClass]) -> list[str]:
    call = visible(f"{classes[0].name}.{classes[0].writes[0]}") if classes else "Client.add"
    return _wrapped("declare what is missing in the settings:", [f'sinks = [{{ call = "{call}", … }}]'], 2)
