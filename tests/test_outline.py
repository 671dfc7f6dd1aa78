import ast
import gc
import random
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint.model import Chunk
from scope_lint.outline import outline

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
STDLIB = Path(sysconfig.get_path("stdlib"))

# ---------------------------------------------------------------------------------------------------------------------
# A chunk says what the file says, at the same places


def parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(text)


def without_definitions(body: list[ast.stmt]) -> list[ast.stmt]:
    return [ast.Pass() if isinstance(node, DEFINITIONS) else node for node in body]


def definitions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, str, ast.stmt]]:
    """What the chunks should hold: qualified name, kind, and the node, classes without what is cut out of them."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            inner = list(definitions(node.body, f"{outer}{node.name}."))
            node.body = without_definitions(node.body)
            yield outer + node.name, "class", node
            yield from inner
        elif isinstance(node, DEFINITIONS):
            yield outer + node.name, "method" if outer else "function", node


def line_in_file(chunk: Chunk, line: int) -> int:
    first, there = max(pair for pair in chunk.lines if pair[0] <= line)
    return there + line - first


def places(node: ast.AST, chunk: Chunk | None = None) -> list[tuple[str, int, int, int, int]]:
    """Where everything stands, in the file; a class ends where its last part does, which may be cut out."""
    found = []
    for each in ast.walk(node):
        if isinstance(each, ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) and not isinstance(each, ast.Pass):
            line, end = each.lineno, each.end_lineno or 0
            if chunk:
                line, end = line_in_file(chunk, line), line_in_file(chunk, end)
            end_column = each.end_col_offset or 0
            if each is node and isinstance(each, ast.ClassDef):
                end, end_column = 0, 0
            found.append((type(each).__name__, line, each.col_offset, end, end_column))
    return found


def assert_faithful(text: str) -> None:
    found = outline("a.py", text)
    assert found.problems == ()
    tree = parse(text)
    wanted: list[tuple[str, str, ast.AST]] = [*definitions(tree.body)]
    tree.body = without_definitions(tree.body)
    wanted.append(("", "module", tree))
    assert [(chunk.qualname, chunk.kind) for chunk in found.chunks] == [(name, kind) for name, kind, _ in wanted]
    for chunk, (_, kind, original) in zip(found.chunks, wanted, strict=True):
        copy: ast.AST = parse(chunk.source)
        if "." in chunk.qualname:
            assert isinstance(copy, ast.Module)
            copy = copy.body[0]
        if kind != "module":
            assert isinstance(copy, ast.Module | ast.ClassDef)
            (copy,) = copy.body
        assert ast.dump(copy) == ast.dump(original)
        assert places(copy, chunk) == places(original)


LINES = st.sampled_from(
    [
        "x = 1",
        "name = 'é', y",
        "é: int = f(a, key=[1, 2])  # é",
        "x = 1; y = f'{x!r:>{y}} é'",
        "z = '''one\n\f  two\u2028three\x0b\x1c\n'''; y = 2",
        "call(a,\n\f b,\n\n# between\n  c)",
        "x = a \\\n  + b",
        "x = a \\\n\n",
        "y = 1 \\\n    # after a backslash",
        '"""a string of its own"""',
        "# a comment \\",
        "",
        "\f",
        "del x;",
        "(\n yes\n)",
        "lambda: (yield)",
    ]
)
DECORATORS = st.sampled_from(
    ["@a", "@a.b(1, x='@')", "@(\n# @ here\n  a\n)", "@a  # why\n\n# and\n", "@(lambda f: f)", "@\\\n a"]
)


def indented(block: list[str], by: str) -> list[str]:
    """The statements one level further in; the lines that a statement goes on with stay where they are."""
    return [by + statement for statement in block]


@st.composite
def functions(draw: st.DrawFn, blocks: st.SearchStrategy[list[str]]) -> list[str]:
    head = draw(st.sampled_from(["def f(self, a: int = 1, *, b=d):", "async def g() -> 'é':", "def f(\n  a,\n): # c"]))
    decorators = draw(st.lists(DECORATORS, max_size=2))
    if draw(st.booleans()):
        return [*decorators, head.partition("#")[0] + " return 1"]
    return [*decorators, head, *indented(["pass", *draw(blocks)], draw(st.sampled_from(["    ", "\t", " "])))]


@st.composite
def classes(draw: st.DrawFn, blocks: st.SearchStrategy[list[str]]) -> list[str]:
    decorators = draw(st.lists(DECORATORS, max_size=2))
    head = draw(st.sampled_from(["class A:", "class B(C, metaclass=D):  # c", "class E(\n  F,\n):"]))
    if draw(st.booleans()):
        return [*decorators, head.partition("#")[0] + draw(st.sampled_from(["pass", " x = 1; y = 2", "\\\n   x = 1"]))]
    inner = [*draw(functions(blocks)), *draw(blocks)] if draw(st.booleans()) else ["pass", *draw(blocks)]
    return [*decorators, head, *indented(inner, draw(st.sampled_from(["    ", "\t", " "])))]


@st.composite
def compounds(draw: st.DrawFn, blocks: st.SearchStrategy[list[str]]) -> list[str]:
    inside = indented(["pass", *draw(blocks)], "  ")
    return draw(
        st.sampled_from([["if x:", *inside, "elif y: pass", "else:", *inside], ["try:", *inside, "finally:", *inside]])
    )


SIMPLE = LINES.map(lambda line: [line])
BLOCKS: st.SearchStrategy[list[str]] = st.recursive(
    st.lists(LINES, max_size=3),
    lambda blocks: st.lists(st.one_of(SIMPLE, functions(blocks), classes(blocks), compounds(blocks)), max_size=4).map(
        lambda parts: [line for part in parts for line in part]
    ),
    max_leaves=12,
)


@given(BLOCKS, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\n", "\n\n"]))
def test_a_chunk_is_what_stands_in_the_file(block: list[str], line_end: str, end: str) -> None:
    assert_faithful(("\n".join(block) + end).replace("\n", line_end))


def test_the_standard_library_is_cut_faithfully() -> None:
    files = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)
    for path in random.Random(0).sample(files, 150):  # noqa: S311 - a sample, not a secret
        try:
            text = path.read_text(encoding="utf-8")
            parse(text)
        except (SyntaxError, ValueError):
            continue
        assert_faithful(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "\n\n",
        "x = 1",
        "x = 1 \\\n\n",
        "class A: x = 1",
        "class A(B): pass",
        "class A:\n  def f(self): pass",
        "class A: \\\n    x = 1",
        "class A:\n    x = 1; y = 2\n    def f(self): pass\n    z = 3",
        "class A:\n    if x:\n        def f(self): pass\n    else:\n        class B: pass",
        "class A:\n    class B:\n        x = 1\n        def f(self): pass\n    def g(self): pass",
        "class A:\n    'doc'\n\n    @(  # why\n        a\n    )\n\n    # and\n    @b\n    async def f(self): pass\n",
        "class A:\n    @x.setter\n    def x(self, y): pass\n    @x.getter\n    def x(self): pass\n",
        "class A:\n    def f(self):\n        pass\n        # trailing\n  # odd\n    x = 1\n",
        "class A:\n\tdef f(self):\n\t\tx\n\n\ty = 1\n",
        "class A:\n    \\\ndef f(self):\n        x\n    y = 1\n",
        "class A:\n    def f(self):\n        return 1 \\\n\n    x = 1\n",
        "def f():\n    return 1; \\\n  # \\\n\ng()\n",
        "# comment \\\ndef f(): pass\n# comment \\\n",
        "def f():\n    def g():\n        class A: pass\n",
        "def f():\n    '''one\n\ftwo'''\n\f\n    x = f(1,\n\f2)\n",
        "try:\n    import a\nexcept ImportError:\n    def a(): pass\n",
        "import a\r\n\r\ndef f():\r\n    '''one\r\ntwo'''\r\n    return a\r\nx = f()",
        "async def f(): await x\nasync def g():\n    async with x: pass\n",
    ],
)
def test_what_is_hard_to_cut_is_cut_faithfully(text: str) -> None:
    assert_faithful(text)


def test_chunks_in_source_order_the_module_last() -> None:
    text = dedent(
        """\
        import a

        @a.b
        def f():
            return 1

        class C(a.D):
            x = 1

            def m(self):
                return 2

            class E:
                def n(self): return 3

        y = f()
        """
    )
    assert [(chunk.qualname, chunk.source, chunk.lines) for chunk in outline("a.py", text).chunks] == [
        ("f", "@a.b\ndef f():\n    return 1\n", ((1, 3),)),
        ("C", "class C(a.D):\n    x = 1\n\n    pass\n\n    pass\n", ((1, 7), (5, 12))),
        ("C.m", "class _:\n    def m(self):\n        return 2\n", ((1, 9),)),
        ("C.E", "class _:\n    class E:\n        pass\n", ((1, 12),)),
        ("C.E.n", "class _:\n        def n(self): return 3\n", ((1, 13),)),
        ("", "import a\n\npass\n\npass\n\ny = f()\n", ((1, 1), (4, 6), (6, 15))),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\f\nx = 1\n", " \nx = 1\n"),
        ("x(1,\n \f 2)\n", "x(1,\n   2)\n"),
        ("if x:\n    y\n\f# c\n\f    z\n", "if x:\n    y\n # c\n    z\n"),
        ("\fx = 1\n", "x = 1\n"),
        ("x = '''\n\f'''\n", "x = '''\n\f'''\n"),
        ("x = f'''\n\f{y}\n\f''' + '\\\n\f'\n", "x = f'''\n\f{y}\n\f''' + '\\\n\f'\n"),
        ("x = 1\f\ny\f= 2\n", "x = 1\f\ny\f= 2\n"),
    ],
)
def test_form_feeds_in_indentation_go(text: str, expected: str) -> None:
    (module,) = outline("a.py", text).chunks
    assert module.source == expected


# ---------------------------------------------------------------------------------------------------------------------
# Names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b.c", "a b c"),
        ("f(k=v, **w)", "f k v w"),
        ("import a.b as c, d", "a b c d"),
        ("from a.b import c as d", "a b c d"),
        ("x['key']", "x key"),
        ("x = 'two words'", "x|two words"),
        (f"x = '{100 * 'a'}', '{101 * 'b'}'", "x " + 100 * "a"),
        ("x = f'{y} text'", "x|y| text"),
        ("'docstring'; b'bytes'; 1", ""),
        ("x = lambda p, *q, r=s, **t: u", "x p q r s t u"),
        ("try: a\nexcept B as c: d", "a B c d"),
        ("with a as b, c: d", "a b c d"),
        ("match a:\n case B(c=d, e=None, f=True): g\n case {'h': i, **j}: k", "a B c d e f g h i j k"),
        ("match a:\n case [*b] | 'd' as c: e", "a b c d e"),
        ("if x:\n def f(p: q = r) -> s:\n  'doc'\n  global u\n  class V(w, x=y): z", "x f p q r s u V w y z"),
        ("{**a, b: c}", "a b c"),
        ("for a, b in c: d: e = f", "a b c d e f"),
        ("a < b is not c; a += -d; del e; assert f, g; raise h from i", "a b c d e f g h i"),
    ],
)
def test_names_that_a_module_mentions(text: str, expected: str) -> None:
    (module,) = outline("a.py", text).chunks
    assert module.names == set(expected.split("|") if "|" in expected else expected.split())


def test_each_chunk_has_its_own_names() -> None:
    text = dedent(
        """\
        @decorator
        def f(p: Type = default) -> Result:
            '''doc'''
            def g(): return "inner"

        class C(Base, metaclass=Meta):
            '''doc'''
            field = value
            def m(self): return attribute.of
        """
    )
    assert [(chunk.qualname, sorted(chunk.names)) for chunk in outline("a.py", text).chunks] == [
        ("f", ["Result", "Type", "decorator", "default", "g", "inner", "p"]),
        ("C", ["Base", "Meta", "field", "metaclass", "value"]),
        ("C.m", ["attribute", "of", "self"]),
        ("", []),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# What is dangerous, and what is newer

GOOD = "def good(): return 1\n"
REFUSED = "x = = 1\r\n"


@pytest.mark.parametrize(
    ("bad", "line", "column"),
    [
        ("x = " + "(" * 1_500 + ")" * 1_500, 2, 1_504),
        ("x = " + "not " * 8_000 + "a", 2, 1),
        ("x = " + "lambda a, b: " * 8_000 + "a", 2, 1),
        ("x = [\n 1, " + "**".join(["a"] * 8_000) + "]", 2, 1),
        ("if a: pass\n" + "elif b: pass\n" * 8_000, 8_002, 1),
    ],
    ids=["parentheses", "not", "lambda", "power", "elif"],
)
def test_what_python_cannot_parse_is_a_problem_of_the_file(bad: str, line: int, column: int) -> None:
    found = outline("a.py", GOOD + bad + "\n")
    assert found.chunks == ()
    (problem,) = found.problems
    assert (problem.place.path, problem.place.span.line, problem.place.span.column) == ("a.py", line, column)
    assert not problem.opaque
    assert "split it" in problem.message


@pytest.mark.parametrize(
    ("bad", "line"),
    [("if y:\n    x = " + " + ".join(["1"] * 8_000), 3), ("x = a" + ".b()" * 4_000, 2)],
    ids=["sum", "calls"],
)
def test_what_only_some_pythons_can_parse_is_never_handed_on(bad: str, line: int) -> None:
    found = outline("a.py", GOOD + bad + "\n")
    assert [chunk.qualname for chunk in found.chunks] in ([], ["good"])
    assert [problem.place.span.line for problem in found.problems] == [line]


@pytest.mark.parametrize(
    ("deep", "line", "column"),
    [
        ("x = é, " + " + ".join(["1"] * 300), 3, 12),
        ("x = a" + ".b()" * 150, 3, 9),
        ("x = " + " or ".join(["a"] * 8_000), 3, 9),
        ("x = (a or " + " and ".join(["b"] * 8_000) + ")", 3, 15),
        ("import " + ".".join(["a"] * 8_000), 3, 12),
        ("from " + ".".join(["a"] * 8_000) + " import b", 3, 16_017),
        ("if a: pass" + "\n    elif b: pass" * 400, 203, 10),
    ],
    ids=["sum", "calls", "or", "and in or", "import", "from", "elif"],
)
def test_a_chunk_that_is_too_deep_is_left_out_with_its_place(deep: str, line: int, column: int) -> None:
    found = outline("a.py", f"{GOOD}def bad():\n    {deep}\nrest = 1\n")
    assert [chunk.qualname for chunk in found.chunks] == ["good", ""]
    (problem,) = found.problems
    assert (problem.place.span.line, problem.place.span.column) == (line, column)
    assert not problem.opaque


def test_a_deep_module_leaves_its_functions() -> None:
    found = outline("a.py", f"{GOOD}class C:\n  def m(self): pass\n  x = a{'.b' * 300}\ny = a{'.b' * 300}\n")
    assert [chunk.qualname for chunk in found.chunks] == ["good", "C.m"]
    assert [problem.place.span.line for problem in found.problems] == [4, 5]


@pytest.mark.parametrize(
    "text",
    [
        f"a = [{'1, ' * 10_000}]",
        "b = {" + "'k': [1, 2], " * 10_000 + "}",
        "f(" + "x, " * 5_000 + ")",
        "x = 1; " * 5_000,
        "if a: pass\n" + "elif b: pass\n" * 150,
    ],
    ids=["list", "dict", "arguments", "statements", "elif"],
)
def test_what_is_long_and_not_deep_is_read(text: str) -> None:
    for whole in (text, f"{REFUSED}{text}\n"):
        found = outline("a.py", whole)
        assert found.problems == ()
        assert [chunk.qualname for chunk in found.chunks] == [""]


TABLE = "DATA = {\n" + "".join(f"    'key_{n}': {n},\n" for n in range(2_000)) + "}\n"


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        pytest.param(TABLE, True, id="a large literal"),
        pytest.param("first = 1\n\n" + TABLE + "\n\ndef f():\n    pass\n", True, id="between other statements"),
        pytest.param(TABLE.replace("DATA =", "DATA: dict[str, int] ="), True, id="annotated"),
        pytest.param(TABLE.replace("'key_7': 7", "'key_7': f()"), False, id="with a call in it"),
        pytest.param(TABLE.replace("\n}", "\n}; last = 1"), False, id="with another statement on its line"),
        pytest.param("DATA = {'key_1': 1}\n", False, id="a small one"),
    ],
)
def test_a_large_literal_is_left_out(text: str, *, is_left_out: bool) -> None:
    module = outline("a.py", text).chunks[-1]
    assert ("key_1" not in module.names) == is_left_out
    assert ("key_1" not in module.source) == is_left_out
    assert [line for line in module.source.split("\n") if line.startswith("first")] == ["first = 1"] * ("first" in text)


def test_what_python_refuses_is_one_chunk_for_libcst_to_judge() -> None:
    found = outline("a.py", REFUSED + "def f():\r    memory.add('user_id')")
    assert found.problems == ()
    (module,) = found.chunks
    assert (module.qualname, module.kind, module.lines) == ("", "module", ((1, 1),))
    assert module.source == "x = = 1\ndef f():\n    memory.add('user_id')\n"
    assert {"x", "f", "memory", "add", "user_id"} <= module.names


@pytest.mark.parametrize(
    ("deep", "line", "column"),
    [
        ("(" * 101 + ")" * 101, 2, 101),
        ("#(\nx = '(', '''\n(''', f'({{(' \"\\\"(\" + \\\n" + "[" * 101, 5, 101),
        ('x = f"{\'"\'}" + ' + "(" * 101 + ' "\'"', 2, 116),
        ("f'{x:{y}(}' + " + "{" * 101 + "}" * 101, 2, 115),
        ("y = 1\n" + " + ".join(["1"] * 501), 3, 1),
        ("x = [" + "lambda a, b: " * 300 + "1]", 2, 1),
        ("[" + "x for a, b in c " * 300 + "]", 2, 1),
        ("(" + "(1 + " * 90 + " - " * 900 + "1" + ")" * 91, 2, 1),
        ("x = a" + "[0]" * 1_001, 2, 1),
        ("x = " + "'a' " * 1_001, 2, 1),
        ("if a: pass\n" + "elif b:\n  if c: pass\n" * 201, 403, 1),
    ],
)
def test_what_python_refuses_and_libcst_would_not_survive(deep: str, line: int, column: int) -> None:
    found = outline("a.py", REFUSED + deep)
    assert found.chunks == ()
    (problem,) = found.problems
    assert (problem.place.span.line, problem.place.span.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "# " + "(" * 200,
        "x = '''" + "(" * 200 + "'''",
        'x = f"' + "(" * 200 + "{y:" + "(" * 200 + '}"',
        'x = rb"' + '\\"(' * 200 + '"',
        "x = [" + "(a + b),\n" * 2_000 + "]",
        "x = a + b\n" * 2_000,
        "if a:\n  if b: pass\n  elif c: pass\nelif d: pass\n" * 300,
        ")" * 500,
        "f'{" * 40,
        "'''never ended " + "(" * 200,
    ],
)
def test_what_python_refuses_and_is_not_deep(text: str) -> None:
    found = outline("a.py", REFUSED + text)
    assert [chunk.qualname for chunk in found.chunks] == [""]


@pytest.mark.parametrize(("text", "column"), [("x = '\0'", 6), ("y = '\ud800'", 6)])
def test_characters_that_are_no_source(text: str, column: int) -> None:
    found = outline("a.py", f"\n{text}\n")
    assert found.chunks == ()
    assert (found.problems[0].place.span.line, found.problems[0].place.span.column) == (2, column)


@given(st.text(alphabet="(){}[]'\"\\\n\r\f\t #@:;,.=fr1a\0é"))
def test_any_text_has_an_outline(text: str) -> None:
    found = outline("a.py", text)
    assert found.chunks or found.problems


def test_warnings_of_the_compiler_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [chunk.qualname for chunk in outline("a.py", "x = '\\d' is 1\n").chunks] == [""]


@pytest.mark.parametrize("text", ["x = 1", "x = = 1", "not " * 8_000])
def test_the_garbage_collector_is_left_as_it_was(text: str) -> None:
    outline("a.py", text)
    assert gc.isenabled()
    gc.disable()
    try:
        outline("a.py", text)
        assert not gc.isenabled()
    finally:
        gc.enable()
