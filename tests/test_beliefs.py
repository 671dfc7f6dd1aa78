"""What sites believe: votes, presence, shapes, types and constructors."""

import random

import pytest
from hand_built import MAPPING, SETTINGS, STORE, declared, namespace, site, writing
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scope_lint.beliefs import learn
from scope_lint.model import Belief, Evidence, Form, Place, Role, ScopeSpec, Sink, Site, Store
from scope_lint.rules import judge


def belief(sites: list[Site], key: str, about: str, store: Store = STORE) -> Belief:
    (found,) = (one for one in learn(sites, (store,)) if (one.key, one.about) == (key, about))
    return found


def presence(sites: list[Site], store: Store = STORE) -> dict[str, str | None]:
    return {one.key: one.value for one in learn(sites, (store,)) if one.about == "presence"}


def sides(found: Belief) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {side.value: (side.votes, side.sites) for side in found.sides}


def test_ten_copies_in_one_function_are_one_vote() -> None:
    copies = [site(f"a.py:{line}", function="batch", user_id="as is") for line in range(1, 11)]
    others = [site(f"b.py:{line}", user_id="str()") for line in (1, 2)]
    found = belief([*copies, *others], "user_id", "shape")
    assert (found.value, found.votes, found.of) == ("str()", 2, 3)
    assert sides(found)["as is"] == (1, tuple(range(10)))


def test_functions_of_the_same_name_in_two_files_are_two_votes() -> None:
    found = belief([site(f"{name}.py:1", user_id="str()") for name in "ab"], "user_id", "shape")
    assert (found.votes, found.of) == (2, 2)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ([{"a"}, {"a"}, {"a"}, {"a", "b"}], {"a": "required", "b": "disallowed"}),
        ([{"a"}, {"a", "b"}], {"a": "required", "b": None}),
        ([{"a", "b"}, {"a", "b"}, {"a"}], {"a": "required", "b": "required"}),
        ([{"a"}, {"a"}, {"a", "b"}, {"a", "b"}], {"a": "required", "b": None}),
    ],
)
def test_presence_is_more_than_half_of_the_votes(keys: list[set[str]], value: dict[str, str | None]) -> None:
    sites = [site(f"a.py:{line}", keys=dict.fromkeys(sorted(found))) for line, found in enumerate(keys, 1)]
    assert presence(sites) == value


def test_maybe_votes_for_optional() -> None:
    sites = [site("a.py:1", a=None, b__maybe=None), site("a.py:2", a=None, b__maybe=None), site("a.py:3", a=None)]
    assert presence(sites) == {"a": "required", "b": "optional"}


def test_incomplete_sites_do_not_vote_for_absence_and_opaque_ones_not_at_all() -> None:
    open_ = [replace(site(f"a.py:{line}", a=None), complete=False) for line in (1, 2, 3)]
    opaque = [replace(site(f"b.py:{line}"), opaque="from a file") for line in (1, 2, 3)]
    sites = [*open_, *opaque, site("c.py:1", a=None, b=None), site("c.py:2", a=None, b=None)]
    assert sides(belief(sites, "b", "presence")) == {"present": (2, (6, 7))}


def test_a_key_set_that_is_written_and_read_is_a_profile() -> None:
    sites = [
        *(site(f"a.py:{line}", app=None, user=None) for line in (1, 2)),
        site("a.py:3", "read", app=None, user=None),
        site("b.py:1", "write", user=None),
        site("b.py:2", "read", user=None),
    ]
    found = belief(sites, "app", "presence")
    assert found.value == "required"
    assert sides(found) == {"present": (3, (0, 1, 2)), "own profile": (2, (3, 4))}


def test_a_readwrite_site_does_not_satisfy_itself() -> None:
    sites = [site(f"a.py:{line}", app=None, user=None) for line in (1, 2, 3)]
    alone = belief([*sites, site("b.py:1", "readwrite", user=None)], "app", "presence")
    assert sides(alone)["absent"] == (1, (3,))
    both = belief(
        [*sites, site("b.py:1", "readwrite", user=None), site("b.py:2", "readwrite", user=None)], "app", "presence"
    )
    assert sides(both)["own profile"] == (2, (3, 4))


@pytest.mark.parametrize(
    ("declared_at", "values"),
    [
        pytest.param(None, ["required"], id="an SDK is asked per method"),
        pytest.param(SETTINGS, ["disallowed"], id="a user's table says what each sink takes"),
    ],
)
def test_flat_keywords(declared_at: Place | None, values: list[str]) -> None:
    flat = (ScopeSpec("flat", keys=("user_id", "team")),)
    sinks = (Sink("m.add", "write", flat), Sink("m.search", "read", flat))
    store = replace(STORE, sinks=sinks, declared_at=declared_at, on=("bank",))
    adds = [site(f"a.py:{line}", sink="m.add", user_id=None, team=None) for line in (1, 2, 3)]
    reads = [site(f"b.py:{line}", "read", sink="m.search", user_id=None) for line in range(1, 6)]
    learnt = learn([*adds, *reads], (store,))
    assert [one.value for one in learnt if one.key == "team" and one.about == "presence"] == values


def test_reads_of_a_subset_store_are_asked_apart_from_writes() -> None:
    store = replace(STORE, match="subset")
    writes = [site(f"a.py:{line}", user=None, run=None) for line in (1, 2, 3)]
    reads = [site(f"b.py:{line}", "read", user=None) for line in (1, 2)]
    by_role = [sides(one) for one in learn([*writes, *reads], (store,)) if (one.key, one.about) == ("run", "presence")]
    assert by_role == [{"present": (3, (0, 1, 2))}]


def test_declared_keys_are_pinned_whatever_the_sites_do() -> None:
    found = belief([site("a.py:1"), site("a.py:2"), site("a.py:3", user_id=None)], "user_id", "presence", declared())
    assert (found.value, found.pinned, found.votes, found.of) == ("required", True, 1, 3)


@pytest.mark.parametrize(
    ("shapes", "value"),
    [
        (["str()", "str()", "as is"], "str()"),
        (["str()", "as is"], None),
        (["str()", "str()", "as is", "as is"], None),
        (["str()", "f-string", "f-string"], "f-string"),
        (["str().strip()", ".strip()", "as is"], ".strip()"),
        (["str()", "const:str", "const:str"], "str()"),
    ],
)
def test_shape_is_strictly_more_than_half(shapes: list[str], value: str | None) -> None:
    assert belief([site(f"a.py:{n}", user=shape) for n, shape in enumerate(shapes, 1)], "user", "shape").value == value


def test_proven_strings_and_made_values_are_on_no_side() -> None:
    values = [writing("as is", "str"), writing("as is", "str"), writing("str()", "str", made=True), writing("str()")]
    found = belief([site(f"a.py:{n}", user=value) for n, value in enumerate(values, 1)], "user", "shape")
    assert sides(found) == {"str()": (1, (3,))}


def test_a_pinned_shape_needs_no_majority() -> None:
    store = replace(STORE, shapes=(("user", "str()"),))
    found = belief([site(f"a.py:{n}", user="as is") for n in range(1, 9)], "user", "shape", store)
    assert (found.value, found.pinned, found.votes, found.of) == ("str()", True, 0, 8)


def test_a_coerced_store_sees_no_difference_between_a_value_and_its_text() -> None:
    store = replace(STORE, non_strings="coerced")
    beliefs = learn([site("a.py:1", user="str()"), site("a.py:2", user=writing("as is", "int"))], (store,))
    assert [(one.about, one.value, one.of) for one in beliefs if one.about in {"shape", "type"}] == [
        ("shape", "as is", 2)
    ]


def test_narrowing_and_other_keys_have_no_shape() -> None:
    store = declared(narrowing_keys=("session",), other_keys=("note",))
    beliefs = learn([site("a.py:1", user_id="str()", session="str()", note="str()")], (store,))
    assert [one.key for one in beliefs if one.about == "shape"] == ["user_id"]


def test_constants_do_not_vote_on_types_but_stand_on_a_side() -> None:
    store = replace(STORE, non_strings="kept")
    values = [writing("as is", "str"), writing("str()", "str"), writing("const:int", "int", "7"), writing("as is", "T")]
    found = belief([site(f"a.py:{n}", user=value) for n, value in enumerate(values, 1)], "user", "type", store)
    assert (found.value, found.of, sides(found)) == ("str", 2, {"str": (2, (0, 1)), "int": (0, (2,))})


@pytest.mark.parametrize(
    ("name", "kind"), [("uuid.UUID", "UUID"), ("list[str]", "list"), ("int", "int"), ("builtins.bytes", "bytes")]
)
def test_types_are_known_by_their_last_name(name: str, kind: str) -> None:
    found = belief([site("a.py:1", user=writing("as is", name))], "user", "type")
    assert (found.value, found.pinned, [side.value for side in found.sides]) == ("str", True, [kind])


@pytest.mark.parametrize("name", ["UserId", "None", "Any", "object"])
def test_a_type_that_may_be_a_string_is_not_known(name: str) -> None:
    assert not [one for one in learn([site("a.py:1", user=writing("as is", name))], (STORE,)) if one.about == "type"]


@pytest.mark.parametrize(("form", "about"), [("filter", ["presence"]), ("mapping", ["presence", "type"])])
def test_a_condition_of_a_filter_has_no_type(form: Form, about: list[str]) -> None:
    store = replace(STORE, sinks=(Sink("retrieve", "read", (ScopeSpec(form, position=0),)),))
    condition = replace(writing("as is", "dict", "{…}"), spelling="mapping")
    assert [one.about for one in learn([site("a.py:1", "read", user=condition)], (store,))] == about


def test_namespace_parts_are_compared_between_equal_skeletons() -> None:
    label, other = writing("const:str", "str", '"notes"'), writing("const:str", "str", '"goals"')
    sites = [
        namespace("a.py:1", label, "str()"),
        namespace("a.py:2", label, "as is"),
        namespace("a.py:3", other, "as is"),
        namespace("a.py:4", label, "as is", "as is"),
    ]
    shapes = [sides(one) for one in learn(sites, (STORE,)) if (one.key, one.about) == ("#1", "shape")]
    assert shapes == [{"as is": (1, (2,))}, {"as is": (1, (1,)), "str()": (1, (0,))}, {"as is": (1, (3,))}]
    assert not presence(sites)


def built(where: str, *builders: str) -> Site:
    return replace(site(where, user=None), builders=builders)


@pytest.mark.parametrize(
    ("sites", "values"),
    [
        ([built("a.py:1", "t.scope"), built("a.py:2", "t.scope"), site("b.py:1", user=None)], ["t.scope"]),
        ([built("a.py:1", "t.scope"), site("b.py:1", user=None)], []),
        ([built("a.py:1", "t.scope"), site("b.py:1", user=None), site("b.py:2", user=None)], []),
        ([built("a.py:1", "x.now", "t.scope"), built("a.py:2", "y.my", "t.scope"), built("a.py:3")], ["t.scope"]),
        ([built(f"a.py:{n}", "x.now", "t.scope") for n in (1, 2, 3)], ["t.scope"]),
    ],
)
def test_the_constructor_builds_more_than_half_of_three(sites: list[Site], values: list[str]) -> None:
    assert [one.value for one in learn(sites, (STORE,)) if one.about == "constructor"] == values


@pytest.mark.parametrize("name", ["myapp.tenancy.scope_of", "tenancy.scope_of", "src.myapp.tenancy.scope_of"])
def test_a_configured_constructor_matches_by_dotted_suffix_either_way(name: str) -> None:
    store = replace(STORE, constructors=("myapp.tenancy.scope_of",))
    sites = [
        built("a.py:1", name),
        built("a.py:2", "other.of"),
        replace(site("a.py:3", user=None), inside=name),
        site("a.py:4", user=None),
    ]
    found = belief(sites, "", "constructor", store)
    assert (found.value, found.pinned) == ("myapp.tenancy.scope_of", True)
    assert {side.value: side.sites for side in found.sides} == {
        "myapp.tenancy.scope_of": (0,), "another": (1,), "inside": (2,), "by hand": (3,),
    }  # fmt: skip


def test_stores_are_asked_apart() -> None:
    other = replace(STORE, name="other", sinks=(Sink("ingest", "write", MAPPING),))
    sites = [site("a.py:1", user="str()"), replace(site("a.py:2", user="as is"), store="other")]
    values = [(one.store, one.value) for one in learn(sites, (STORE, other)) if one.about == "shape"]
    assert values == [("memory", "str()"), ("other", "as is")]


SCOPES = st.dictionaries(
    st.sampled_from(["user_id", "userId", "org", "run__maybe"]), st.sampled_from(["as is", "str()", None]), max_size=3
)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["read", "write", "readwrite"])
SITES = st.lists(st.tuples(SCOPES, ROLES), max_size=8)


@given(found=SITES, seed=st.integers(0, 99))
def test_the_order_of_sites_decides_nothing(found: list[tuple[dict[str, str | None], Role]], seed: int) -> None:
    sites = [site(f"a.py:{line}", role, keys) for line, (keys, role) in enumerate(found, 1)]
    mixed = random.Random(seed).sample(sites, len(sites))  # noqa: S311 - a shuffle that hypothesis can repeat

    def by_place(order: list[Site]) -> list[tuple[str, str, str | None, int, int, list[tuple[str, int, list[int]]]]]:
        return [
            (one.key, one.about, one.value, one.votes, one.of,
             [(side.value, side.votes, sorted(order[n].place.span.line for n in side.sites)) for side in one.sides])
            for one in learn(order, (STORE,))
        ]  # fmt: skip

    assert by_place(sites) == by_place(mixed)


@given(found=SITES)
def test_no_side_has_more_votes_than_sites(found: list[tuple[dict[str, str | None], Role]]) -> None:
    sites = [site(f"a.py:{line}", keys=keys) for line, (keys, _) in enumerate(found, 1)]
    for one in learn(sites, (STORE, declared())):
        assert 0 <= one.votes <= one.of == sum(side.votes for side in one.sides)
        assert all(side.votes <= len(side.sites) for side in one.sides)


@st.composite
def any_site(draw: st.DrawFn) -> Site:
    """A site with any keys, some of them maybe there, some scopes not complete, left out or opaque."""
    where = f"{draw(st.sampled_from('abc'))}.py:{draw(st.integers(1, 9))}"
    names = draw(
        st.lists(st.sampled_from(["user_id", "userId", "app__maybe", "session_id", "tier__maybe"]), unique=True)
    )
    shapes = {name: draw(st.sampled_from(["as is", "str()", "f-string", "const:str", None])) for name in names}
    found = site(where, draw(st.sampled_from(["write", "read", "delete", "readwrite"])), shapes)
    kind = draw(st.sampled_from(["plain", "plain", "incomplete", "left out", "opaque"]))
    if kind == "left out":
        return replace(found, keys=(), left_out=True)
    if kind == "opaque":
        return replace(found, keys=(), complete=False, opaque="from a file")
    return replace(found, complete=kind == "plain")


ANY_STORE = st.builds(
    replace,
    st.just(STORE),
    match=st.sampled_from(["exact", "subset", "prefix"]),
    non_strings=st.sampled_from(["refused", "kept", "coerced"]),
    declared_at=st.sampled_from([None, SETTINGS]),
    tenant_keys=st.sampled_from([(), ("user_id",)]),
    narrowing_keys=st.sampled_from([(), ("session_id",)]),
)


@given(st.lists(any_site(), max_size=12), ANY_STORE)
def test_any_sites_can_be_judged(sites: list[Site], store: Store) -> None:
    beliefs = learn(sites, (store,))
    assert all(one.votes <= one.of for one in beliefs)
    judge(Evidence(tuple(sites), (store,), beliefs))
