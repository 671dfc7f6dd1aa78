"""Sites as text: side by side, a line each, grouped by store."""

from click import style

from scope_lint.model import Key, Report, Site
from scope_lint.report.cells import pad, visible, width
from scope_lint.report.shapes import shape_of
from scope_lint.report.text import location

# A column is as wide as its longest entry, but no wider than this: one long path must not push the scopes of all the
# others out of sight.
_WIDEST = (60, 9, 32)


def render(report: Report, *, colour: bool) -> str:
    """List the sites of `report` under the name of their store, stores by name, sites in the report's order."""
    by_store: dict[str, list[Site]] = {}
    for site in report.sites:
        by_store.setdefault(site.store, []).append(site)
    widths = _widths(report.sites)
    lines = []
    for store, sites in sorted(by_store.items()):
        title = f"{visible(store)}: {len(sites)} {'site' if len(sites) == 1 else 'sites'}"
        lines.append(style(title, bold=True) if colour else title)
        lines.extend(_row(site, widths, colour=colour) for site in sites)
    return "".join(f"{line}\n" for line in lines)


def _cells(site: Site) -> tuple[str, str, str]:
    return location(site.place), site.role, visible(site.call)


def _widths(sites: tuple[Site, ...]) -> list[int]:
    columns = zip(*map(_cells, sites), strict=True)
    return [
        max((width(cell) for cell in column if width(cell) <= widest), default=0)
        for column, widest in zip(columns, _WIDEST, strict=False)
    ]


def _row(site: Site, widths: list[int], *, colour: bool) -> str:
    columns = "  ".join(pad(cell, cells) for cell, cells in zip(_cells(site), widths, strict=True))
    scope = _scope(site)
    if colour and site.opaque:
        scope = style(scope, fg="yellow")
    return f"  {columns}  {scope}{'  (test)' if site.test else ''}"


def _scope(site: Site) -> str:
    if site.opaque:
        return f"opaque: {visible(site.opaque)}"
    if site.left_out:
        return "no scope"
    keys = [_key(key) for key in site.keys]
    if not site.complete:
        keys.append("…")
    return "{" + ", ".join(keys) + "}"


def _key(key: Key) -> str:
    """Show a key and its shape; a question mark says that the key can be absent."""
    return visible(f"{key.name}{'?' if key.maybe else ''}: {shape_of(key)}")
