"""What the rules say of sites built by hand."""

from collections.abc import Sequence

import pytest
from hand_built import MAPPING, SETTINGS, STORE, declared, evidence, judged, namespace, place, site, spoken, writing
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scope_lint.model import Evidence, Finding, Hop, Problem, Role, ScopeSpec, Sink, Site, Store, Support, Writing
from scope_lint.rules import RULES, Rule, disallowed_key, judge, page, unused_ignore
from scope_lint.rules.finding import wilson
from scope_lint.writings import code_of, in_code


def notes(finding: Finding) -> dict[str, str]:
    return {note.label: note.text for note in finding.notes}


def only(sites: Sequence[Site], store: Store = STORE) -> Finding:
    (finding,) = judged(sites, store)
    return finding


def many(count: int, role: Role = "write", path: str = "a.py", **keys: str | None) -> list[Site]:
    return [site(f"{path}:{line}", role, keys) for line in range(1, count + 1)]


# Presence


def test_one_extra_key_each_is_three_findings() -> None:
    sites = [*many(3, app=None, user=None), *many(2, "read", "b.py", app=None, user=None)]
    extra = [
        site("c.py:1", app=None, user=None, device=None),
        site("c.py:2", app=None, user=None, tier=None),
        site("c.py:3", app=None, user=None, locale=None),
    ]
    assert spoken([*sites, *extra]) == [
        ("disallowed-key", "c.py:1", "device"),
        ("disallowed-key", "c.py:2", "tier"),
        ("disallowed-key", "c.py:3", "locale"),
    ]


def test_two_scopes_side_by_side_are_on_purpose() -> None:
    sites = [*many(2, user=None), *many(2, "read", "b.py", user=None)]
    assert not spoken([*sites, site("c.py:1", user=None, org=None), site("c.py:2", "read", user=None, org=None)])


def test_a_read_without_what_the_writes_have() -> None:
    sites = [
        *many(2, app=None, user=None),
        site("b.py:1", "read", app=None, user=None),
        site("c.py:1", "read", user="uid"),
    ]
    finding = only(sites)
    assert (finding.rule, finding.key, finding.effect, finding.severity) == ("missing-key", "app", "splits", "error")
    assert finding.message == "read without app; 3 of 4 places have it, every write among them"
    assert finding.support == Support(3, 4, 0.3006)
    assert notes(finding)["others"] == '{"app", "user"} at a.py:1, a.py:2 and 1 more'
    assert notes(finding)["write"] == '{"app": app, "user": uid}   (app: a.py:1)'


def test_an_extra_key_that_no_read_asks_for() -> None:
    sites = [*many(2, user=None), *many(2, "read", "b.py", user=None), site("c.py:1", user=None, session=None)]
    assert spoken(sites) == [("disallowed-key", "c.py:1", "session")]
    assert not spoken(sites, declared(tenant=["user"], narrowing_keys=("session",)))


def test_half_and_half_is_no_finding() -> None:
    assert not spoken([*many(2, user=None, org=None), *many(2, path="b.py", user=None)])


def test_a_profile_shelters_its_keys_in_a_larger_scope() -> None:
    sites = [*many(3, user=None), *many(3, "read", "b.py", user=None)]
    sites += [site("c.py:1", user=None, org=None), site("c.py:2", "read", user=None, org=None)]
    assert spoken([*sites, site("d.py:1", user=None, org=None, tier=None)]) == [("disallowed-key", "d.py:1", "tier")]


def test_where_no_key_is_common_nothing_is_one_too_many() -> None:
    sites = [site("a.py:1", team=None), site("b.py:1", pupil=None, lesson=None), site("c.py:1", guest=None)]
    assert not spoken(sites)
    kept = [site("c.py:2", guest=None), site("d.py:1", pupil=None), site("d.py:2", "read", pupil=None)]
    assert spoken([*sites, *kept]) == [("disallowed-key", "b.py:1", "lesson")]


def test_the_others_are_the_nearest_ones() -> None:
    sites = [
        *many(4, app=None),
        *many(3, path="b.py", app=None, user=None),
        site("c.py:1", app=None, user=None, tier=None),
    ]
    assert notes(only(sites))["others"] == '{"app", "user"} at b.py:1, b.py:2 and 1 more'


def test_a_key_that_most_carry_surely_is_missing_on_some_path() -> None:
    sites = [*many(3, app=None, user=None), site("b.py:1", user=None, app__maybe=None)]
    finding = only(sites)
    assert finding.message == "write without app on some path; 3 of 4 places have it"
    assert finding.effect == "merges"


def test_several_missing_keys_are_one_finding() -> None:
    sites = [*many(3, app=None, org=None, user=None), site("b.py:1", user=None)]
    finding = only(sites)
    assert (finding.key, finding.message) == ("app", "write without app and org; 3 of 4 places have app")


@pytest.mark.parametrize("twin", ["userId", "user-id", "USER_ID", "UserID"])
def test_a_misspelt_twin_is_one_finding(twin: str) -> None:
    finding = only(
        [*many(4, user_id=None), *many(1, "read", "b.py", user_id=None), site("c.py:1", "read", {twin: None})]
    )
    assert (finding.rule, finding.key) == ("disallowed-key", twin)
    assert finding.message == f"{twin} is a misspelt user_id; 5 places spell it so"
    assert notes(finding)["write"] == f'"user_id": {twin}'


def test_a_twin_is_no_profile_however_consistent() -> None:
    sites = [*many(3, user_id=None), site("b.py:1", userId=None), site("b.py:2", "read", userId=None)]
    assert [one[0] for one in spoken(sites)] == ["disallowed-key", "disallowed-key"]


def test_a_twin_of_a_declared_key() -> None:
    finding = only([site("a.py:1", userId=None)], declared())
    assert finding.message == "userId is a misspelt user_id; store `memory` declares it so"


DECLARED = declared(tenant=["org", "user"], application_keys=("app",), narrowing_keys=("session",), other_keys=("tag",))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["org", "user", "app"], []),
        (["org", "user", "app", "session", "tag"], []),
        (["user", "app"], [("missing-key", "a.py:1", "org")]),
        (["org", "user"], [("missing-key", "a.py:1", "app")]),
        (["user"], [("missing-key", "a.py:1", "org")]),
        (["org", "user", "app", "tier"], [("disallowed-key", "a.py:1", "tier")]),
        (["org", "user", "app__maybe"], [("missing-key", "a.py:1", "app")]),
        (["org", "user", "app", "tier__maybe"], [("disallowed-key", "a.py:1", "tier")]),
    ],
)
def test_declared_keys(keys: list[str], expected: list[tuple[str, str, str]]) -> None:
    assert spoken([site("a.py:1", keys=dict.fromkeys(keys))], DECLARED) == expected


def test_declared_keys_decide_and_not_the_votes() -> None:
    finding = judged(many(5, user=None), declared(tenant=["org", "user"]))[0]
    assert finding.message == "write without org; store `memory` requires it"
    assert finding.support is None


def test_profiles_do_not_excuse_a_declared_key() -> None:
    sites = [*many(2, user=None), *many(2, "read", "b.py", user=None)]
    assert len(spoken(sites, declared(tenant=["org", "user"]))) == 4


EITHER = declared(tenant=(), one_of=(("user", "graph"),))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["user"], []),
        (["graph"], []),
        (["user__maybe", "graph__maybe"], []),
        (["topic"], [("missing-key", "user")]),
        (["user__maybe"], [("missing-key", "user")]),
        (["user", "graph"], [("disallowed-key", "graph")]),
    ],
)
def test_exactly_one_of_the_alternatives(keys: list[str], expected: list[tuple[str, str]]) -> None:
    found = judged([site("a.py:1", keys=dict.fromkeys(keys))], EITHER)
    assert [(one.rule, one.key) for one in found] == expected


def test_the_alternatives_are_named() -> None:
    finding = only([site("a.py:1", topic=None)], EITHER)
    assert finding.message == "write without user or graph; store `memory` takes exactly one of user and graph"


FLAT = declared(
    tenant=["org", "user"],
    sinks=(
        Sink("add", "write", (ScopeSpec("flat", keys=("org", "user")),)),
        Sink("search", "read", (ScopeSpec("flat", keys=("user",)),)),
    ),
)


def test_a_flat_sink_lacks_only_what_it_can_take() -> None:
    sites = [site("a.py:1", sink="add", user=None), site("a.py:2", "read", sink="search", user=None)]
    assert spoken(sites, FLAT) == [("missing-key", "a.py:1", "org")]


def test_flat_keywords_in_the_mend() -> None:
    sites = [site("a.py:1", sink="add", user=None), site("a.py:2", sink="add", org="str()", user=None)]
    assert notes(only(sites, FLAT))["write"] == "org=str(uid), user=user   (org: a.py:2)"


def left_out(where: str, role: Role = "read") -> Site:
    return replace(site(where, role), left_out=True)


@pytest.mark.parametrize("store", [STORE, declared(tenant=["user", "org"])])
def test_a_call_without_a_scope_is_one_finding(store: Store) -> None:
    finding = only([*many(3, org=None, user=None), left_out("b.py:1")], store)
    assert (finding.rule, finding.key) == ("missing-key", "user" if store.declared_at else "org")
    assert finding.message.startswith("called without a scope; ")


def test_no_scope_anywhere_is_no_finding() -> None:
    assert not spoken([left_out("b.py:1"), left_out("b.py:2")], declared())


def test_most_calls_without_a_scope_are_no_finding() -> None:
    assert not spoken([site("a.py:1", user=None), left_out("b.py:1"), left_out("b.py:2")])


@pytest.mark.parametrize(
    ("role", "match", "effect"),
    [
        ("read", "exact", "splits"),
        ("delete", "exact", "splits"),
        ("write", "exact", "merges"),
        ("readwrite", "exact", "merges"),
        ("read", "subset", "merges"),
        ("delete", "subset", "merges"),
    ],
)
def test_what_a_missing_key_does_goes_by_the_store(role: Role, match: str, effect: str) -> None:
    store = declared(tenant=["org", "user"], match=match)
    assert only([site("a.py:1", role, user=None)], store).effect == effect


def test_an_extra_key_only_narrows_in_a_subset_store() -> None:
    sites = [*many(4, user=None), site("b.py:1", user=None, run=None)]
    assert not spoken(sites, replace(STORE, match="subset"))


@pytest.mark.parametrize("name", ["org_id", "tenantId", "customer"])
def test_no_mend_drops_a_key_that_says_whose_memory_it_is(name: str) -> None:
    finding = only([*many(4, user=None), site("b.py:1", keys={"user": None, name: None})])
    assert notes(finding)["write"].startswith(f"{name} at the other places too")


def test_no_mend_widens_a_read() -> None:
    store = declared(tenant=["user"], match="subset")
    finding = only([site("a.py:1", "read", user=None, topic=None)], store)
    assert notes(finding)["write"].startswith("topic at the other places too")


# Shapes and types


def test_shape_drift_says_who_and_how_many() -> None:
    deviant = replace(
        site("b.py:9", user="as is"),
        via=(Hop(place("b.py", 9), "remember(user)"), Hop(place("m.py", 3), "bank.ingest(scope=…)")),
    )
    finding = only([*many(4, user="str()"), deviant])
    assert (finding.rule, finding.key, finding.severity, finding.effect) == ("shape-drift", "user", "warning", "splits")
    assert finding.message == "user arrives as is; 4 of 5 places store str(…)"
    assert finding.support == Support(4, 5, 0.3755)
    assert notes(finding) == {
        "via": "remember(user) b.py:9 -> bank.ingest(scope=…) m.py:3",
        "others": "str(uid) at a.py:1, a.py:2 and 2 more",
        "why": 'store `memory` matches exactly: 42, "42" and "user-42" are three profiles',
        "write": "str(uid), or convert once inside remember()",
    }


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        (writing("as is"), ["shape-drift"]),
        (writing("f-string", "str"), ["shape-drift"]),
        (writing('f"user-{}"', "str"), ["shape-drift"]),
        (writing("str().strip()", "str"), ["shape-drift"]),
        (writing("str()", "str", "another.id"), []),
        (writing("as is", "str"), []),
        (writing("const:str", "str", '"ada"'), []),
        (writing("f-string", "str", made=True), []),
        (writing("as is", "int"), ["type-drift"]),
        (writing("as is", "uuid.UUID"), ["type-drift"]),
        (writing("const:int", "int", "42"), ["type-drift"]),
        (writing("const:None", "None", "None"), []),
    ],
)
def test_one_value_beside_str(value: Writing, rules: list[str]) -> None:
    assert [one[0] for one in spoken([*many(4, user="str()"), site("b.py:1", user=value)])] == rules


@pytest.mark.parametrize(("non_strings", "rules"), [("refused", ["type-drift"]), ("kept", []), ("coerced", [])])
def test_an_int_alone_is_a_fault_only_where_it_is_refused(non_strings: str, rules: list[str]) -> None:
    store = replace(STORE, non_strings=non_strings)
    assert [one[0] for one in spoken([site("a.py:1", user=writing("as is", "int"))], store)] == rules


def test_a_kept_type_goes_by_the_majority() -> None:
    store = replace(STORE, non_strings="kept")
    sites = [site(f"a.py:{line}", user=writing("as is", "int")) for line in (1, 2, 3)]
    finding = only([*sites, site("b.py:1", user=writing("const:str", "str", '"7"'))], store)
    assert (finding.rule, finding.message) == ("type-drift", "user is a str; 3 of 3 places pass int")


def test_a_pinned_shape_judges_all_and_has_no_support() -> None:
    found = judged(many(3, user="as is"), replace(STORE, shapes=(("user", "str()"),)))
    assert {(one.rule, one.message, one.support) for one in found} == {
        ("shape-drift", "user arrives as is; the settings pin str(…)", None)
    }


def test_no_majority_lists_all_sides_and_how_to_pin() -> None:
    finding = only([*many(2, user='f"user-{}"'), *many(2, "read", "b.py", user='f"member-{}"')])
    assert (finding.rule, finding.key, finding.support) == ("no-majority", "user", None)
    assert finding.message == 'user is f"member-{…}" at 2 places and f"user-{…}" at 2 places: no majority'
    assert notes(finding)["others"] == 'f"member-{uid}" at b.py:1, b.py:2; f"user-{uid}" at a.py:1, a.py:2'
    assert notes(finding)["write"].endswith("shapes = { user = 'f\"member-{}\"' }")


def test_no_majority_stands_at_the_smallest_side() -> None:
    sites = [*many(2, user="str()"), *many(2, path="b.py", user="f-string"), site("c.py:1", user='f"u-{}"')]
    assert spoken(sites) == [("no-majority", "c.py:1", "user")]


def test_one_against_one_is_two_addresses() -> None:
    assert spoken([site("a.py:1", user="str()"), site("b.py:1", user="as is")]) == [("no-majority", "a.py:1", "user")]


def test_types_without_majority() -> None:
    store = replace(STORE, non_strings="kept")
    sites = [site("a.py:1", user=writing("as is", "str")), site("b.py:1", user=writing("as is", "int"))]
    assert [one[0] for one in spoken(sites, store)] == ["no-majority"]


def test_parts_of_a_namespace_are_judged_between_equal_skeletons() -> None:
    label, other = writing("const:str", "str", '"notes"'), writing("const:str", "str", '"goals"')
    sites = [namespace(f"a.py:{line}", label, "str()") for line in (1, 2)]
    sites += [namespace("b.py:1", label, "as is", role="read"), namespace("b.py:2", other, "as is")]
    assert spoken(sites) == [("shape-drift", "b.py:1", "#1")]


def test_a_value_that_reaches_many_sites_is_one_finding() -> None:
    shared = writing("as is", text="session.uid")
    reached = [site(f"b.py:{line}", user=shared) for line in range(1, 26)]
    spot = place("c.py", 7)
    reached = [replace(one, keys=(replace(one.keys[0], writings=(replace(shared, place=spot),)),)) for one in reached]
    finding = only([*many(30, user="str()"), *reached])
    assert finding.place == spot
    assert len(finding.related) == 20
    assert finding.related[0].message == "reaches bank.ingest"


# Constructors and the rest


def built(count: int, *builders: str) -> list[Site]:
    return [replace(one, builders=builders) for one in many(count, user=None)]


def test_a_dict_beside_the_constructor() -> None:
    raw = replace(site("b.py:5", user=None), built_at=place("b.py", 4), inside="b.f")
    finding = only([*built(3, "tenancy.Tenant.scope"), raw])
    assert (finding.rule, finding.key, finding.severity) == ("non-tenant", None, "warning")
    assert finding.place == place("b.py", 4)
    assert finding.message == "scope built by hand; 3 of 4 places use Tenant.scope(…)"


def test_a_configured_constructor_makes_it_an_error() -> None:
    store = replace(STORE, constructors=("tenancy.scope_of",))
    inside = replace(site("t.py:1", user=None), inside="app.tenancy.scope_of")
    finding = only([*built(1, "tenancy.scope_of"), inside, site("b.py:1", user=None)], store)
    assert (finding.place.path, finding.severity, finding.support) == ("b.py", "error", None)
    assert finding.message == "scope built by hand; the settings name tenancy.scope_of as the constructor"


def test_of_one_dict_the_first_rule_speaks() -> None:
    store = declared(constructors=("tenancy.scope_of",))
    sites = [replace(one, builders=("tenancy.scope_of",)) for one in many(3, user_id=None)]
    assert spoken([*sites, site("b.py:1", user_id=None, tier=None)], store) == [("disallowed-key", "b.py:1", "tier")]
    added = replace(site("b.py:1", user_id=None, tier=None), built_at=place("b.py", 90))
    assert spoken([*sites, added], store) == [("disallowed-key", "b.py:1", "tier")]


def test_a_rule_that_is_left_out_does_not_silence_another() -> None:
    store = declared(constructors=("tenancy.scope_of",))
    rules = [rule for rule in RULES if rule.name != "disallowed-key"]
    found = judge(evidence([site("b.py:1", user_id=None, tier=None)], store), rules)
    assert [one.rule for one in found] == ["non-tenant"]


def test_each_dynamic_key_is_one_finding() -> None:
    spots = (place("a.py", 3), place("a.py", 4))
    sites = [replace(site(f"a.py:{line}", user=None), dynamic=spots, complete=False) for line in (5, 6)]
    assert spoken(sites) == [("dynamic-key", "a.py:3", None), ("dynamic-key", "a.py:4", None)]


def test_problems_of_ours_are_no_finding() -> None:
    problems = (Problem(place("a.py", 1), "'(' was never closed"), Problem(place("b.py", 1), "too deep", opaque=True))
    (finding,) = judge(Evidence((), (), problems=problems))
    assert (finding.rule, finding.message) == ("unreadable-file", "'(' was never closed")


def sinks(*names: str) -> Store:
    found = tuple(
        Sink(name, "write", MAPPING, declared_at=place("pyproject.toml", line)) for line, name in enumerate(names, 10)
    )
    return replace(STORE, sinks=found, declared_at=SETTINGS)


@pytest.mark.parametrize(
    ("missed", "lines"),
    [([None], [3]), (["a"], [10]), (["a", "b"], [3]), ([None, "a", "b"], [3])],
)
def test_unmatched_sinks_are_one_finding_if_they_are_all(missed: list[str | None], lines: list[int]) -> None:
    store = sinks("a", "b")
    by_name = {sink.call: sink for sink in store.sinks}
    found = judge(Evidence((), (store,), unmatched=tuple((store, by_name.get(name or "")) for name in missed)))
    assert [one.place.span.line for one in found] == lines


def test_a_store_that_ships_may_match_nothing() -> None:
    assert not judge(Evidence((), (STORE,), unmatched=((STORE, None),)))


def test_unused_ignores() -> None:
    first, second = place("a.py", 3), place("a.py", 9)
    found = unused_ignore.findings([(second, None, ""), (first, "shape-drift", "# x"), (first, "shape-drift", "# x")])
    assert [(one.place, one.message) for one in found] == [
        (first, "this comment suppresses nothing: there is no shape-drift here"),
        (second, "this comment suppresses nothing: there is nothing here"),
    ]
    assert not list(unused_ignore.check(Evidence((), ())))


# Fingerprints, order, registry


def test_fingerprints_know_no_lines_and_no_counts() -> None:
    before = only([*many(4, user="str()"), site("b.py:3", function="f", user="as is")])
    after = only([*many(9, user="str()"), site("b.py:70", function="f", user="as is")])
    assert before.fingerprint == after.fingerprint
    assert len(before.fingerprint) == 16


def test_equal_findings_in_one_function_are_told_apart() -> None:
    sites = [*many(4, user="str()"), *(site(f"b.py:{line}", function="f", user="as is") for line in (1, 2))]
    first, second = judged(sites)
    assert first.fingerprint != second.fingerprint


VALUES = st.sampled_from([writing(), writing("str()"), writing("as is", "int"), writing("const:str", "str", '"x"')])


@given(
    values=st.lists(st.dictionaries(st.sampled_from(["user", "org", "tier__maybe"]), VALUES, max_size=3), max_size=7),
    store=st.sampled_from([STORE, replace(STORE, non_strings="kept"), DECLARED, EITHER]),
)
def test_findings_are_sorted_one_for_each_value_and_independent_of_order(
    values: list[dict[str, Writing]], store: Store
) -> None:
    sites = [site(f"a.py:{line}", "write" if line % 2 else "read", keys) for line, keys in enumerate(values, 1)]
    found = judged(sites, store)
    assert found == judged(sites[::-1], store)
    assert [one.place for one in found] == sorted(one.place for one in found)
    assert len({(one.place, one.key) for one in found}) == len(found)
    assert len({one.fingerprint for one in found}) == len(found)


def test_the_registry_holds_every_module() -> None:
    assert [rule.name for rule in RULES] == [
        "invalid-scope", "missing-key", "disallowed-key", "type-drift", "shape-drift", "no-majority", "non-tenant",
        "dynamic-key", "unmatched-store", "unreadable-file", "unused-ignore",
    ]  # fmt: skip
    assert disallowed_key.RULE in RULES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_page_starts_with_the_summary(rule: Rule) -> None:
    assert page(rule.name).startswith(f"{rule.summary}\n\nWhat it finds. ")


def test_no_page_of_an_unknown_rule() -> None:
    with pytest.raises(KeyError):
        page("no-such-rule")


@pytest.mark.parametrize(
    ("votes", "of", "lower"), [(0, 0, 0.0), (41, 44, 0.8177), (9, 10, 0.5958), (1, 1, 0.2065), (0, 5, 0.0)]
)
def test_wilson_lower_bound(votes: int, of: int, lower: float) -> None:
    assert wilson(votes, of) == pytest.approx(lower, abs=1e-4)


@given(of=st.integers(1, 10_000), data=st.data())
def test_wilson_is_below_the_share(of: int, data: st.DataObject) -> None:
    votes = data.draw(st.integers(0, of))
    assert 0 <= wilson(votes, of) <= votes / of


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        ("as is", "uid"),
        ("str()", "str(uid)"),
        ("f-string", 'f"{uid}"'),
        ('f"user-{}"', 'f"user-{uid}"'),
        ("str().strip().lower()", "str(uid).strip().lower()"),
        (".hex", "uid.hex"),
        ("uuid.UUID()", "uuid.UUID(uid)"),
        ("int()str()", "str(int(uid))"),
        ("UUID().hex", "UUID(uid).hex"),
        ('f"user-{.strip()}"', 'f"user-{uid.strip()}"'),
        ('f"{}:{}"', 'f"{uid}:{}"'),
        ('.strip()f"u-{}".lower()', 'f"u-{uid.strip()}".lower()'),
    ],
)
def test_a_shape_in_code(shape: str, code: str) -> None:
    assert in_code(shape, "uid") == code


def test_a_constant_is_its_own_code() -> None:
    assert code_of(writing("const:str", "str", '"demo"')) == '"demo"'
