"""The stores that ship."""

import pytest

from scope_lint import sdks
from scope_lint.model import Role, ScopeSpec, Store


def generic() -> Store:
    return sdks.presets()[-1]


def test_the_generic_store_is_asked_last() -> None:
    assert generic().name == "generic"
    assert list(sdks.tables())[-1] == "generic"


@pytest.mark.parametrize(
    ("call", "role", "mapping_only"),
    [
        ("ingest", "write", True),
        ("ingest_events", "write", False),
        ("generate_memories", "write", False),
        ("retrieve", "read", True),
        ("retrieve_profile", "read", False),
        ("retrieve_profiles", "read", False),
        ("retrieve_memories", "read", False),
        ("add", "write", True),
        ("search", "read", True),
        ("get_all", "read", True),
        ("delete_all", "delete", True),
        ("delete", "delete", True),
    ],
)
def test_the_generic_store_takes_a_mapping_under_scope(call: str, role: Role, *, mapping_only: bool) -> None:
    sink = next(sink for sink in generic().sinks if sink.call == call)
    assert sink.role == role
    assert sink.mapping_only is mapping_only
    assert sink.scopes == (ScopeSpec(form="mapping", keyword="scope"),)


def test_the_generic_store_matches_exactly_and_refuses_what_is_no_string() -> None:
    assert (generic().match, generic().non_strings) == ("exact", "refused")
    assert len(generic().sinks) == 12


def test_what_ships_has_a_name_of_its_own_and_no_place_in_a_user_s_settings() -> None:
    presets = sdks.presets()
    assert [store.name for store in presets] == list(sdks.tables())
    assert {store.declared_at for store in presets} == {None}
    assert {sink.declared_at for store in presets for sink in store.sinks} == {None}
