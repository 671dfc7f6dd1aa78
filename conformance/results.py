"""Results: the lines that the command prints, and the table that is kept."""

import datetime as dt
from collections.abc import Iterator, Sequence

from conformance.check import Fault, Outcome


def lines(outcome: Outcome) -> Iterator[str]:
    """Yield what checking a preset came to: a line for each release, then for what is wrong, then for remarks."""
    for row in outcome.rows:
        hidden = f", {row.hidden} not in source" if row.hidden else ""
        yield f"{row.preset}: {row.release}: {row.found} found, {row.gone} gone, {row.differ} differ{hidden}"
    for faults in _together(outcome.faults):
        where = f"{faults[0].release}: " if faults[0].release else ""
        remark = "remark: " if faults[0].remark else ""
        yield f"    {where}{remark}{_subjects(faults)}: {faults[0].text}"


def _together(faults: Sequence[Fault]) -> list[list[Fault]]:
    """Return the faults with those of the same text together, remarks last."""
    groups: dict[tuple[bool, str, str], list[Fault]] = {}
    for fault in faults:
        groups.setdefault((fault.remark, fault.release, fault.text), []).append(fault)
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


def _subjects(faults: Sequence[Fault]) -> str:
    return ", ".join(dict.fromkeys(f"`{fault.subject}`" for fault in faults))


def table(outcomes: Sequence[Outcome], date: dt.date) -> str:
    """Return the page that is kept: a table of releases, and what is wrong, if anything is."""
    rows = [
        f"| {row.preset} | {row.release} | {row.found} | {row.gone} | {row.differ} | {row.hidden} | {date} |"
        for outcome in outcomes
        for row in outcome.rows
    ]
    wrong = [
        f"- {outcome.preset}: {fault.release or 'all releases'}: `{fault.subject}`: {fault.text}"
        for outcome in outcomes
        for fault in outcome.faults
        if not fault.remark
    ]
    head = (
        "# Conformance",
        "",
        "What `python -m conformance --write` found last: the calls of the presets, looked for in the source of the",
        "releases that they name. Not in source are calls that are made from data, forwarded, or inherited from a",
        "package that was not read.",
        "",
        "| preset | release | sinks found | gone | parameters differ | not in source | date |",
        "| --- | --- | --: | --: | --: | --: | --- |",
    )
    tail = ("", "## What is wrong", "", *wrong) if wrong else ()
    return "\n".join((*head, *rows, *tail)) + "\n"
