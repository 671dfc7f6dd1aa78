"""What a run amounts to: findings by effect, what was seen and what was not understood."""

from collections import Counter

from scope_lint.model import Effect, Report, Stats
from scope_lint.report.cells import visible
from scope_lint.report.text import location

_WORST_FIRST: tuple[Effect | None, ...] = ("merges", "splits", "refused", None)


def summarise(report: Report) -> str:
    """Sum `report` up in one or two lines, without a last line end."""
    lines = (_findings(report), _ignored(report.stats), coverage(report))
    return "\n".join(line for line in lines if line)


def coverage(report: Report) -> str:
    """Say in one line how much was seen, and how much of it was not understood."""
    stats = report.stats
    if not stats.files:
        return "no Python files: nothing was checked"
    parts = [_calls(stats)]
    if stats.test_sites:
        parts.append(f"{stats.test_sites} {'more ' if stats.sites else ''}in test code: --tests")
    if refused := sum(problem.opaque for problem in report.problems):
        parts.append(f"{plural(refused, 'part')} of the source not understood")
    return "; ".join(parts)


def limits(report: Report) -> str:
    """List what was left out because the parser refuses it, a line each, without a last line end."""
    return "\n".join(
        f"{location(problem.place)}: note: {visible(problem.message)}" for problem in report.problems if problem.opaque
    )


def statistics(report: Report) -> str:
    """Count the findings of each rule, the most frequent first, without a last line end; "" if there are none."""
    counts = Counter((finding.rule, finding.severity) for finding in report.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    digits = max((len(str(count)) for count in counts.values()), default=0)
    return "\n".join(f"{count:>{digits}} {severity}[{rule}]" for (rule, severity), count in ranked)


def plural(number: int, noun: str) -> str:
    """Say `number` and `noun`, as in "1 file" and "2 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _findings(report: Report) -> str:
    if not report.findings:
        return "no findings" if report.stats.sites else ""
    files = len({finding.place.path for finding in report.findings})
    total = f"{plural(len(report.findings), 'finding')} in {plural(files, 'file')}"
    counts = Counter(finding.effect for finding in report.findings)
    harmful = [effect for effect in _WORST_FIRST if effect and counts[effect]]
    parts = [_effect(effect, counts[effect], "tenants" if effect == harmful[0] else "them") for effect in harmful]
    if parts and counts[None]:
        parts.append(plural(counts[None], "other"))
    return f"{total}: {', '.join(parts)}" if parts else total


def _effect(effect: Effect, count: int, whom: str) -> str:
    match effect:
        case "merges" | "splits":
            return f"{count} {effect if count == 1 else effect.removesuffix('s')} {whom}"
        case "refused":
            return f"{count} refused by the store"


def _ignored(stats: Stats) -> str:
    return f"{plural(stats.ignored, 'finding')} ignored by comments" if stats.ignored else ""


def _calls(stats: Stats) -> str:
    if not stats.sites:
        return "0 memory calls: nothing was checked"
    opaque = f", {stats.opaque} opaque" if stats.opaque else ""
    return f"{plural(stats.sites, 'memory call')}, {stats.resolved} resolved{opaque}"
