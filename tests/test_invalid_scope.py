"""What `invalid-scope` says of sites built by hand, and what of them the other rules leave to it."""

from collections.abc import Sequence

import pytest
from hand_built import MAPPING, STORE, declared, evidence, judged, namespace, place, site, spoken, writing
from msgspec.structs import replace

from scope_lint.model import Effect, Finding, Form, Key, Limits, Place, Role, ScopeSpec, Sink, Site, Store
from scope_lint.rules import RULES, invalid_scope, judge

PATTERNS = Limits(patterns=(("user_id", r"[a-z0-9-]+"), ("*", r"[^*]*")))
LABELS = (ScopeSpec("namespace", position=0),)
TEMPLATE = (ScopeSpec("namespace", position=0, placeholders="label"),)


def limited(limits: Limits, **fields: object) -> Store:
    return replace(STORE, limits=limits, **fields)


def sinks(scopes: tuple[ScopeSpec, ...], **fields: object) -> Store:
    """A store whose sinks all take their scope so."""
    calls: dict[str, Role] = {"ingest": "write", "retrieve": "read", "forget": "delete"}
    return replace(STORE, sinks=tuple(replace(Sink(call, role, scopes), **fields) for call, role in calls.items()))


def refusing(*names: str, sites: Sequence[Site]) -> list[Site]:
    """The sites with these keywords at their calls, which their sinks do not want."""
    return [
        replace(one, refused=tuple(Key(name, (writing(text=name),), maybe=False, place=keyword(one)) for name in names))
        for one in sites
    ]


def keyword(one: Site) -> Place:
    return place(one.place.path, one.place.span.line, 70, 12)


def text(constant: str) -> str:
    return f'"{constant}"'


def found(one: Site, store: Store = STORE) -> list[tuple[str | None, Effect | None, str]]:
    """What the rule says of one site: key, effect and message."""
    only = [rule for rule in RULES if rule.name == invalid_scope.NAME]
    return [(each.key, each.effect, each.message) for each in judge(evidence([one], store), only)]


def notes(finding: Finding) -> dict[str, str]:
    return {note.label: note.text for note in finding.notes}


# Placeholders


@pytest.mark.parametrize("constant", ["{user_id}", "user-{user_id}", "{user.id}:{session}", "/users/{user_id}/"])
@pytest.mark.parametrize("role", ["read", "write"])
def test_a_placeholder_that_nothing_fills_in(constant: str, role: Role) -> None:
    (finding,) = judged([site("a.py:1", role, user_id=writing("const:str", "str", text(constant)))])
    assert (finding.rule, finding.key, finding.effect, finding.severity) == (
        "invalid-scope", "user_id", "merges", "error",
    )  # fmt: skip
    assert finding.message.startswith(f'user_id is the text "{constant}"; nothing fills in {{user')
    assert notes(finding)["write"] == f'an f-string: f"{constant}"'


@pytest.mark.parametrize(
    "constant", ["{{user_id}}", "{{$userId}}", "{}", "{0}", "{user id}", '{"user": 1}', "{user_id", "user_id}", "{-}"]
)
def test_other_braces_are_no_placeholder(constant: str) -> None:
    assert not spoken([site("a.py:1", user_id=writing("const:str", "str", text(constant)))])


def test_only_a_constant_has_placeholders() -> None:
    assert not spoken([site("a.py:1", user_id=writing('f"{}"', "str", "{user_id}"))])


def test_a_placeholder_that_is_a_label_is_filled_in() -> None:
    store = sinks(TEMPLATE)
    whole = namespace("a.py:1", writing("const:str", "str", '"memories"'), writing("const:str", "str", '"{user_id}"'))
    assert not found(whole, store)
    part = namespace("a.py:1", writing("const:str", "str", '"user-{user_id}"'))
    message = 'label 1 of the namespace is the text "user-{user_id}"; only a whole label is filled in'
    assert found(part, store) == [("#0", "merges", message)]
    assert [message for _, _, message in found(whole, sinks(LABELS))] == [
        'label 2 of the namespace is the text "{user_id}"; nothing fills in {user_id}'
    ]


@pytest.mark.parametrize(
    ("placeholders", "constant", "count"),
    [
        ("inside", "/users/u-{user_id}/", 0),
        ("label", "/users/{user_id}/", 0),
        ("label", "/users/u-{user_id}/", 1),
        (None, "/users/{user_id}/", 1),
    ],
)
def test_placeholders_in_a_path(placeholders: str | None, constant: str, count: int) -> None:
    spec = replace(ScopeSpec("template", keyword="namespace"), placeholders=placeholders)
    one = site("a.py:1", namespace=writing("const:str", "str", text(constant)))
    assert len(found(replace(one, form="template"), sinks((spec,)))) == count


def test_what_is_no_address_may_have_placeholders() -> None:
    prompt = writing("const:str", "str", '"Hello {name}"')
    one = site("a.py:1", user_id=None, note=prompt)
    assert found(one, declared()) != []
    assert not found(one, declared(other_keys=("note",)))
    assert not found(replace(one, form="payload"), declared())


# Values


@pytest.mark.parametrize("role", ["read", "delete", "readwrite"])
def test_a_wildcard_reaches_every_tenant(role: Role) -> None:
    one = site("a.py:1", role, user_id=writing("const:str", "str", '"*"'))
    ((key, effect, message),) = found(one, limited(Limits(wildcards=("*",))))
    assert (key, effect) == ("user_id", "merges")
    assert message.startswith('user_id is "*": this ')
    assert message.endswith(" reaches every tenant's memory")


def test_a_wildcard_that_is_written_or_narrows_reaches_nobody() -> None:
    wildcard = writing("const:str", "str", '"*"')
    store = limited(Limits(wildcards=("*",)))
    assert not found(site("a.py:1", "write", user_id=wildcard), store)
    assert not found(site("a.py:1", "read", user_id=None, session_id=wildcard), store)
    assert not found(site("a.py:1", "read", user_id=None, part=wildcard), replace(store, narrowing_keys=("part",)))
    assert not found(site("a.py:1", "read", user_id=wildcard), STORE)


@pytest.mark.parametrize(
    ("key", "constant", "fits"),
    [
        ("user_id", "ann-1", True),
        ("user_id", "ann@example.org", False),
        ("user_id", "ann-1\n", False),
        ("user_id", "", False),
        ("app_id", "ann@example.org", True),
        ("app_id", "a*b", False),
    ],
)
def test_a_constant_matches_the_pattern_of_its_key(key: str, constant: str, fits: bool) -> None:  # noqa: FBT001 - a table
    one = site("a.py:1", keys={key: writing("const:str", "str", text(constant))})
    expected = [] if fits else [(key, "refused", f'{key} is "{constant}"; store `memory` takes no such value')]
    assert found(one, limited(PATTERNS)) == expected


def test_what_is_no_string_or_no_constant_has_no_pattern() -> None:
    assert not found(site("a.py:1", user_id=writing("const:int", "int", "4_2")), limited(PATTERNS))
    assert not found(site("a.py:1", user_id=writing("as is", "str", "USER")), limited(PATTERNS))


def test_patterns_go_by_what_aliases_mean() -> None:
    limits = Limits(patterns=(("userId", "[a-z]+"),))
    one = site("a.py:1", user_id=writing("const:str", "str", '"A"'))
    assert len(found(one, limited(limits, aliases=(("userId", "user_id"),)))) == 1


def test_a_long_value_is_shown_by_its_beginning() -> None:
    ((_, _, message),) = found(site("a.py:1", user_id=writing("const:str", "str", text("*" * 99))), limited(PATTERNS))
    assert message == f'user_id is "{"*" * 39}…"; store `memory` takes no such value'


def test_one_value_has_one_fault() -> None:
    store = limited(Limits(patterns=(("*", "[a-z]+"),), wildcards=("{any}",)))
    one = site("a.py:1", "read", user_id=writing("const:str", "str", '"{any}"'))
    assert [message for _, _, message in found(one, store)] == ['user_id is the text "{any}"; nothing fills in {any}']


# Namespaces


def bare(shape: str, code: str, type_: str | None = "str", form: Form = "namespace") -> Site:
    return replace(site("a.py:1", namespace=writing(shape, type_, code)), form=form)


@pytest.mark.parametrize(
    ("shape", "code", "shown"),
    [
        ("const:str", '"memories"', '"memories"'),
        ("as is", "self.namespace", "self.namespace"),
        ('f"user-{}"', "uid", 'f"user-{uid}"'),
    ],
)
def test_a_namespace_is_no_string(shape: str, code: str, shown: str) -> None:
    (finding,) = judged([bare(shape, code)], sinks(LABELS))
    assert (finding.rule, finding.key, finding.effect) == ("invalid-scope", "namespace", "refused")
    assert finding.message == f"the namespace is the string {shown}; store `memory` takes labels"
    assert notes(finding)["write"] == f"({shown},)"


def test_what_may_be_one_string_may_be_one() -> None:
    one = bare("const:str", '"memories"')
    assert not found(one, sinks(TEMPLATE))
    assert not found(one, sinks((*LABELS, ScopeSpec("id", position=0))))
    assert not found(bare("const:str", '"memories"', form="id"), sinks(LABELS))
    assert not found(bare("as is", "namespace", type_=None), sinks(LABELS))
    assert not found(namespace("a.py:1", "const:str"), sinks(LABELS))


# Keys and keywords


def test_a_keyword_that_the_call_refuses() -> None:
    store = sinks((ScopeSpec("filter", keyword="filters"),), refuses=("user_id",))
    (one,) = refusing("user_id", sites=[site("a.py:3", "read")])
    (finding,) = judged([one], store)
    assert finding.place == keyword(one)
    assert (finding.rule, finding.key, finding.effect) == ("invalid-scope", "user_id", "refused")
    assert finding.message == "bank.retrieve refuses the keyword user_id"
    assert notes(finding)["why"] == "the call raises an error: nothing is read"
    assert notes(finding)["write"] == 'filters={"user_id": user_id}'


def test_what_is_refused_joins_what_is_passed_already() -> None:
    store = sinks((ScopeSpec("filter", keyword="filters"),), refuses=("user_id", "run_id"))
    (one,) = refusing("run_id", sites=[replace(site("a.py:3", "read", user_id=None), form="filter")])
    assert notes(judged([one], store)[0])["write"] == 'filters={"user_id": user_id, "run_id": run_id}'
    (both,) = refusing("user_id", "run_id", sites=[replace(site("a.py:3", "read", user_id=None), form="flat")])
    assert notes(judged([both], store)[0])["write"] == 'filters={"user_id": user_id, "run_id": run_id}'


def test_a_keyword_that_the_call_makes_no_use_of() -> None:
    store = sinks((ScopeSpec("filter", keyword="filters"),), ignores=("app_id",), keys=("user_id",))
    (one,) = refusing("app_id", sites=[site("a.py:3", "read", user_id=None)])
    (finding,) = judged([one], store)
    assert finding.message == "bank.retrieve makes no use of the keyword app_id"
    assert notes(finding)["why"] == "the call goes on as if app_id were not there: it keeps nothing apart"
    assert notes(finding)["write"] == "the call without app_id, and its scope as the other calls pass it"


def test_a_keyword_that_is_a_position() -> None:
    store = sinks((ScopeSpec("namespace", keyword="prefix", position=0),), refuses=("prefix",))
    (one,) = refusing("prefix", sites=[namespace("a.py:3", "as is", role="read")])
    assert notes(judged([one], store)[0])["write"] == "prefix by position, as argument 1"


def test_a_refused_keyword_is_one_finding() -> None:
    store = replace(sinks(MAPPING, refuses=("user_id",)), tenant_keys=("user_id",), declared_at=STORE.declared_at)
    rest = [site(f"a.py:{line}", role, app=None, user_id=None) for line in range(5) for role in ("write", "read")]
    (lost,) = refusing("user_id", sites=[site("b.py:1", "read", app=None)])
    assert spoken([*rest, lost], store) == [("invalid-scope", "b.py:1", "user_id")]
    assert spoken([*rest, replace(lost, refused=())], store) == [("missing-key", "b.py:1", "user_id")]


def test_a_key_that_is_missing_at_other_calls_as_well_is_missing() -> None:
    store = sinks(MAPPING, refuses=("user_id",))
    rest = [site(f"a.py:{line}", role, app=None, user_id=None) for line in range(5) for role in ("write", "read")]
    (lost,) = refusing("user_id", sites=[site("b.py:1", "read", app=None)])
    other = replace(site("b.py:2", "read", app=None), scope_place=lost.scope_place)
    assert spoken([*rest, lost, other], store) == [
        ("missing-key", "b.py:1", "user_id"), ("invalid-scope", "b.py:1", "user_id"),
    ]  # fmt: skip


def test_a_key_that_the_sdk_drops() -> None:
    store = sinks(MAPPING, keys=("user_id", "agent_id"))
    one = site("a.py:1", user_id=None, app_id=None)
    assert found(one, store) == [("app_id", "refused", "bank.ingest drops the key app_id")]
    assert not found(replace(one, form="flat"), store)
    assert not found(one, sinks(MAPPING))


def test_a_dropped_twin_is_named() -> None:
    (finding,) = judged([site("a.py:1", userId=None)], sinks(MAPPING, keys=("user_id",)))
    assert finding.message == "bank.ingest drops the key userId; it is spelt user_id"
    assert notes(finding)["write"] == '"user_id": userId'


def test_known_keys_go_by_what_aliases_mean() -> None:
    store = replace(sinks(MAPPING, keys=("userId",)), aliases=(("userId", "user_id"),))
    assert not found(site("a.py:1", user_id=None), store)


def test_a_dropped_key_is_no_disallowed_key() -> None:
    store = sinks(MAPPING, keys=("user",))
    sites = [site(f"a.py:{line}", role, user=None) for line in range(3) for role in ("write", "read")]
    assert spoken([*sites, site("b.py:1", user=None, tier=None)], store) == [("invalid-scope", "b.py:1", "tier")]


def test_more_keys_than_the_store_takes() -> None:
    store = limited(Limits(keys=2))
    one = site("a.py:1", "delete", a=None, b=None, c=None)
    message = "the scope has 3 keys; store `memory` takes 2 at most"
    assert found(one, store) == [(None, "refused", message)]
    assert judged([one], store)[0].place == one.scope_place
    assert not found(site("a.py:1", a=None, b=None), store)
    assert not found(site("a.py:1", a=None, b=None, c__maybe=None), store)
    assert not found(replace(one, form="flat"), store)


def test_more_labels_than_the_store_takes() -> None:
    one = namespace("a.py:1", "as is", "as is", "as is")
    assert [message for _, _, message in found(one, limited(Limits(keys=2)))] == [
        "the scope has 3 labels; store `memory` takes 2 at most"
    ]


def test_one_origin_is_one_finding() -> None:
    one = site("a.py:1", user_id=writing("const:str", "str", '"{user}"'))
    other = replace(one, place=place("b.py", 2), call="bank.store")
    (finding,) = judged([one, other])
    assert [related.message for related in finding.related] == ["reaches bank.ingest", "reaches bank.store"]


def test_opaque_sites_break_no_contract() -> None:
    one = replace(site("a.py:1"), opaque="unknown", keys=())
    assert not found(one, limited(Limits(keys=0), sinks=sinks(MAPPING, keys=("user_id",)).sinks))


def test_sinks_of_one_name_keep_their_own_contracts() -> None:
    refuses = Sink("retrieve", "read", MAPPING, refuses=("app_id",), receivers=("sdk.Client",))
    ignores = Sink("retrieve", "read", MAPPING, ignores=("app_id",), receivers=("sdk.Memory",))
    (one,) = refusing("app_id", sites=[site("a.py:1", "read", user_id=None)])
    store = replace(STORE, sinks=(refuses, ignores))
    assert [message for _, _, message in found(replace(one, number=0), store)] == [
        "bank.retrieve refuses the keyword app_id"
    ]
    assert [message for _, _, message in found(replace(one, number=1), store)] == [
        "bank.retrieve makes no use of the keyword app_id"
    ]
