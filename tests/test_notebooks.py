"""Notebooks: their cells as Python, what is damaged in them, and places as cell and line."""

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import UNMARKED, Case, Mark, all_cases, found, marks, run
from scope_lint.model import Cell, File, Place, Problem, Report, Span
from scope_lint.notebooks import in_cells
from scope_lint.pipeline import check
from scope_lint.report import FORMATS, SITES
from scope_lint.source import Notebook, Source, decode, read
from scope_lint.source.magics import dedented, to_python
from scope_lint.source.notebook import parse

CHECKOUT = Path(__file__).parent.parent
SCHEMAS = Path(__file__).parent / "schemas"

AGREED = """\
def learn(bank, user, text):
    bank.ingest(text, scope={"user": str(user)})


def recall(bank, user, query):
    return bank.retrieve(query, scope={"user": str(user)})
"""
DEVIANT = """\
def card(bank, user):
    return bank.retrieve_profile(scope={"user": user})
"""
BROKEN = 'bank.ingest("", scope={"user":\n'


def code_cell(source: object, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source, **more}


def notebook(*sources: object, **more: object) -> bytes:
    """A notebook of code cells; a source that begins with `# ` alone is Markdown."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": source}
        if isinstance(source, str) and source.startswith("# ") and "\n" not in source
        else code_cell(source)
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def source_of(data: bytes) -> Source:
    path = Path("notes.ipynb")
    path.write_bytes(data)
    source = read(File(path.name, path.absolute()))
    assert isinstance(source, Source)
    return source


def lint(data: bytes) -> Report:
    Path("notes.ipynb").write_bytes(data)
    return check((Path(),))


# ---------------------------------------------------------------------------------------------------------------------
# Magics


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        # lines that are magic
        ("%pip install mem0ai\nx = 1", "pass\nx = 1"),
        ('!pip install mem0ai; echo \'it\n"x"', 'pass\n"x"'),
        ("!!ls\n% matplotlib inline", "pass\npass"),
        ("if x:\n    !pip install a\n\t%cd b\ny", "if x:\n    pass\n\tpass\ny"),
        ("!curl -d '{' \\\n    https://example.org\nx", "pass\n\nx"),
        ("%alias_magic t timeit \\\nx", "pass\n"),
        ("?bank\n??bank\n;f a\n,f a b\n/f x", "pass\npass\npass\npass\npass"),
        ("bank?\nbank.add??  # what is it\n*.add?\n%time?", "pass\npass\npass\npass"),
        ("x = f(\n    a,\n)\n!ls\ny", "x = f(\n    a,\n)\npass\ny"),
        ("x = 1 \\\n    % 2\n!ls", "x = 1 \\\n    % 2\npass"),
        # assignments
        ("files = !ls {folder}", "files = get_ipython()"),
        ("a, b = %sql select 1", "a, b = get_ipython()"),
        ("d['k'] =!ls \\\n  -l\nx", "d['k'] = get_ipython()\n\nx"),
        ("if x:\n    y: list = !ls", "if x:\n    y: list = get_ipython()"),
        # statements that are timed
        ("%time bank.add(x, user_id=u)", "0;    bank.add(x, user_id=u)"),
        ("  %timeit -n 10 -r3 f(x)  # twice", "  0;                f(x)  # twice"),
        ("%timeit f(x,\n        y)\nz", "0;      f(x,\n        y)\nz"),
        ("%time for x in y: f(x)", "pass"),
        ("%time\nx", "pass\nx"),
        ("hits = %time bank.search(q)\nx", "hits =       bank.search(q)\nx"),
        ("hits = %time bank.search(q)  # again", "hits =       bank.search(q)  # again"),
        ("hits = %time x = 1", "hits = get_ipython()"),
        # what looks like magic in strings, brackets and comments, and what is an operator
        ("x = '''\n!ls\n%pip\nwhat?\n'''", "x = '''\n!ls\n%pip\nwhat?\n'''"),
        ('x = f"{a!r} = {b}?"', 'x = f"{a!r} = {b}?"'),
        ("x = (7\n     % 2)", "x = (7\n     % 2)"),
        ("x = [\n    '!ls',\n    '=!ls',\n]", "x = [\n    '!ls',\n    '=!ls',\n]"),
        ("# !ls\nx = 1  # = !ls?", "# !ls\nx = 1  # = !ls?"),
        ("x %= 2; y = a != b", "x %= 2; y = a != b"),
        # cells that are Python all the same
        ("%%time\nx = 1", "\nx = 1"),
        ("%%timeit -n 10\n%pip install a\nx", "\npass\nx"),
        ("\n# a note\n%%capture out\nx", "\n# a note\n\nx"),
        ("%%capture\n%%time\nx", "\n\nx"),
        ("%%time\nx = (", "\nx = ("),
        ("%%unheard_of --fast\nx = 1", "\nx = 1"),
        # and cells that are not
        ("%%bash\nls\nx = 1", "\n\n"),
        ("%%writefile app.py\nimport os\n", "\n\n"),
        ("%%HTML\n<p>", "\n"),
        ("%%time\n%%bash\nls", "\n\n"),
        ("%%unheard_of\nselect 1 from", "\n"),
        ("%%!\nls", "\n"),
        ("# a note\n%%sh\ncat x", "\n\n"),
        ("%sql\nselect *\nfrom users", "\n\n"),
        ("%sql select 1\nx = 1", "pass\nx = 1"),
        ("\npip install mem0ai\n", "\n\n"),
        ("rm -rf x", ""),
        ("cd = 1", "cd = 1"),
        # not Python, and not our business to repair
        ("sudo apt-get install x", "sudo apt-get install x"),
        ("x = (\n!ls", "x = (\n!ls"),
        ("'''\n!ls", "'''\n!ls"),
        ("", ""),
    ],
)
def test_a_cell_becomes_python_line_for_line(cell: str, python: str) -> None:
    assert to_python(cell) == python


@pytest.mark.parametrize("path", sorted(CHECKOUT.glob("scope_lint/**/*.py")), ids=lambda path: path.stem)
def test_python_stays_as_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert to_python(text) == text


FRAGMENTS = [
    "%",
    "%%",
    "!",
    "?",
    "=",
    "'",
    '"',
    "'''",
    "(",
    ")",
    "{",
    "\\",
    "\n",
    " ",
    "#",
    "x",
    "time ",
    "bash",
    "f(x)",
]


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_any_cell_keeps_its_lines(cell: str) -> None:
    assert to_python(cell).count("\n") == cell.count("\n")
    assert dedented(cell).count("\n") == cell.count("\n")


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join))
def test_python_that_python_accepts_means_the_same(cell: str) -> None:
    try:
        before = ast.dump(ast.parse(cell))
    except SyntaxError:
        return
    assert ast.dump(ast.parse(to_python(cell))) == before


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
        ("\n \n    if x:\n        y\nz", "\n \nif x:\n    y\nz"),
        ("x\n  y", "x\n  y"),
        ("  ", "  "),
    ],
)
def test_the_indentation_of_the_first_line_is_taken_off(cell: str, expected: str) -> None:
    assert dedented(cell) == expected


# ---------------------------------------------------------------------------------------------------------------------
# The file


@pytest.mark.parametrize(
    ("data", "text", "cells"),
    [
        (notebook("x = 1\ny = 2", "z"), "x = 1\ny = 2\n\nz\n", [(1, 1), (2, 4)]),
        (notebook(["x = 1\n", "y = 2\n"], ["z"]), "x = 1\ny = 2\n\n\nz\n", [(1, 1), (2, 5)]),
        (notebook("# A title", "x", "# and so on", "y"), "x\n\ny\n", [(2, 1), (4, 3)]),
        (notebook("", [], "x\r\ny\rz"), "\n\n\n\nx\ny\nz\n", [(1, 1), (2, 3), (3, 5)]),
        (notebook(None, "é 😀"), "\n\né 😀\n", [(1, 1), (2, 3)]),
        (notebook(), "", []),
        (b"\xef\xbb\xbf" + notebook("x"), "x\n", [(1, 1)]),
        (notebook("x", cost=float("nan"), size=10**5000 % 7), "x\n", [(1, 1)]),
        (notebook("x", nbformat="four", nbformat_minor=None), "x\n", [(1, 1)]),
        (notebook("    x\n    y", "z"), "x\ny\n\nz\n", [(1, 1), (2, 4)]),
        (
            json.dumps(
                {
                    "metadata": {"name": ""},
                    "nbformat": 3,
                    "worksheets": [
                        {"cells": [{"cell_type": "heading", "level": 1, "source": ["Notes"]}]},
                        {"cells": [{"cell_type": "code", "language": "python", "input": ["x\n", "y"], "outputs": []}]},
                    ],
                }
            ).encode(),
            "x\ny\n",
            [(2, 1)],
        ),
        (json.dumps({"nbformat": 3, "worksheets": []}).encode(), "", []),
    ],
)
def test_the_code_cells_are_one_text(data: bytes, text: str, cells: list[tuple[int, int]]) -> None:
    expected = Notebook(text, tuple(Cell(number, first) for number, first in cells))
    assert source_of(data).notebook == expected
    assert decode(source_of(data)) == text


@pytest.mark.parametrize(
    ("metadata", "is_read"),
    [
        ({}, True),
        (None, True),
        ({"language_info": {"name": "python"}}, True),
        ({"kernelspec": {"language": "python", "name": "conda"}, "language_info": {"name": "Glue"}}, True),
        ({"kernelspec": "ir", "language_info": []}, True),
        ({"language_info": {"name": "R"}}, False),
        ({"kernelspec": {"language": "typescript"}}, False),
    ],
)
def test_the_cells_of_other_languages_are_not_read(metadata: object, *, is_read: bool) -> None:
    source = source_of(notebook("x <- 1", "const y = 2", metadata=metadata))
    assert (source.data != b"") is is_read


def test_a_notebook_that_names_another_language_and_is_python_is_read() -> None:
    data = notebook(AGREED, DEVIANT, "!ls", metadata={"language_info": {"name": "coconut"}})
    assert [(each.rule, each.place.cell.number) for each in lint(data).findings] == [("shape-drift", 2)]


def test_only_what_the_cells_say_is_looked_at() -> None:
    output = {"output_type": "display_data", "data": {"image/png": "A" * 1000, "text/plain": DEVIANT}}
    cell = code_cell("print('größe')\nx", outputs=[output], metadata={"scope": "user"})
    assert source_of(notebook(cells=[cell])).data == "print('größe')\nx\n".encode()


# ---------------------------------------------------------------------------------------------------------------------
# Damage

DEEP = 10_000


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        pytest.param(notebook(DEVIANT)[:-40], 1, None, "damaged", id="cut off"),
        pytest.param(b'{"cells": [\n {"x": ["ingest_events(', 2, 9, "Unterminated string", id="cut off in a string"),
        pytest.param(b'{"cells": [\n {"x": "ingest_events"\n\n', 2, 23, "Expecting ','", id="cut off in a cell"),
        pytest.param(b'{"cells": [],\n "a": ingest_events}\n', 2, 7, "Expecting value", id="no JSON"),
        pytest.param(b'{"cells": []}\n"ingest_events"', 2, 1, "Extra data", id="more than one value"),
        pytest.param(b'<<<<<<< ingest_events\n{"cells": []}', 1, 1, "Expecting value", id="conflict"),
        pytest.param(b'{"ingest_events": \r\n "\n"}', 2, 3, "control character", id="line end in a string"),
        pytest.param(b'{"ingest_events": 1}', 1, 1, "no `cells`", id="no cells"),
        pytest.param(b'["ingest_events"]', 1, 1, "Expected `object`, got `array`", id="a list"),
        pytest.param(b'{"ingest_events": "",\n "cells":\n  5}', 3, 3, "got `int`", id="cells are a number"),
        pytest.param(b'{"ingest_events": "",\n "cells": [{}]}', 2, 12, "`cell_type`", id="no kind of cell"),
        pytest.param(b'{"ingest_events": "", "worksheets": [{}]}', 1, 38, "`cells`", id="worksheet without cells"),
        pytest.param(
            notebook(DEVIANT, 5).replace(b'"source"', b'\n"source"'), 3, 11, "got `int`", id="source is a number"
        ),
        pytest.param(notebook(["ingest_events\n", 5]), 1, 95, "got `int`", id="a line is a number"),
        pytest.param(notebook("ingest_events").replace(b'"i', b'"\xffi'), 1, 76, "0xff is no UTF-8", id="not UTF-8"),
        pytest.param(notebook(DEVIANT).decode().encode("utf-16"), 1, 1, "UTF-16", id="UTF-16"),
        pytest.param(
            b'{"ingest_events": "[[",\n"x":' + b"[" * DEEP + b"]" * DEEP + b"}", 2, 104, "nested", id="too deep"
        ),
    ],
)
def test_a_damaged_notebook_has_a_place(data: bytes, line: int, column: int | None, message: str) -> None:
    report = lint(data)
    assert [finding.rule for finding in report.findings] == ["unreadable-file"]
    place = report.findings[0].place
    assert (place.where, place.line) == ("notes.ipynb", line)
    assert column in {None, place.span.column}
    assert message in report.findings[0].message


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"{}", b'{"cells": 5}', b'{"cells": [{"cell_type": "code", "source": 5}]}', b"\xff", b"\0"],
)
def test_a_damaged_notebook_that_says_nothing_of_memory_is_passed_over(data: bytes) -> None:
    assert lint(data).findings == ()


def test_names_in_a_damaged_notebook_count_as_in_its_code() -> None:
    words = "x" * 50
    far = f"bank.add({words},\n" + f"    {words},\n" * 4 + "    scope={})"
    assert lint(notebook(far)[:-1]).findings
    assert lint(notebook("from bank import x\nadd(scope={})")[:-1]).findings


def test_a_gigantic_notebook_is_not_read(folder: Path) -> None:
    with (folder / "notes.ipynb").open("wb") as stream:
        stream.truncate(2**33)  # no block of which is on the disk
    [finding] = check((Path(),)).findings
    assert finding.rule == "unreadable-file"
    assert "has 8,590 MB" in finding.message


WHOLE = notebook("# A title", ["x = '\u00e9'\n", "y"], "!ls", metadata={"kernelspec": {"language": "python"}})


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=3))
def test_a_notebook_with_any_damage_is_a_notebook_or_has_a_place(start: int, end: int, instead: bytes) -> None:
    result = parse(File("notes.ipynb", Path("notes.ipynb")), WHOLE[:start] + instead + WHOLE[end:])
    if isinstance(result, Problem):
        assert result.place.span >= Span(1, 1, 1, 1)
        assert not result.opaque
    else:
        assert len(result.code().split("\n")) == len(result.text.split("\n"))


# ---------------------------------------------------------------------------------------------------------------------
# Cells that cannot be read


@pytest.mark.parametrize(
    ("cell", "line", "column", "message"),
    [
        (BROKEN, 1, 23, "'[({]+' was never closed"),
        (f"x = 1\n\n{BROKEN}", 3, 23, "never closed"),
        ("def learn(bank):\n", 1, None, "expected an indented block"),
        ("    x = 1\n  y = 2\n z", 2, None, "indent"),
        ("bank.ingest('\0')", 1, 14, r"U\+0000"),
        ("bank.ingest('\ud800')", 1, 14, r"U\+D800"),
        ("x = " + "(" * DEEP, 1, None, "brackets in one another"),
        ("x = \\", 1, None, "unexpected EOF|invalid syntax"),
    ],
)
def test_a_damaged_cell_has_its_place_and_leaves_the_others_alone(
    cell: str, line: int, column: int | None, message: str
) -> None:
    report = lint(notebook("# A title", AGREED, cell, DEVIANT))
    [damaged, drift] = report.findings
    assert (damaged.rule, damaged.place.where, damaged.place.line) == ("unreadable-file", "notes.ipynb:cell 3", line)
    assert column in {None, damaged.place.span.column}
    assert re.search(message, damaged.message)
    assert (drift.rule, drift.place.where, drift.place.line) == ("shape-drift", "notes.ipynb:cell 4", 2)


def test_cells_do_not_complete_one_another() -> None:
    report = lint(notebook(AGREED, "bank.ingest('', scope=(\n", "))", DEVIANT))
    assert [(each.rule, each.place.cell.number) for each in report.findings] == [
        ("unreadable-file", 2),
        ("unreadable-file", 3),
        ("shape-drift", 4),
    ]


def test_a_damaged_cell_is_passed_over_where_nothing_is_said_of_memory() -> None:
    assert lint(notebook("x = (", "y = 1")).findings == ()


# ---------------------------------------------------------------------------------------------------------------------
# Places


def test_lines_of_the_text_belong_to_cells() -> None:
    notebooks = {"a.ipynb": (Cell(2, 1), Cell(3, 5))}
    span = [Span(line, 1, line, 2) for line in range(7)]
    places = in_cells(tuple(Place("a.ipynb", each) for each in span[1:]), notebooks)
    assert [(place.where, place.line) for place in places] == [
        *(("a.ipynb:cell 2", line) for line in (1, 2, 3, 4)),
        *(("a.ipynb:cell 3", line) for line in (1, 2)),
    ]
    assert in_cells(Place("a.py", span[6]), notebooks) == Place("a.py", span[6])
    assert [*places] == sorted(places)


def test_text_names_cell_and_line() -> None:
    Path("people.py").write_text(AGREED)
    helper = 'def ask(bank, user):\n    return bank.retrieve("tea", scope={"user": user})\n'
    report = lint(notebook("# A title", helper, "%cd notes\nask(bank, uid)\n", "ask(bank, str(uid))\n"))
    assert (
        FORMATS["text"](report)
        == """\
notes.ipynb:cell 3:2:11: warning[shape-drift] user arrives as is; 3 of 4 places store str(…) (splits)
    2 | ask(bank, uid)
      |           ^^^
      via    ask(bank, user) notes.ipynb:cell 2:1 -> bank.retrieve notes.ipynb:cell 2:2
      others str(uid) at notes.ipynb:cell 4:1, people.py:2 and 1 more
      why    store `generic` matches exactly: 42, "42" and "user-42" are three profiles
      write  str(uid), or convert once inside ask()
"""
    )


def validated(text: str, schema: str) -> dict[str, list[dict[str, object]]]:
    document: dict[str, list[dict[str, object]]] = json.loads(text)
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))).validate(document)
    return document


def test_json_carries_the_cell() -> None:
    Path("people.py").write_text(AGREED)
    report = lint(notebook("# A title", "import people\n\n" + DEVIANT))
    [finding] = validated(FORMATS["json"](report), "findings.schema.json")["findings"]
    place = {"path": "notes.ipynb", "cell": 2, "line": 4}
    assert finding.items() >= (place | {"end_line": 4, "column": 49, "end_column": 53}).items()
    assert finding["related"] == [place | {"column": 12, "message": "reaches bank.retrieve_profile"}]
    [site, *others] = validated(SITES["json"](report), "sites.schema.json")["sites"]
    assert site.items() >= (place | {"column": 12, "built_at": place}).items()
    assert isinstance(site["keys"], dict)
    assert site["keys"]["user"].items() >= place.items()
    assert not any("cell" in other for other in others)


def test_what_is_shown_is_what_the_cell_says() -> None:
    report = lint(notebook(AGREED, "def card(bank, user):\n    %time bank.retrieve_profile(scope={'user': user})\n"))
    [finding] = report.findings
    assert finding.line_text == "    %time bank.retrieve_profile(scope={'user': user})"
    assert finding.line_text[finding.place.span.column - 1 :].startswith("user}")


def test_a_notebook_is_no_module() -> None:
    Path("mem0.ipynb").write_bytes(notebook("class Memory:\n    def add(self, text, user_id):\n        pass\n"))
    Path("a.py").write_text("from mem0 import Memory\n\nMemory().add('tea', user_id=uid)\n")
    [site] = check((Path(),)).sites
    assert (site.place.path, site.store) == ("a.py", "mem0")


ONE_FILE = [
    case
    for case in all_cases()
    if case.path.suffix == ".py" and not case.name.startswith((*UNMARKED, "unreadable-file/"))
]


def cut(text: str) -> list[str]:
    """A module in pieces: each begins with the comments above a statement."""
    lines = text.splitlines(keepends=True)
    ends = [node.end_lineno or 1 for node in ast.parse(text).body]
    starts = [0, *ends[:-1]]
    return ["".join(lines[start:end]) for start, end in zip(starts, [*ends[:-1], len(lines)], strict=True)]


@pytest.mark.parametrize("case", ONE_FILE, ids=lambda case: case.name)
def test_a_module_cut_into_cells_has_the_same_findings(case: Case, folder: Path) -> None:
    pieces = cut(case.path.read_text(encoding="utf-8"))
    (folder / f"{case.path.stem}.ipynb").write_bytes(notebook(*pieces))
    in_notebook = Case(case.name, folder / f"{case.path.stem}.ipynb")
    expected, todo = marks(in_notebook)
    assert expected | todo == frozenset(moved(marks(case)[0] | marks(case)[1], pieces))
    assert found(run(in_notebook)) == frozenset(moved(found(run(case)), pieces))


def moved(these: frozenset[Mark], pieces: Sequence[str]) -> list[Mark]:
    """Marks and findings of a module as they are when it is cut."""
    above = [0]
    for piece in pieces:
        above.append(above[-1] + piece.count("\n"))
    cells = [max(number for number, lines in enumerate(above) if lines < mark.line) for mark in these]
    return [
        Mark(f"{mark.path.removesuffix('.py')}.ipynb:cell {cell + 1}", mark.line - above[cell], mark.rule)
        for mark, cell in zip(these, cells, strict=True)
    ]
