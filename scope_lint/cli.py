"""The command line: read the arguments, call the pipeline, print, exit.

Exit status: 0 nothing found, 1 findings at or above `--fail-on`, 2 the job could not be done, 130 interrupted.
"""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, ParamSpec, TypedDict, TypeVar, Unpack

import click

from scope_lint import __version__

if TYPE_CHECKING:
    from scope_lint.config import Overrides
    from scope_lint.model import Report, Severity
    from scope_lint.rules import Rule

_P = ParamSpec("_P")
_R = TypeVar("_R")

_INTERRUPTED = 130


class Failure(click.ClickException):
    """The job could not be done, and the message says why."""

    exit_code = 2

    def show(self, file: IO[str] | None = None) -> None:
        """Print the message on stderr."""
        _print(f"error: {self.format_message()}", file or sys.stderr)


class _CheckByDefault(click.Group):
    """A group that takes anything but the name of a command, or an option of its own, for arguments of `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, *(name for option in self.get_params(ctx) for name in option.opts)}
        return super().parse_args(ctx, args if args and args[0] in own else ["check", *args])


def _names(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split what was given with commas, several times, or both."""
    return tuple(name for value in values for part in value.split(",") if (name := part.strip()))


def _corpus(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Add what says which files are read, and how their stores are found."""
    for parameter in reversed(
        [
            click.argument("paths", nargs=-1, type=click.Path(path_type=Path)),
            click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Read settings from FILE."),
            click.option("--exclude", multiple=True, callback=_names, metavar="PATTERN,…", help="As in .gitignore."),
            click.option("--tests", is_flag=True, help="Include test code."),
            click.option("--tracked", is_flag=True, help="Read only files that git tracks."),
            click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True),
            click.option("--color/--no-color", "colour", default=None, help="Colour, whatever the output is."),
        ]
    ):
        command = parameter(command)
    return command


class _Options(TypedDict):
    """The values of these options."""

    paths: tuple[Path, ...]
    config: Path | None
    exclude: tuple[str, ...]
    tests: bool
    tracked: bool
    form: str
    colour: bool | None


@click.group(cls=_CheckByDefault, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def scope_lint() -> None:
    """Find the scopes of agent memory that deviate from what the code does everywhere else.

    `scope-lint [PATHS]` is `scope-lint check [PATHS]`; see `scope-lint check -h` for its options. A path that has the
    name of a command is given as `./NAME`.
    """


@scope_lint.command()
@_corpus
@click.option("--select", multiple=True, callback=_names, metavar="RULE,…", help="Report only these rules.")
@click.option("--ignore", multiple=True, callback=_names, metavar="RULE,…", help="Do not report these rules.")
@click.option("--fail-on", type=click.Choice(["error", "warning"]), help="The least severity that exits with 1.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule.")
@click.pass_context
def check(  # noqa: PLR0913 - one parameter per option is how click calls
    ctx: click.Context,
    /,
    *,
    paths: tuple[Path, ...],
    config: Path | None,
    exclude: tuple[str, ...],
    tests: bool,
    tracked: bool,
    form: str,
    colour: bool | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: "Severity | None",
    exit_zero: bool,
    statistics: bool,
) -> None:
    """Report the scopes in PATHS that deviate.

    PATHS are files and folders, by default the working directory.
    """
    # Imported here: `--help` and `--version` need none of it.
    from scope_lint.config import Overrides  # noqa: PLC0415 - see above
    from scope_lint.report import COLOURED, FORMATS, summary  # noqa: PLC0415 - see above

    overrides = Overrides(select=select or None, ignore=ignore, exclude=exclude, tests=tests or None, tracked=tracked)
    report = _run(paths, config, overrides)
    in_colour = _in_colour(colour)
    _print((COLOURED if in_colour else FORMATS)[form](report), sys.stdout, colour=in_colour)
    table = summary.statistics(report) if statistics else ""
    for part in (summary.limits(report), table, summary.summarise(report)):
        _print(part, sys.stderr)
    failing = {"error"} if (fail_on or report.fail_on) == "error" else {"error", "warning"}
    if not exit_zero and any(finding.severity in failing for finding in report.findings):
        ctx.exit(1)


@scope_lint.command()
@_corpus
def sites(**options: Unpack[_Options]) -> None:
    """List the memory calls in PATHS, side by side.

    PATHS are files and folders, by default the working directory.
    """
    _show("sites", options)


@scope_lint.command()
@_corpus
def stores(**options: Unpack[_Options]) -> None:
    """List the stores in PATHS, and how each is used.

    What was seen but not understood comes last. PATHS are files and folders, by default the working directory.
    """
    _show("stores", options)


@scope_lint.command()
def rules() -> None:
    """List the rules."""
    # Imported here: `--help` and `--version` need none of it.
    from scope_lint.rules import RULES  # noqa: PLC0415 - see above

    rows = [
        (rule.name, rule.severity or "off", rule.effect or "-", rule.summary.removeprefix(f"{rule.name}: "))
        for rule in RULES
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        _print("  ".join([*cells, row[-1]]), sys.stdout)


@scope_lint.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Print the manual page of RULE."""
    # Imported here: `--help` and `--version` need none of it.
    from scope_lint.rules import RULES  # noqa: PLC0415 - see above

    _print(_named(rule, RULES).page, sys.stdout)


def main() -> None:
    """Run the command line and exit with its status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what the encoding lacks must not cost the report
    try:
        status = scope_lint.main(prog_name="scope-lint", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except click.Abort:
        _print("interrupted", sys.stderr)
        status = _INTERRUPTED
    sys.exit(status)


def _run(paths: tuple[Path, ...], config: Path | None, overrides: "Overrides", *, stores: bool = False) -> "Report":
    # Imported here: `--help` and `--version` need none of it.
    from scope_lint import pipeline  # noqa: PLC0415 - see above
    from scope_lint.config import SettingsError  # noqa: PLC0415 - see above
    from scope_lint.discover import DiscoverError  # noqa: PLC0415 - see above

    try:
        return pipeline.check(paths or (Path(),), config=config, overrides=overrides, stores=stores)
    except (SettingsError, DiscoverError) as error:
        raise Failure(str(error)) from error


def _show(what: Literal["sites", "stores"], options: _Options) -> None:
    """Print a list of what there is on stdout, and how much was seen on stderr."""
    # Imported here: `--help` and `--version` need none of it.
    from scope_lint.config import Overrides  # noqa: PLC0415 - see above
    from scope_lint.report import COLOURED_LISTS, LISTS, summary  # noqa: PLC0415 - see above

    overrides = Overrides(exclude=options["exclude"], tests=options["tests"] or None, tracked=options["tracked"])
    report = _run(options["paths"], options["config"], overrides, stores=what == "stores")
    in_colour = _in_colour(options["colour"])
    form = (COLOURED_LISTS if in_colour else LISTS)[what][options["form"]]
    _print(form(report), sys.stdout, colour=in_colour)
    for part in (summary.limits(report), summary.coverage(report)):
        _print(part, sys.stderr)


def _in_colour(choice: bool | None) -> bool:  # noqa: FBT001 - the option's own value, None if it is not given
    """Decide on colour: the option, then the variables of no-color.org and force-color.org, then the terminal."""
    if choice is not None:
        return choice
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _named(name: str, rules: "tuple[Rule, ...]") -> "Rule":
    pages = {rule.name: rule for rule in rules}
    if name in pages:
        return pages[name]
    # Imported here: only a slip needs it.
    from scope_lint.sdks.strict import nearest  # noqa: PLC0415 - see above

    raise Failure(f"no rule is called `{name}`; {nearest(name, pages)}")


def _print(text: str, stream: IO[str], *, colour: bool = False) -> None:
    if not text:
        return
    try:
        click.echo(text, stream, nl=not text.endswith("\n"), color=colour)
    except OSError as error:
        # What is left in the buffer must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        # A reader that has left, as `head` does, is no error: the status still says what was found.
        if not isinstance(error, BrokenPipeError):
            raise Failure(f"the output cannot be written: {error.strerror}") from error
