"""Input that is broken, odd or hostile, through the real command.

Each piece of it stands in `bad.py` beside a good file with one known finding. Whatever the bad file holds, nothing
crashes, the good file's finding is there, and what could not be understood is said.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

GOOD = """\
def profile(memory, app_id, user_id):
    return memory.retrieve_profile(scope={"app_id": app_id, "user_id": user_id})
"""
for number in range(6):
    GOOD += f"""

def note_{number}(memory, app_id, user_id, text):
    memory.ingest(text, scope={{"app_id": app_id, "user_id": str(user_id)}})
"""
GOOD_FINDING = ("good.py", 2, "shape-drift")
DEVIANT = 'memory.ingest(text, scope={"app_id": app_id, "user_id": user_id})'
FUNCTION = f"""\
def late(memory, app_id, user_id, text):
    {DEVIANT}
"""


@dataclass(frozen=True)
class Run:
    """What a run found, and how it ended."""

    status: int
    findings: frozenset[tuple[str, int, str]]
    messages: str

    @property
    def bad(self) -> set[tuple[int, str]]:
        """The findings in bad.py: line and rule."""
        return {(line, rule) for path, line, rule in self.findings if path == "bad.py"}


def lint(folder: Path, *arguments: str) -> Run:
    """Run the command in a folder. The limit on its time only keeps a hang from stopping all tests."""
    done = subprocess.run(
        [sys.executable, "-m", "scope_lint", "check", "--format", "json", *(arguments or (".",))],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)["findings"] if done.stdout else []
    places = [(finding["path"], finding["line"], finding["rule"]) for finding in found]
    assert len(set(places)) == len(places)
    return Run(done.returncode, frozenset(places), done.stderr + "".join(finding["message"] for finding in found))


def lint_beside_good(folder: Path, data: bytes | str | None = None) -> Run:
    """Run over bad.py with this content, or as it stands in the folder, and good.py, whose finding must be there."""
    (folder / "good.py").write_text(GOOD, encoding="utf-8")
    if data is not None:
        (folder / "bad.py").write_bytes(data.encode() if isinstance(data, str) else data)
    run = lint(folder)
    assert run.status == 1
    assert GOOD_FINDING in run.findings
    return run


# ---------------------------------------------------------------------------------------------------------------------
# Bytes


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(b"# caf\xe9\n" + FUNCTION.encode(), 1, id="not UTF-8"),
        pytest.param(FUNCTION.encode() + b"NAME = '\xff\xfe'\n", 3, id="not UTF-8 further down"),
        pytest.param("# -*- coding: klingon -*-\n" + FUNCTION, 1, id="unknown encoding"),
        pytest.param("# -*- coding: rot13 -*-\n" + FUNCTION, 1, id="encoding that is none of text"),
        pytest.param("# -*- coding: ascii -*-\n# café\n" + FUNCTION, 2, id="not in the encoding it names"),
        pytest.param(b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n" + FUNCTION.encode(), 1, id="BOM and another encoding"),
        pytest.param(FUNCTION.encode("utf-16"), 1, id="UTF-16"),
        pytest.param(FUNCTION + "\0\n", 3, id="NUL"),
        pytest.param(FUNCTION + "NAME = '\0'\n", 3, id="NUL in a string"),
        pytest.param(FUNCTION + "def broken(:\n    pass\n", 3, id="syntax error"),
        pytest.param(FUNCTION + "NAME = 'open\n", 3, id="string left open"),
        pytest.param(FUNCTION + "    \treturn 1\n", 3, id="indentation that is inconsistent"),
        pytest.param(FUNCTION + "value = @1\n", 3, id="syntax of no version"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(tmp_path: Path, data: bytes | str, line: int) -> None:
    assert lint_beside_good(tmp_path, data).bad == {(line, "unreadable-file")}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("", id="empty"),
        pytest.param("\n\n", id="blank"),
        pytest.param("\ufeff", id="BOM alone"),
        pytest.param("\0\0\0", id="NUL alone"),
        pytest.param("\x0c", id="form feed alone"),
        pytest.param("\\", id="backslash alone"),
        pytest.param("# a comment without a line end", id="comment"),
        pytest.param("def broken(:\n", id="syntax error where nothing is said of memory"),
        pytest.param(b"name = '\xff'\n", id="not UTF-8 where nothing is said of memory"),
    ],
)
def test_what_has_nothing_to_do_with_memory_is_passed_over(tmp_path: Path, data: bytes | str) -> None:
    assert lint_beside_good(tmp_path, data).bad == set()


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + FUNCTION.encode(), 4, id="latin-1"),
        pytest.param(
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n# \x80\n" + FUNCTION.encode(), 5, id="cp1252"
        ),
        pytest.param("\ufeff" + FUNCTION, 2, id="BOM"),
        pytest.param("\ufeff# coding: utf-8\n" + FUNCTION, 3, id="BOM and UTF-8"),
        pytest.param(FUNCTION.replace("\n", "\r\n"), 2, id="CRLF"),
        pytest.param(FUNCTION.replace("\n", "\r"), 2, id="lone CR"),
        pytest.param("import os\r\nimport sys\r" + FUNCTION, 4, id="mixed line ends"),
        pytest.param("\x0c" + FUNCTION, 2, id="leading form feed"),
        pytest.param("import os\n\x0c\n" + FUNCTION.replace("\n", "\n\x0c"), 4, id="form feeds"),
        pytest.param(
            f"class Notes:\n    x = 1\n\x0c\n    {FUNCTION.replace('    ', '        ')}", 5, id="form feed in a class"
        ),
        pytest.param("# one\u2028still one\x85and one\x1cand one\n" + FUNCTION, 3, id="characters that end no line"),
        pytest.param(FUNCTION.rstrip("\n"), 2, id="no line end at the end"),
        pytest.param("# \U0001d4b3 café\n" + FUNCTION.replace("late", "spät"), 3, id="beyond ASCII"),
    ],
)
def test_odd_but_valid_bytes_are_read(tmp_path: Path, data: bytes | str, line: int) -> None:
    assert lint_beside_good(tmp_path, data).bad == {(line, "shape-drift")}


@pytest.mark.parametrize(
    "filler",
    [
        pytest.param(f'DATA = "{"x" * 5_000_000}"\n', id="in one line"),
        pytest.param(
            ("def half(number):\n" + "    number = (number + 1, number, 2 * number)[1]\n" * 10) * 10_300,
            id="in functions",
        ),
        pytest.param("DATA = [\n" + "    ('one', 2, None),\n" * 230_000 + "]\n", id="in a table"),
    ],
)
def test_five_megabytes(tmp_path: Path, filler: str) -> None:
    lines = filler.count("\n")
    assert lint_beside_good(tmp_path, filler + FUNCTION).bad == {(lines + 2, "shape-drift")}


# ---------------------------------------------------------------------------------------------------------------------
# Places


def test_a_dangling_link_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").symlink_to(tmp_path / "nowhere.py")
    assert lint_beside_good(tmp_path).bad == {(1, "unreadable-file")}


def test_a_link_to_itself_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").symlink_to("bad.py")
    assert lint_beside_good(tmp_path).bad == {(1, "unreadable-file")}


def test_a_link_to_the_folder_above_is_not_walked_round_and_round(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert lint_beside_good(tmp_path).findings == {GOOD_FINDING}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything; the next test has another unreadable file")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(FUNCTION, encoding="utf-8")
    (tmp_path / "bad.py").chmod(0)
    assert lint_beside_good(tmp_path).bad == {(1, "unreadable-file")}


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file whose reading fails, as Linux has one")
def test_a_file_whose_reading_fails_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.py").symlink_to("/proc/self/mem")
    assert lint_beside_good(tmp_path).bad == {(1, "unreadable-file")}


def test_a_folder_with_the_name_of_a_module_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "bad.py").mkdir()
    (tmp_path / "bad.py" / "inside.py").write_text(FUNCTION, encoding="utf-8")
    assert lint_beside_good(tmp_path).findings == {GOOD_FINDING, ("bad.py/inside.py", 2, "shape-drift")}


def test_a_pipe_is_said_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "bad.py")
    assert lint_beside_good(tmp_path).bad == {(1, "unreadable-file")}


def test_a_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.py"
    Path(os.fsdecode(name)).write_text(FUNCTION, encoding="utf-8")
    run = lint_beside_good(tmp_path)
    assert len(run.findings) == 2


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD, encoding="utf-8")
    run = lint(tmp_path, "good.py", "nowhere")
    assert run.status == 2
    assert "nowhere" in run.messages


def test_a_folder_without_python_says_that_nothing_was_checked(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("memory.ingest(text, scope={})\n", encoding="utf-8")
    run = lint(tmp_path)
    assert run.status == 0
    assert "nothing was checked" in run.messages


# ---------------------------------------------------------------------------------------------------------------------
# Code that kills parsers, in a function that has to do with memory


def killer(statement: str) -> str:
    """A module with one function that holds the statement, and one further down that does not."""
    return f"def early(memory, app_id, user_id, text, x):\n    {DEVIANT}\n{statement}\n\n{FUNCTION}"


KILLERS = {
    "a sum of 8,000 terms": "    return " + " + ".join(["x"] * 8_000),
    "a sum of 8,000 strings": "    return " + " + ".join(['"x"'] * 8_000),
    "4,000 chained calls": "    return x" + ".then(x)" * 4_000,
    "4,000 chained subscripts": "    return x" + "[0]" * 4_000,
    "400 elif": "    if x == 0:\n        pass\n"
    + "".join(f"    elif x == {n}:\n        pass\n" for n in range(1, 400)),
    "90 nested brackets": "    return " + "[" * 90 + "]" * 90,
    "8,000 alternatives": "    return " + " or ".join(["x"] * 8_000),
    "300 conditions": "    return " + "1 if x else " * 300 + "0",
    "2,000 minus signs": "    return " + "-" * 2_000 + "1",
    "30 nested patterns": "    match x:\n        case " + "[" * 30 + "]" * 30 + ":\n            pass",
    "5,000 adjacent strings": "    return (\n" + "        'x'\n" * 5_000 + "    )",
    "a dict of 20,000 entries": "    return {" + ", ".join(f"{n}: x" for n in range(20_000)) + "}",
}


@pytest.mark.parametrize("statement", KILLERS.values(), ids=KILLERS)
def test_a_function_that_kills_parsers_is_said_or_read(tmp_path: Path, statement: str) -> None:
    text = killer(statement)
    run = lint_beside_good(tmp_path, text)
    early, late = (2, "shape-drift"), (len(text.splitlines()), "shape-drift")
    # Where Python's own parser gives up, it gives up the file; otherwise the function after the killer is read.
    refused = run.bad == {late} and "bad.py:" in run.messages
    assert "unreadable-file" in {rule for _, rule in run.bad} or refused or run.bad == {early, late}


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("    return " + "(" * 1_500 + "x" + ")" * 1_500, id="1,500 nested parentheses"),
        pytest.param("    return " + "[" * 1_500 + "]" * 1_500, id="1,500 nested brackets"),
        pytest.param(
            "".join(" " * (4 + n) + "if x:\n" for n in range(150)) + " " * 154 + "pass", id="150 nested blocks"
        ),
        pytest.param("    except A, B: return " + "(" * 1_500 + ")" * 1_500, id="nested, with a syntax error"),
        pytest.param("    return t'' + " + " + ".join(["x"] * 8_000), id="a sum of 8,000 terms, in the syntax of 3.14"),
    ],
)
def test_a_file_that_kills_parsers_is_said(tmp_path: Path, statement: str) -> None:
    run = lint_beside_good(tmp_path, killer(statement))
    assert "unreadable-file" in {rule for _, rule in run.bad}


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        pytest.param(
            f"def late(memory, app_id, user_id, text):\n    text = t'{{text}}'\n    {DEVIANT}\n", 3, id="template"
        ),
        pytest.param(
            "def late(memory, app_id, user_id, text):\n    try:\n        "
            f"{DEVIANT}\n    except ValueError, KeyError:\n        pass\n",
            3,
            id="except without parentheses",
        ),
        pytest.param(f"type Text = str\n\n\n{FUNCTION}", 5, id="type statement"),
        pytest.param(f"def late[T](memory, app_id, user_id, text: T):\n    {DEVIANT}\n", 2, id="generic function"),
        pytest.param(f"class Late[T = int]:\n    {FUNCTION.replace('    ', '        ')}", 3, id="generic class"),
        pytest.param(f"{FUNCTION}    return f'{{text['a']}}'\n", 2, id="quotes inside an f-string"),
    ],
)
def test_syntax_of_a_newer_python_is_read(tmp_path: Path, lines: str, line: int) -> None:
    assert lint_beside_good(tmp_path, lines).bad == {(line, "shape-drift")}


def test_syntax_of_a_python_to_come_is_said(tmp_path: Path) -> None:
    run = lint_beside_good(tmp_path, FUNCTION + "unless text:\n    pass\n")
    assert run.bad == {(3, "unreadable-file")}


def test_valid_code_that_the_parser_refuses_is_said_and_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "refused.py").write_text(FUNCTION + "    (text): str = 1\n", encoding="utf-8")
    run = lint(tmp_path)
    assert run.status == 0
    assert run.findings == frozenset()
    assert "refused.py:" in run.messages
