"""What collect makes of real code: the standard library's own, cut into chunks as any corpus is."""

import random
import sysconfig
from functools import cache
from pathlib import Path

import msgspec
import pytest

from scope_lint.collect import collect
from scope_lint.facts import Attribute, Call, ChunkFacts
from scope_lint.model import Chunk, Problem, Span
from scope_lint.outline import outline

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = random.Random(7).sample(sorted(LIBRARY.glob("*.py")), 25)  # noqa: S311 - a sample, no secret


@cache
def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def chunks_of(file: Path) -> tuple[tuple[Chunk, ChunkFacts], ...]:
    found = [(chunk, collect(file.name, chunk)) for chunk in outline(file.name, text_of(file)).chunks]
    return tuple((chunk, facts) for chunk, facts in found if isinstance(facts, ChunkFacts))


every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@every_file
def test_everything_that_python_accepts_is_collected(file: Path) -> None:
    refused = [
        found
        for chunk in outline(file.name, text_of(file)).chunks
        if isinstance(found := collect(file.name, chunk), Problem)
    ]
    assert refused == []


@every_file
def test_calls_stand_where_they_are_written(file: Path) -> None:
    lines = text_of(file).split("\n")
    for _, facts in chunks_of(file):
        for value in facts.values:
            if isinstance(value, Call) and value.span.line == value.span.end_line and not is_entering(facts, value):
                assert written(lines, value.span).endswith(")")


def is_entering(facts: ChunkFacts, call: Call) -> bool:
    """Tell whether a call stands for what `with … as` binds."""
    function = facts.values[call.function]
    return isinstance(function, Attribute) and function.name == "__enter__"


def written(lines: list[str], span: Span) -> str:
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


@every_file
def test_facts_survive_storage(file: Path) -> None:
    for _, facts in chunks_of(file):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=ChunkFacts) == facts


@every_file
def test_collecting_again_gives_the_same(file: Path) -> None:
    for chunk, facts in chunks_of(file):
        assert collect(file.name, chunk) == facts


def test_a_shared_operand_is_stored_once() -> None:
    doubling = "def f(x):\n" + "    x = x + x\n" * 200 + "    return x\n"
    (facts,) = [collect("a.py", chunk) for chunk in outline("a.py", doubling).chunks if chunk.kind == "function"]
    assert isinstance(facts, ChunkFacts)
    assert len(facts.values) < 1_000


def test_loops_in_loops_come_to_rest() -> None:
    nested = "def f(x):\n" + "".join(f"{'    ' * depth}for i{depth} in x:\n" for depth in range(1, 41))
    source = nested + "    " * 41 + "x = {**x, 'k': x}\n    return x\n"
    (facts,) = [collect("a.py", chunk) for chunk in outline("a.py", source).chunks if chunk.kind == "function"]
    assert isinstance(facts, ChunkFacts)
