"""Votes: who gave which answer, counted so that ten copies in one function do not outvote four files."""

from collections.abc import Iterable

from msgspec import Struct

from scope_lint.model import Side, Site, Writing

Indexed = tuple[int, Site]


class Ballot(Struct, frozen=True):
    """One answer of one site (by index). Ballots of one unit, (path, function, what was written), are one vote.

    A ballot that does not count puts its site on the side, but gives it no vote.
    """

    answer: str
    unit: tuple[str, ...]
    site: int
    counts: bool = True


def as_written(writing: Writing) -> str:
    """The value as written, for telling votes apart."""
    return f"{writing.text}\t{writing.shape}\t{writing.spelling}"


def unit(site: Site, *written: str) -> tuple[str, ...]:
    """The unit of votes: the function that hands the scope over, and what is written there."""
    return (site.place.path, site.function, *written)


def scope_unit(site: Site) -> tuple[str, ...]:
    """The unit of votes on the scope as a whole."""
    keys = (
        f"{key.name}{'?' if key.maybe else ''}={'|'.join(sorted(map(as_written, key.writings)))}" for key in site.keys
    )
    return unit(site, *sorted(keys))


def count(ballots: Iterable[Ballot]) -> tuple[Side, ...]:
    """The sides that the ballots form, most votes first, then by answer."""
    units: dict[str, set[tuple[str, ...]]] = {}
    sites: dict[str, set[int]] = {}
    for ballot in ballots:
        units.setdefault(ballot.answer, set()).update({ballot.unit} if ballot.counts else set())
        sites.setdefault(ballot.answer, set()).add(ballot.site)
    sides = (Side(answer, len(units[answer]), tuple(sorted(sites[answer]))) for answer in sites)
    return tuple(sorted(sides, key=lambda side: (-side.votes, side.value)))


def total(sides: Iterable[Side]) -> int:
    """Votes in all."""
    return sum(side.votes for side in sides)


def majority(sides: tuple[Side, ...]) -> str | None:
    """The answer with strictly more than half of the votes, or None."""
    return sides[0].value if sides and 2 * sides[0].votes > total(sides) else None


def votes_for(sides: Iterable[Side], *answers: str) -> int:
    """Votes for any of `answers`."""
    return sum(side.votes for side in sides if side.value in answers)
