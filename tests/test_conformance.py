"""Conformance: presets against the source of small made wheels."""

import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from conformance.__main__ import main
from conformance.check import Outcome, check
from conformance.results import lines, table
from conformance.wheels import Release, ReleaseError, parse, wheel
from scope_lint.model import ScopeSpec, Sink, Store

CLIENT = """\
from typing import Any, overload

from shelf.base import Base


class Client(Base):
    @overload
    def add(self, text: str) -> None: ...

    def add(self, text: str, user_id: str | None = None, *, agent_id: str | None = None) -> None: ...

    def search(self, query: str, filters: dict[str, Any] | None = None, **more: Any) -> list[str]:
        if "app_id" in more:
            raise ValueError

    def forget(self, scope: dict[str, str], force: bool = False) -> None:
        print(scope)

    @property
    def notes(self) -> "Notes": ...


class Notes:
    def write(self, namespace: tuple[str, ...], /, text: str) -> None: ...
"""
FILES = {
    "shelf/__init__.py": "from shelf.client import Client as Memory\n",
    "shelf/client.py": CLIENT,
    "shelf/base.py": "class Base:\n    def peek(self, user_id: str = 'everybody') -> None: ...\n",
    "shelf/made.py": (
        "from dataclasses import dataclass\n\nfrom shelf import Memory\n\n\n"
        "def connect(tenant: str) -> Memory: ...\n\n\n"
        "class Desk:\n    def __init__(self):\n        self.memory = Memory()\n\n\n"
        "@dataclass\nclass Session:\n    session_id: str\n    path: str = ''\n"
    ),
}
USER = ScopeSpec("flat", keys=("user_id",))

Build = Callable[..., Callable[[Release], Path]]


@pytest.fixture
def wheels(tmp_path: Path) -> Build:
    """Make wheels of releases, each from its files; what comes back finds them."""

    def build(**distributions: Mapping[str, Mapping[str, str]]) -> Callable[[Release], Path]:
        for name, versions in distributions.items():
            for version, files in versions.items():
                with ZipFile(tmp_path / f"{name}-{version}-py3-none-any.whl", "w") as archive:
                    for path, text in files.items():
                        archive.writestr(path, text)
        return lambda release: wheel(release, tmp_path)

    return build


def checked(build: Build, *sinks: Sink, files: Mapping[str, str] | None = None) -> Outcome:
    """What checking sinks of `shelf.Memory` against one release comes to."""
    store = Store("shelf", sinks, receivers=("shelf.Memory",), checked=("shelf==1.0",))
    return check(store, build(shelf={"1.0": FILES if files is None else files}))


def faults(outcome: Outcome) -> list[str]:
    return [f"{fault.subject} {fault.text}" for fault in outcome.faults if not fault.remark]


def remarks(outcome: Outcome) -> list[str]:
    return [f"{fault.subject} {fault.text}" for fault in outcome.faults if fault.remark]


CONFORMING = {
    "a flat keyword": Sink("add", "write", (USER,)),
    "a flat keyword by position": Sink(
        "add", "write", (ScopeSpec("flat", keys=("user_id",), positions=(("user_id", 1),)),)
    ),
    "a keyword that stands alone": Sink("add", "write", (ScopeSpec("flat", keys=("agent_id",)),)),
    "a mapping by position": Sink("search", "read", (ScopeSpec("filter", keyword="filters", position=1),)),
    "any keyword": Sink("search", "read", (ScopeSpec("id", keyword="namespace"),)),
    "a position that has no keyword": Sink("notes.write", "write", (ScopeSpec("namespace", position=0),)),
    "the name of such a position": Sink(
        "notes.write", "write", (ScopeSpec("namespace", keyword="namespace", position=0),), refuses=("namespace",)
    ),
    "one of several alternatives in use": Sink(
        "forget", "delete", (ScopeSpec("mapping", keyword="scope"), ScopeSpec("flat", keys=("force",)))
    ),
    "a base class": Sink("peek", "read", (USER,), default="everybody"),
    "a required scope": Sink("forget", "delete", (ScopeSpec("mapping", keyword="scope"),), demanded=True),
    "a function": Sink("connect", "bind", (ScopeSpec("id", keyword="tenant"),), receivers=("shelf",)),
    "what a function returns": Sink("add", "write", (USER,), receivers=("shelf.connect",)),
    "what is kept in an attribute": Sink("add", "write", (USER,), receivers=("shelf.memory",)),
    "the fields of a class": Sink(
        "Session", "bind", (ScopeSpec("id", keyword="session_id", position=0),), receivers=("shelf",)
    ),
    "a keyword that a condition refuses": Sink("add", "write", (USER,), refuses=("app_id",)),
    "another release": Sink("remember", "write", (USER,), versions=">=2"),
}


@pytest.mark.parametrize("sink", CONFORMING.values(), ids=CONFORMING)
def test_what_the_source_says_too_conforms(wheels: Build, sink: Sink) -> None:
    outcome = checked(wheels, sink)
    assert (faults(outcome), remarks(outcome), outcome.conforms) == ([], [], True)


DEVIATING = {
    "gone": (Sink("purge_everything", "delete", (USER,)), "purge_everything is gone"),
    "renamed": (Sink("serach", "read", (USER,)), "serach is gone; the closest name is `search`"),
    "a missing keyword": (
        Sink("forget", "delete", (USER,)),
        "forget shelf.client.Client.forget takes none of `user_id`, but `scope`, `force`",
    ),
    "a position that is another's": (
        Sink("add", "write", (ScopeSpec("flat", keys=("user_id",), positions=(("user_id", 0),)),)),
        "add shelf.client.Client.add has `text` at position 0, not `user_id`",
    ),
    "a mapping at another position": (
        Sink("search", "read", (ScopeSpec("filter", keyword="filters", position=0),)),
        "search shelf.client.Client.search has `query` at position 0, not `filters`",
    ),
    "an alternative that nothing takes": (
        Sink("forget", "delete", (ScopeSpec("mapping", keyword="scope"), ScopeSpec("id", keyword="tenant"))),
        "forget takes `tenant` in no release",
    ),
    "refuses what it takes": (
        Sink("add", "write", (USER,), refuses=("agent_id",)),
        "add shelf.client.Client.add takes `agent_id`, which it is said to refuse",
    ),
    "ignores what it refuses": (
        Sink("add", "write", (USER,), ignores=("app_id",)),
        "add shelf.client.Client.add refuses `app_id`, which it is said to ignore",
    ),
    "ignores what it uses": (
        Sink("forget", "delete", (ScopeSpec("mapping", keyword="scope"),), ignores=("scope",)),
        "forget shelf.client.Client.forget uses `scope`, which it is said to ignore",
    ),
    "no company": (
        Sink("add", "write", (USER,), beside=("messages",)),
        "add shelf.client.Client.add takes none of `messages`, which are looked for beside the scope",
    ),
    "another default": (
        Sink("peek", "read", (USER,), default="nobody"),
        'peek shelf.base.Base.peek has the default "everybody", not "nobody"',
    ),
    "a receiver": (
        Sink("add", "write", (USER,), receivers=("shelf.Client", "shelf.AsyncClient")),
        "shelf.AsyncClient is a receiver that is gone",
    ),
}


@pytest.mark.parametrize(("sink", "said"), DEVIATING.values(), ids=DEVIATING)
def test_what_the_source_says_otherwise_is_reported(wheels: Build, sink: Sink, said: str) -> None:
    outcome = checked(wheels, sink)
    assert faults(outcome) == [said]
    assert not outcome.conforms


def test_a_condition_that_raises_refuses_a_parameter(wheels: Build) -> None:
    source = (
        "class Memory:\n    def add(self, text, user_id=None, app_id=None):\n"
        "        if app_id is not None:\n            raise ValueError\n"
    )
    sink = Sink("add", "write", (USER,), refuses=("app_id",))
    assert faults(checked(wheels, sink, files={"shelf/__init__.py": source})) == []


def test_what_can_be_meant_so_is_a_remark(wheels: Build) -> None:
    outcome = checked(
        wheels,
        Sink("peek", "read", (USER,), demanded=True),
        Sink("add", "write", (ScopeSpec("flat", keys=("user_id", "run_id")),)),
        Sink("add", "write", (USER,), receivers=("shelf.Memory", "cupboard.Memory")),
    )
    assert outcome.conforms
    assert remarks(outcome) == [
        "peek is demanded, although optional",
        "add does not take `run_id`",
        "cupboard.Memory is in a package that no wheel has",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "class Memory:\n    def __getattr__(self, name): ...\n",
        "from elsewhere import Base\n\n\nclass Memory(Base): ...\n",
    ],
    ids=["forwarded", "inherited from what was not read"],
)
def test_a_method_that_can_be_hidden_is_not_gone(wheels: Build, source: str) -> None:
    outcome = checked(wheels, Sink("add", "write", (USER,)), files={"shelf/__init__.py": source})
    assert faults(outcome) == []
    assert [(row.found, row.gone, row.hidden) for row in outcome.rows] == [(0, 0, 1)]


def test_a_model_of_pydantic_hides_nothing(wheels: Build) -> None:
    source = "from pydantic import BaseModel\n\n\nclass Memory(BaseModel):\n    user_id: str\n"
    outcome = checked(wheels, Sink("add", "write", (USER,)), files={"shelf/__init__.py": source})
    assert faults(outcome) == ["add is gone"]


def test_methods_that_are_generated_are_not_in_source(wheels: Build) -> None:
    store = Store(
        "events", (Sink("create_event", "write", (USER,)),), receivers=("boto3.client",), checked=("boto3==1",)
    )
    outcome = check(store, wheels(boto3={"1": {"boto3/__init__.py": "def client(service): ...\n"}}))
    assert outcome.conforms
    assert [row.hidden for row in outcome.rows] == [1]


def test_each_release_is_asked_for_what_it_has(wheels: Build) -> None:
    old = "class Memory:\n    def add(self, user_id): ...\n    def search(self, user_id): ...\n"
    new = "class Memory:\n    def add(self, user_id): ...\n    def find(self, user_id): ...\n"
    read, write = (USER,), (USER,)
    store = Store(
        "shelf",
        (
            Sink("add", "write", write),
            Sink("search", "read", read, versions="<2"),
            Sink("find", "read", read),  # comes with 2, and need not be there before
            Sink("search_all", "read", read, versions="<2"),
        ),
        receivers=("shelf.Memory",),
        checked=("shelf==2.0", "shelf==1.0"),
    )
    find = wheels(shelf={"2.0": {"shelf/__init__.py": new}, "1.0": {"shelf/__init__.py": old}})
    outcome = check(store, find)
    assert [(row.release, row.found, row.gone) for row in outcome.rows] == [("shelf==2.0", 2, 0), ("shelf==1.0", 2, 1)]
    assert faults(outcome) == ["search_all is gone; the closest name is `search`"]


def test_a_call_that_only_an_earlier_release_has_is_gone(wheels: Build) -> None:
    source = {"shelf/__init__.py": "class Memory:\n    def add(self, user_id): ...\n"}
    empty = {"shelf/__init__.py": "class Memory:\n    pass\n"}
    store = Store(
        "shelf", (Sink("add", "write", (USER,)),), receivers=("shelf.Memory",), checked=("shelf==2.0", "shelf==1.0")
    )
    outcome = check(store, wheels(shelf={"2.0": empty, "1.0": source}))
    assert [(fault.release, fault.text) for fault in outcome.faults] == [("shelf==2.0", "is gone")]


def test_base_classes_and_calls_are_looked_up_in_the_preset_s_other_distributions(wheels: Build) -> None:
    store = Store(
        "shelf",
        (Sink("add", "write", (USER,)), Sink("ask", "read", (USER,), receivers=("shelf.Memory", "rack.Rack"))),
        receivers=("shelf.Memory",),
        checked=("shelf==1.0", "rack==3.1"),
    )
    find = wheels(
        shelf={"1.0": {"shelf.py": "from rack.base import Rack\n\n\nclass Memory(Rack): ...\n"}},
        rack={
            "3.1": {"rack/base.py": "class Rack:\n    def add(self, user_id): ...\n    def ask(self, user_id): ...\n"}
        },
    )
    outcome = check(store, find)
    assert outcome.faults == ()
    assert [(row.release, row.found) for row in outcome.rows] == [("shelf==1.0", 2), ("rack==3.1", 1)]


def test_a_name_alone_does_not_accuse(wheels: Build) -> None:
    source = {
        "shelf/__init__.py": "from shelf.tools import Queue\n\n\nclass Memory:\n    def queue(self) -> Queue: ...\n",
        "shelf/tools.py": "class Queue:\n    def put(self, item): ...\n",
    }
    outcome = checked(wheels, Sink("put", "write", (USER,)), files=source)
    assert faults(outcome) == ["put is gone"]


def test_the_outcome_is_printed_and_kept_as_a_table(wheels: Build) -> None:
    outcome = checked(
        wheels,
        Sink("add", "write", (USER,)),
        Sink("serach", "read", (USER,)),
        Sink("peek", "read", (USER,), demanded=True),
    )
    assert list(lines(outcome)) == [
        "shelf: shelf==1.0: 2 found, 1 gone, 0 differ",
        "    shelf==1.0: `serach`: is gone; the closest name is `search`",
        "    remark: `peek`: is demanded, although optional",
    ]
    kept = table([outcome], dt.date(2026, 12, 1)).splitlines()
    assert "| shelf | shelf==1.0 | 2 | 1 | 0 | 0 | 2026-12-01 |" in kept
    assert kept[-1] == "- shelf: shelf==1.0: `serach`: is gone; the closest name is `search`"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mem0ai", '"mem0ai" names no release'),
        ("mem0ai>=2", '"mem0ai>=2" names several releases'),
        ("mem0ai==2.*", '"mem0ai==2.\\*" names no release'),
        ("==2", '"==2" names no release'),
    ],
)
def test_a_release_is_one_version_of_one_distribution(text: str, said: str) -> None:
    with pytest.raises(ReleaseError, match=said):
        parse(text)


def test_names_of_releases_and_wheels_are_compared_normalised(wheels: Build) -> None:
    find = wheels(Some_SDK={"1.0": FILES})
    assert find(parse("some.sdk==1")).name == "Some_SDK-1.0-py3-none-any.whl"


def test_a_preset_that_is_not_there_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["no-such-preset"])
    assert result.exit_code == 2
    assert "no preset that names releases is called no-such-preset" in result.output
