"""Findings, sites and stores as JSON, in the form that other programs may rely on (version 1)."""

import msgspec

from scope_lint.model import Finding, Key, Place, Report, Site, StoreUse, Support, UncountedClass, UnrecognisedSdk
from scope_lint.report.roles import by_role, total
from scope_lint.report.shapes import shape_of

VERSION = 1

_Json = None | bool | int | float | str | list["_Json"] | dict[str, "_Json"]


def render_findings(report: Report) -> str:
    """Encode the findings of `report` and its counts, in the report's order."""
    findings: list[_Json] = [_finding(finding) for finding in report.findings]
    return _encode({"version": VERSION, "findings": findings, "stats": msgspec.to_builtins(report.stats)})


def render_sites(report: Report) -> str:
    """Encode every site of `report`, in the report's order."""
    sites: list[_Json] = [_site(site) for site in report.sites]
    return _encode({"version": VERSION, "sites": sites})


def render_stores(report: Report) -> str:
    """Encode the inventory of `report`, in its order."""
    found = report.stores
    return _encode(
        {
            "version": VERSION,
            "stores": [_store(use) for use in found.stores],
            "unrecognised": [_sdk(sdk) for sdk in found.sdks],
            "uncounted": [_class(cls) for cls in found.classes],
        }
    )


def _finding(finding: Finding) -> _Json:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        **_start(finding.place),
        "end_line": finding.place.end_line,
        "end_column": finding.place.span.end_column,
        "store": finding.store,
        "key": finding.key,
        "message": finding.message,
        "effect": finding.effect,
        "support": _support(finding.support),
        "fingerprint": finding.fingerprint,
        "related": [{**_start(related.place), "message": related.message} for related in finding.related],
        "fix": None,
    }


def _support(support: Support | None) -> _Json:
    return {"for": support.votes, "of": support.of, "lower": support.lower} if support else None


def _site(site: Site) -> _Json:
    return {
        **_start(site.place),
        "sink": site.sink,
        "store": site.store,
        "role": site.role,
        "complete": site.complete,
        "test": site.test,
        "built_at": _line(site.built_at) if site.built_at else None,
        "constructor": site.builders[-1] if site.builders else None,
        "keys": {key.name: _key(key) for key in site.keys},
        "via": [_line(hop.place) for hop in site.via],
        "opaque": site.opaque,
    }


def _key(key: Key) -> _Json:
    writings = key.writings
    types = {writing.type for writing in writings}
    constants = dict.fromkeys(writing.constant for writing in writings if writing.constant is not None)
    return {
        "shape": shape_of(key),
        "spelling": writings[0].spelling if writings else "unknown",
        "type": types.pop() if len(types) == 1 else None,
        "constants": list(constants),
        "exhaustive": key.exhaustive and bool(constants) and all(writing.constant is not None for writing in writings),
        "maybe": key.maybe,
        "nullable": any(writing.nullable for writing in writings),
        **_line(writings[0].place if writings else key.place),
    }


def _store(use: StoreUse) -> _Json:
    reason = use.reason
    at: dict[str, _Json] = {"path": reason.path, "line": None}
    return {
        "name": use.name,
        "why": {"how": reason.how, "name": reason.name, **(_line(reason.place) if reason.place else at)},
        "sites": use.sites,
        "opaque": use.opaque,
        "test": use.test,
        "left_out": use.left_out,
        "roles": {label: total(sinks) for label, sinks in by_role(use).items()},
        "sinks": [{"call": sink.call, "role": sink.role, "sites": sink.sites} for sink in use.sinks],
    }


def _sdk(sdk: UnrecognisedSdk) -> _Json:
    return {"modules": list(sdk.modules), "stores": list(sdk.stores), "files": list(sdk.files)}


def _class(cls: UncountedClass) -> _Json:
    return {
        **_start(cls.place),
        "class": cls.name,
        "write": list(cls.writes),
        "read": list(cls.reads),
        "delete": list(cls.deletes),
    }


def _start(place: Place) -> dict[str, _Json]:
    return {**_line(place), "column": place.span.column}


def _line(place: Place) -> dict[str, _Json]:
    cell: dict[str, _Json] = {"cell": place.cell.number} if place.cell.number else {}
    return {"path": place.path, **cell, "line": place.line}


def _encode(document: _Json) -> str:
    """Encode with two spaces of indentation and a last line end."""
    try:
        encoded = msgspec.json.encode(document)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_without_surrogates(document))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def _without_surrogates(document: _Json) -> _Json:
    r"""Spell lone surrogates out: `\udcff` in text is no Unicode, and many readers of JSON refuse even its escape."""
    match document:
        case str():
            return document.encode(errors="backslashreplace").decode()
        case list():
            return [_without_surrogates(item) for item in document]
        case dict():
            return {str(_without_surrogates(name)): _without_surrogates(item) for name, item in document.items()}
        case _:
            return document
