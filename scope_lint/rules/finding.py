"""From deviations to findings: one for each origin, however many sites it reaches."""

import hashlib
from collections.abc import Iterable, Sequence
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from scope_lint.model import Belief, Effect, Finding, Note, Place, Related, Severity, Site, Support, Writing
from scope_lint.rules.words import where

Origin = tuple["Deviation", tuple[Site, ...]]

_RELATED = 20  # sites listed of those that an origin reaches
_Z = 1.959963984540054  # the standard normal quantile of 0.975


class Deviation(Struct, frozen=True):
    """One site that deviates at `place` from `beliefs`, the weightiest first; none for what is no matter of votes."""

    place: Place
    key: str | None
    site: Site
    beliefs: tuple[Belief, ...] = ()
    writing: Writing | None = None


class Saying(Struct, frozen=True):
    """What a rule says of a deviation: line one without its effect, and the notes."""

    message: str
    effect: Effect | None
    why: str = ""
    others: str = ""
    write: str = ""


def origins(deviations: Iterable[Deviation]) -> list[Origin]:
    """Each origin, a place and key, by the first of its deviations, with all the sites that it reaches in order."""
    groups: dict[tuple[Place, str | None], list[Deviation]] = {}
    for deviation in deviations:
        groups.setdefault((deviation.place, deviation.key), []).append(deviation)
    return [_origin(groups[name]) for name in sorted(groups, key=lambda name: (name[0], name[1] or ""))]


def _origin(group: Sequence[Deviation]) -> Origin:
    ordered = sorted(group, key=lambda deviation: (deviation.site.place, deviation.site.call, deviation.site.store))
    return ordered[0], tuple(deviation.site for deviation in ordered)


def compose(rule: str, severity: Severity, origin: Origin, saying: Saying, value: str = "") -> Finding:
    """The finding of `rule` on `origin`; `value` is what tells it from others of the same key in the same function."""
    first, sites = origin
    site = first.site
    return Finding(
        rule=rule,
        severity=severity,
        effect=saying.effect,
        place=first.place,
        store=site.store,
        key=first.key,
        message=saying.message,
        support=support(first.beliefs[0]) if first.beliefs else None,
        fingerprint=identity(rule, first.place.path, first.key, value, _enclosing(first), site.sink),
        related=_reached(sites),
        notes=_notes(site, saying),
    )


def _reached(sites: Sequence[Site]) -> tuple[Related, ...]:
    reached = dict.fromkeys(Related(site.place, f"reaches {site.call}") for site in sites)
    return tuple(reached)[:_RELATED]


def _notes(site: Site, saying: Saying) -> tuple[Note, ...]:
    via = " -> ".join(f"{hop.text} {where(hop.place)}" for hop in site.via)
    notes = (
        Note("via", via),
        Note("others", saying.others),
        Note("why", saying.why),
        Note("write", saying.write),
    )
    return tuple(note for note in notes if note.text)


def _enclosing(deviation: Deviation) -> str:
    """The definition that holds the deviant: of a value its caller's, of a scope that of its literal."""
    site = deviation.site
    if deviation.writing is not None:
        return site.function
    return site.inside or (site.builders[-1] if site.builders else site.function)


def support(belief: Belief) -> Support | None:
    """The votes behind a finding; None where the settings or logic decide and not the corpus."""
    if belief.pinned or belief.value is None:
        return None
    return Support(belief.votes, belief.of, round(wilson(belief.votes, belief.of), 4))


def wilson(votes: int, of: int) -> float:
    """The lower bound of the Wilson 95 % score interval of the share `votes` / `of`; 0 without votes.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American
    Statistical Association 22 (158), 1927, pp. 209-212: (p + z²/2n - z √(p(1-p)/n + z²/4n²)) / (1 + z²/n).
    """
    if votes == 0:
        return 0.0
    p = votes / of
    z2 = _Z * _Z
    centre = p + z2 / (2 * of)
    spread = _Z * sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    return (centre - spread) / (1 + z2 / of)


def identity(*parts: str | None) -> str:
    """What identifies a finding, before it is hashed: no line numbers, no counts."""
    return "\0".join(part or "" for part in parts)


def fingerprinted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """`findings` with their identities hashed; those of equal identity are told apart by their order."""
    seen: dict[str, int] = {}
    hashed = []
    for finding in findings:
        occurrence = seen.get(finding.fingerprint, 0)
        seen[finding.fingerprint] = occurrence + 1
        digest = hashlib.sha256(identity(finding.fingerprint, str(occurrence)).encode()).hexdigest()
        hashed.append(replace(finding, fingerprint=digest[:16]))
    return tuple(hashed)
