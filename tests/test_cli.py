"""The command line: commands, exit status, streams, colour."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scope_lint import __version__
from scope_lint.cli import scope_lint
from scope_lint.report import FORMATS, SITES, STORES
from scope_lint.rules import RULES

COMMAND = (sys.executable, "-m", "scope_lint")
ANSI = re.compile(r"\x1b\[[0-9;]*m")

AGREED = """\
def remember(bank, app, uid, turn):
    bank.ingest(turn, scope={"app_id": app, "user_id": str(uid)})


def recall(bank, app, uid):
    return bank.retrieve(scope={"app_id": app, "user_id": str(uid)})


def profile(bank, app, uid):
    return bank.retrieve_profile(scope={"app_id": app, "user_id": str(uid)})
"""
DRIFTS = """\
def note(bank, app, uid, text):
    bank.ingest(text, scope={"app_id": app, "user_id": uid})
"""
EXTRA = """\
def tag(bank, app, uid, tier, text):
    bank.ingest(text, scope={"app_id": app, "user_id": str(uid), "tier": tier})
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes files into a new folder and makes it the working directory; no variable of ours speaks of colour."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def write(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def run(*arguments: str) -> Result:
    """Runs in this process: for what needs no pipe, no signal and no terminal."""
    return CliRunner().invoke(scope_lint, arguments, prog_name="scope-lint")


def spawn(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs in a process of its own, with its output in pipes."""
    return subprocess.run(
        [*COMMAND, *arguments], env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False
    )


# --- without a pipeline


@pytest.mark.parametrize(
    "arguments", [("--help",), ("-h",), ("check", "-h"), ("sites", "--help"), ("stores", "-h"), ("rules", "-h")]
)
def test_help_is_on_stdout(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: scope-lint")


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"scope-lint {__version__}\n")


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_nothing_slow(argument: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "scope_lint", argument],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in imported
    assert imported.isdisjoint({"libcst", "msgspec", "pathspec", "scope_lint.pipeline", "scope_lint.model"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--nonsense",), "No such option '--nonsense'"),
        (("check", "--format", "xml"), "'xml' is not one of 'text', 'json'"),
        (("check", "--fail-on", "info"), "'info' is not one of 'error', 'warning'"),
        (("explain",), "Missing argument 'RULE'"),
        (("explain", "shape-drfit"), "error: no rule is called `shape-drfit`; did you mean `shape-drift`?"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_wrong(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_the_formats_offered_are_those_that_exist() -> None:
    for name in ("check", "sites", "stores"):
        offered = {option.name: option.type for option in scope_lint.commands[name].params}["form"]
        assert set(getattr(offered, "choices", ())) == set(FORMATS) == set(SITES) == set(STORES)


def test_rules_lists_every_rule_once() -> None:
    result = run("rules")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        [rule.name, rule.severity or "off"] for rule in RULES
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_explain_prints_the_manual_page(rule: object) -> None:
    name, page = getattr(rule, "name"), getattr(rule, "page")  # noqa: B009 - mypy knows no attributes of object
    result = run("explain", name)
    assert (result.exit_code, result.stdout.strip()) == (0, page.strip())


# --- with files


def test_findings_exit_with_1_and_go_to_stdout_while_the_summary_goes_to_stderr(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS)
    result = run()
    assert result.exit_code == 1
    assert result.stdout.startswith("b.py:2:56: warning[shape-drift] ")
    assert result.stdout.splitlines()[1:3] == [
        '    2 |     bank.ingest(text, scope={"app_id": app, "user_id": uid})',
        "      |                                                        ^^^",
    ]
    assert result.stderr == "1 finding in 1 file: 1 splits tenants\n4 memory calls, 4 resolved\n"


def test_agreement_exits_with_0_and_says_what_was_seen(project: Callable[..., Path]) -> None:
    project(a=AGREED)
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "no findings\n3 memory calls, 3 resolved\n"


@pytest.mark.parametrize("arguments", [(), (".",), ("check",), ("check", "."), ("--color", "."), ("a.py", "b.py")])
def test_check_is_the_default_command(project: Callable[..., Path], arguments: tuple[str, ...]) -> None:
    project(a=AGREED, b=DRIFTS)
    assert "shape-drift" in run(*arguments).stdout


def test_a_folder_with_the_name_of_a_command_is_given_with_a_dot(project: Callable[..., Path]) -> None:
    folder = project() / "sites"
    folder.mkdir()
    (folder / "a.py").write_text(AGREED + DRIFTS, encoding="utf-8")
    assert run("./sites").stdout.startswith("sites/a.py:12:56: warning[shape-drift] ")
    assert run("sites").stdout.startswith("generic: 4 sites\n")


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (DRIFTS, (), 1),
        (DRIFTS, ("--fail-on", "warning"), 1),
        (DRIFTS, ("--fail-on", "error"), 0),
        (EXTRA, ("--fail-on", "error"), 1),
        (EXTRA, ("--exit-zero",), 0),
        (DRIFTS, ("--select", "shape-drift"), 1),
        (DRIFTS, ("--select", "missing-key,type-drift", "--select", "no-majority"), 0),
        (DRIFTS, ("--ignore", "missing-key, shape-drift"), 0),
        (DRIFTS, ("--exclude", "b.*,c.*"), 0),
    ],
)
def test_the_exit_status_follows_the_options(
    project: Callable[..., Path], text: str, arguments: tuple[str, ...], status: int
) -> None:
    project(a=AGREED, b=text)
    assert run(*arguments).exit_code == status


@pytest.mark.parametrize(("option", "status"), [((), 0), (("--fail-on", "warning"), 1)])
def test_the_settings_say_what_fails_unless_the_option_does(
    project: Callable[..., Path], option: tuple[str, ...], status: int
) -> None:
    (project(a=AGREED, b=DRIFTS) / "scope-lint.toml").write_text('fail-on = "error"\n', encoding="utf-8")
    assert run(*option).exit_code == status


def test_statistics_stand_above_the_summary(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS, c=EXTRA)
    assert run("--statistics").stderr.splitlines() == [
        "1 error[disallowed-key]",
        "1 warning[shape-drift]",
        "2 findings in 2 files: 2 split tenants",
        "5 memory calls, 5 resolved",
    ]


def test_a_comment_silences_and_is_counted(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS.replace("uid})", "uid})  # scope-lint: ignore[shape-drift] -- old"))
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "no findings\n1 finding ignored by comments\n4 memory calls, 4 resolved\n"


def test_test_code_is_left_out_and_counted_unless_asked_for(project: Callable[..., Path]) -> None:
    project(a=AGREED, test_b=DRIFTS)
    assert run().stderr == "no findings\n3 memory calls, 3 resolved; 1 more in test code: --tests\n"
    assert run("--tests").stderr == "1 finding in 1 file: 1 splits tenants\n4 memory calls, 4 resolved\n"


def test_nothing_to_look_at_is_said(project: Callable[..., Path]) -> None:
    folder = project()
    result = run()
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no Python files: nothing was checked\n")
    (folder / "a.py").write_text("print(1)\n", encoding="utf-8")
    result = run()
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 memory calls: nothing was checked\n")


@pytest.mark.parametrize("command", ["check", "sites", "stores"])
def test_a_path_that_does_not_exist_exits_with_2(project: Callable[..., Path], command: str) -> None:
    project(a=AGREED)
    result = run(command, "a.py", "nowhere.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert "nowhere.py" in result.stderr


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ('exlude = ["a"]\n', ("scope-lint.toml", "exlude", "exclude")),
        ('select = ["shape-drfit"]\n', ("scope-lint.toml", "shape-drfit", "shape-drift")),
        ("select = [\n", ("scope-lint.toml",)),
    ],
)
def test_broken_settings_exit_with_2_and_are_named(
    project: Callable[..., Path], settings: str, named: tuple[str, ...]
) -> None:
    (project(a=AGREED) / "scope-lint.toml").write_text(settings, encoding="utf-8")
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert all(word in result.stderr for word in named)


def test_an_unknown_rule_in_an_option_exits_with_2(project: Callable[..., Path]) -> None:
    project(a=AGREED)
    result = run("--select", "shape-drfit")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "shape-drift" in result.stderr


def test_json_is_one_document_on_stdout(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS)
    checked = run("--format", "json")
    assert [found["rule"] for found in json.loads(checked.stdout)["findings"]] == ["shape-drift"]
    listed = run("sites", "--format", "json")
    assert (listed.exit_code, len(json.loads(listed.stdout)["sites"])) == (0, 4)


def test_two_runs_print_the_same_bytes(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS, c=EXTRA)
    for arguments in (["check"], ["check", "--format", "json"], ["sites"], ["sites", "--format", "json"]):
        first, second = (spawn(*arguments, PYTHONHASHSEED=seed) for seed in ("1", "2"))
        assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
        assert first.stdout


# --- colour


@pytest.mark.parametrize(
    ("arguments", "variables", "coloured"),
    [
        ((), {}, False),  # a pipe is no terminal
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "", "NO_COLOR": ""}, False),  # empty means unset
        (("--color",), {"NO_COLOR": "1"}, True),  # the option is the last word
        (("--no-color",), {"FORCE_COLOR": "1"}, False),
        (("--color", "--format", "json"), {}, False),
    ],
)
def test_colour_follows_option_variables_and_terminal(
    project: Callable[..., Path], *, arguments: tuple[str, ...], variables: dict[str, str], coloured: bool
) -> None:
    project(a=AGREED, b=DRIFTS)
    assert bool(ANSI.search(spawn(*arguments, **variables).stdout)) == coloured


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_terminal_gets_colour(project: Callable[..., Path], *, variables: dict[str, str], coloured: bool) -> None:
    project(a=AGREED, b=DRIFTS)
    ours, theirs = os.openpty()
    environment = os.environ | {"TERM": "xterm"} | variables
    with subprocess.Popen(COMMAND, env=environment, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = read_terminal(ours)
    assert process.returncode == 1
    assert bool(ANSI.search(shown)) == coloured
    assert "warning[shape-drift]" in ANSI.sub("", shown)


def read_terminal(descriptor: int) -> str:
    """Reads until the other side is closed, which Linux reports as an error and others as the end."""
    parts = []
    try:
        while part := os.read(descriptor, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return b"".join(parts).decode()


# --- streams


def test_what_stdout_cannot_encode_is_spelt_out(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS.replace("uid", "größe"))
    done = spawn(PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert "gr\\xf6\\xdfe" in done.stdout
    assert "Traceback" not in done.stderr


def flood(project: Callable[..., Path]) -> None:
    """Writes a project whose report is far larger than a pipe holds."""
    project(**{f"m{number:03}": AGREED.replace("str(uid)", f'f"{number}-{{uid}}"') * 10 for number in range(40)})


@pytest.mark.parametrize("arguments", [("check",), ("sites",), ("check", "--format", "json")])
def test_a_reader_that_leaves_is_no_error(project: Callable[..., Path], arguments: tuple[str, ...]) -> None:
    flood(project)
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        complaints = process.stderr.read()
    assert "Traceback" not in complaints
    assert "Broken" not in complaints
    assert "memory calls" in complaints
    assert process.returncode == (0 if arguments == ("sites",) else 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_exits_with_2(project: Callable[..., Path]) -> None:
    project(a=AGREED, b=DRIFTS)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(COMMAND, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, "error: the output cannot be written: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_an_interrupt_exits_with_130(project: Callable[..., Path]) -> None:
    flood(project)
    with subprocess.Popen(
        [*COMMAND, "sites", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)  # it is printing now, and the pipe is too small for all of it
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaints.split() == ["interrupted"]
