import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint.model import File, Problem, ScopeSpec, Sink, Store
from scope_lint.sieve import NEAR, Interest, Sieve, interests
from scope_lint.source import Source, decode, read

# ---------------------------------------------------------------------------------------------------------------------
# Reading


@contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions do not bind root: be nobody meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


def trouble(path: Path) -> str:
    problem = read(File("a.py", path))
    assert isinstance(problem, Problem)
    assert problem.place.path == "a.py"
    assert (problem.place.span.line, problem.place.span.column) == (1, 1)
    assert not problem.opaque
    return problem.message


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx\r\n\0")
    assert read(File("a.py", path)) == Source(File("a.py", path), b"\xef\xbb\xbfx\r\n\0")


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "dangling.py").symlink_to("gone.py")
    (tmp_path / "circular.py").symlink_to("circular.py")
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe.py")
    assert "link to 'gone.py', which does not exist" in trouble(tmp_path / "dangling.py")
    assert "link that cannot be followed" in trouble(tmp_path / "circular.py")
    assert "does not exist any more" in trouble(tmp_path / "missing.py")
    assert "is a folder" in trouble(tmp_path)
    assert "no regular file" in trouble(tmp_path / "pipe.py")
    assert "cannot be read" in trouble(tmp_path / "file" / "a.py")


def test_what_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch(mode=0)
    (tmp_path / "folder").mkdir(mode=0)
    with unprivileged():
        assert "give yourself the permission" in trouble(tmp_path / "a.py")
        assert "give yourself the permission" in trouble(tmp_path / "folder")


# ---------------------------------------------------------------------------------------------------------------------
# Decoding


def decoded(data: bytes) -> str | Problem:
    return decode(Source(File("a.py", Path("a.py")), data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        ("é = 1\r\n\f".encode(), "é = 1\r\n\f"),
        (b"\xef\xbb\xbfx", "x"),
        (b"\xef\xbb\xbf# coding: utf-8\nx", "# coding: utf-8\nx"),
        (b"# coding: latin-1\n'\xe9'", "# coding: latin-1\n'é'"),
        (b"# -*- coding: cp1252 -*- \x80\nx", "# -*- coding: cp1252 -*- €\nx"),
        (b"#!x\r# vim: set fileencoding=iso-8859-15 :\r\xa4", "#!x\r# vim: set fileencoding=iso-8859-15 :\r€"),
        (b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n"),
        ("\n\n# coding: latin-1\né".encode(), "\n\n# coding: latin-1\né"),
        (b"# coding: shift_jis\n'\x82\xa0'", "# coding: shift_jis\n'あ'"),
        (b"# encoding is nothing\n", "# encoding is nothing\n"),
    ],
)
def test_text_by_mark_declaration_or_utf_8(data: bytes, text: str) -> None:
    assert decoded(data) == text


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"x\r\ny\rz\n 'a\xe9'", 4, 4, "byte 0xe9 is no UTF-8; save it as UTF-8, or declare its encoding"),
        ("é = '".encode() + b"\xff'", 1, 6, "byte 0xff is no UTF-8"),
        (b"\xef\xbb\xbfx\xff", 1, 2, "byte 0xff is no UTF-8"),
        (b"# coding: ascii\n\xe9", 2, 1, "byte 0xe9 is no ascii"),
        (b"# coding: cp1252\nab\x81", 2, 3, "byte 0x81 is no cp1252, which the file declares"),
        (b"# coding: nonsense\n", 1, 1, "unknown encoding: nonsense"),
        (b"#!x\n# coding: nonsense\n", 2, 1, "unknown encoding: nonsense"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, "remove one"),
        (b"x = '\n\0'", 2, 1, "NUL"),
        ("x".encode("utf-16"), 1, 1, "is UTF-16, which Python does not read"),
        ("x".encode("utf-32"), 1, 1, "is UTF-32, which Python does not read"),
        *(
            (f"# coding: {name}\nx".encode(), 1, 1, "save it as UTF-8")
            for name in ("rot13", "hex", "zip", "idna", "punycode", "utf-7", "unicode_escape", "raw_unicode_escape")
        ),
        *((f"# coding: {name}\nx".encode(), 1, 1, "UTF-8") for name in ("cp037", "utf-16", "undefined", "mbcs", "..")),
    ],
)
def test_what_is_no_text_has_its_place(data: bytes, line: int, column: int, message: str) -> None:
    problem = decoded(data)
    assert isinstance(problem, Problem)
    assert (problem.place.span.line, problem.place.span.column) == (line, column)
    assert message in problem.message
    assert not problem.opaque


@given(
    st.sampled_from([b"", b"\xef\xbb\xbf", b"#coding:latin-1\n", b"# coding=", b"\xff\xfe"]),
    st.binary(),
    st.sampled_from([b"", b"\n", b"\r# coding: idna\r"]),
)
def test_any_bytes_are_text_or_a_problem(start: bytes, middle: bytes, end: bytes) -> None:
    result = decoded(start + middle + end)
    assert isinstance(result, Problem) or "\0" not in result


# ---------------------------------------------------------------------------------------------------------------------
# The sieve

ALONE = Interest("ingest_events")
PAIR = Interest("add", ("scope", "user_id"))


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("bank.ingest_events(x)", True),
        ("getattr(bank, 'ingest_events')", True),
        ("bank.ingest_events_later(x)", False),
        ("bank.reingest_events(x)", False),
        ("ingest_events", True),
        ("", False),
        ("add", False),
        ("scope", False),
        ("m.add(1, scope=s)", True),
        ("scope = 1; m.add", True),
        ("m.add(microscope, user_ids, scope_)", False),
        ("m.address(1, scope=s)", False),
        ("add" + "-" * NEAR + "scope", True),
        ("add" + "-" * (NEAR + 1) + "scope", False),
        ("scope" + "-" * NEAR + "add", True),
        ("scope" + "-" * (NEAR + 1) + "add", False),
        ("add" + "-" * (NEAR + 1) + "scope" + "-" * (NEAR + 1) + "add" + "-" * NEAR + "user_id", True),
        ("addé scopeé", True),
    ],
)
def test_a_common_name_passes_only_near_its_words(text: str, *, passes: bool) -> None:
    assert Sieve([ALONE, PAIR]).passes(text.encode()) is passes


@pytest.mark.parametrize(
    ("names", "text", "passes"),
    [
        ([Interest("add", ("scope",)), Interest("get", ("user_id",))], "add user_id", False),
        ([Interest("add", ("scope",)), Interest("get", ("user_id",))], "get user_id", True),
        ([Interest("scope", ("add",)), Interest("add", ("scope",))], "scope add", True),
        ([Interest("scope", ("add",)), Interest("add", ("scope",))], "scope " + "-" * 400 + "add", False),
        ([Interest("scope", ("scope",))], "scope", True),
        ([Interest("add"), Interest("add", ("scope",))], "add", True),
        ([Interest("größe")], "x.größe()", True),
        ([Interest("a"), Interest("größe")], "aa", False),
        ([], "add", False),
    ],
)
def test_names_keep_their_own_words(names: list[Interest], text: str, *, passes: bool) -> None:
    assert Sieve(names).passes(text.encode()) is passes


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "latin-1"])
def test_a_file_in_another_encoding_passes_too(encoding: str) -> None:
    sieve = Sieve([ALONE, PAIR])
    assert sieve.passes("é.ingest_events(x)".encode(encoding))
    assert not sieve.passes("é.events(x)".encode(encoding))


@given(st.lists(st.sampled_from(["add", "scope", "user_id", "get", "-" * 100, "x" * 99, " "])))
def test_the_sieve_does_what_it_says(words: list[str]) -> None:
    text = " ".join(words)
    places: dict[str, list[int]] = {"add": [], "scope": [], "user_id": []}
    position = 0
    for word in words:
        places.setdefault(word, []).append(position)
        position += len(word) + 1
    expected = any(
        gap <= NEAR
        for near in ("scope", "user_id")
        for first in places["add"]
        for second in places[near]
        for gap in [second - first - len("add") if second > first else first - second - len(near)]
    )
    assert Sieve([PAIR]).passes(text.encode()) is expected


def sink(call: str, *scopes: ScopeSpec) -> Sink:
    return Sink(call, "write", scopes)


SCOPE = ScopeSpec("mapping", keyword="scope")
FLAT = ScopeSpec("flat", keys=("user_id", "actor_id"))
EITHER = ScopeSpec("namespace", keyword="namespace", position=0)


@pytest.mark.parametrize(
    ("sinks", "expected"),
    [
        ([sink("ingest_events", SCOPE)], [Interest("ingest_events")]),
        ([sink("app.bank.Bank.retrieve_profile", SCOPE)], [Interest("retrieve_profile")]),
        ([sink("add", SCOPE)], [Interest("add", ("scope",))]),
        ([sink("add", FLAT)], [Interest("add", ("actorId", "actor_id", "user_id"))]),
        ([sink("put", EITHER)], [Interest("put")]),
        ([sink("put", SCOPE, EITHER)], [Interest("put")]),
        ([sink("shelf.put", EITHER)], [Interest("put", ("namespace", "shelf"))]),
        ([sink("app.shelf.put", SCOPE)], [Interest("put", ("app", "scope", "shelf"))]),
        ([sink("put", SCOPE), sink("put", FLAT)], [Interest("put", ("actorId", "actor_id", "scope", "user_id"))]),
        ([sink("put", SCOPE), sink("put", EITHER), sink("put", FLAT)], [Interest("put")]),
        ([sink("search", SCOPE), sink("add", SCOPE)], [Interest("add", ("scope",)), Interest("search", ("scope",))]),
        ([], []),
    ],
)
def test_interests_of_sinks(sinks: list[Sink], expected: list[Interest]) -> None:
    store = Store("memory", tuple(sinks), aliases=(("actorId", "actor_id"), ("orgId", "org_id")))
    assert interests([store]) == tuple(expected)
    assert set(interests([Store("one", tuple(sinks[:1])), store])) >= {each for each in expected if not each.near}
