"""The command `python -m conformance`."""

import datetime as dt
import sys
from functools import partial
from pathlib import Path

import click

from conformance.check import Fault, Outcome, check
from conformance.results import lines, table
from conformance.wheels import ReleaseError, wheel
from scope_lint import sdks
from scope_lint.model import Store

RESULTS = Path(__file__).parent / "RESULTS.md"


@click.command()
@click.argument("presets", nargs=-1)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(".conformance_cache"),
    show_default=True,
    help="The folder for downloaded wheels.",
)
@click.option("--write", is_flag=True, help="Keep the outcome for all presets in conformance/RESULTS.md.")
def main(presets: tuple[str, ...], cache: Path, *, write: bool) -> None:
    """Compare PRESETS, or all, with the source of the releases that they were checked against.

    The exit status is 1 if a call is gone, or takes its scope otherwise than the preset says.
    """
    stores = [store for store in sdks.presets() if store.checked]
    unknown = set(presets).difference(store.name for store in stores)
    if unknown:
        raise click.UsageError(f"no preset that names releases is called {', '.join(sorted(unknown))}")
    if write and presets:
        raise click.UsageError("--write keeps the outcome for all presets; name none")
    outcomes = []
    for store in stores:
        if not presets or store.name in presets:
            outcome = _checked(store, cache)
            outcomes.append(outcome)
            for line in lines(outcome):
                click.echo(line)
    if write:
        RESULTS.write_text(table(outcomes, dt.datetime.now(tz=dt.UTC).date()), encoding="utf-8")
    sys.exit(0 if all(outcome.conforms for outcome in outcomes) else 1)


def _checked(store: Store, cache: Path) -> Outcome:
    try:
        return check(store, partial(wheel, cache=cache))
    except ReleaseError as error:
        return Outcome(store.name, faults=(Fault(store.name, str(error)),))


if __name__ == "__main__":
    main()
