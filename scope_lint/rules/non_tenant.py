"""A scope is built by hand beside the function that builds the others.

What it finds. A dict written out where more than half of the scopes with the same keys, of at least three, come out of
one function; or, if the settings name `constructors`, every scope of the store that is written out elsewhere. The
constructor's own dict is exempt, and so is what another function returns.

Why it matters. One place that builds the address is what ends this kind of fault: there the keys are complete, the
values checked and converted. A dict beside it repeats today's rules and will miss tomorrow's.

Flagged:

    def scope_of(tenant):
        return {"org_id": tenant.org_id, "user_id": tenant.user_id}

    def learn(memory, tenant, text: str):
        memory.ingest(text, scope=scope_of(tenant))

    def recall(memory, tenant, query: str):
        return memory.retrieve(query, scope=scope_of(tenant))

    def card(memory, tenant):
        return memory.retrieve_profile(scope=scope_of(tenant))

    def on_import(memory, tenant, text: str):
        memory.ingest(text, scope={"org_id": tenant.org_id, "user_id": tenant.user_id})  # expect: non-tenant

Silent:

    def scope_of(tenant):
        return {"org_id": tenant.org_id, "user_id": tenant.user_id}

    def learn(memory, tenant, text: str):
        memory.ingest(text, scope=scope_of(tenant))

    def recall(memory, tenant, query: str):
        return memory.retrieve(query, scope=scope_of(tenant))

    def card(memory, tenant):
        return memory.retrieve_profile(scope=scope_of(tenant))

    def on_import(memory, tenant, text: str):
        memory.ingest(text, scope=scope_of(tenant))

How to fix it. Call the constructor. Name it in the settings (`constructors = ["myapp.tenancy.scope_of"]`) and the
finding becomes an error that no longer depends on the majority.

When to silence it. Where the constructor cannot be imported, say in a script that is copied to other machines.
"""

from collections.abc import Iterator

from scope_lint.model import Belief, Evidence, Finding, Site
from scope_lint.rules.finding import Deviation, Saying, compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import places, share

NAME = "non-tenant"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Scopes built by hand where there is a constructor."""
    found = [
        Deviation(site.built_at or site.scope_place, None, site, (belief,))
        for belief in evidence.beliefs
        if belief.about == "constructor"
        for side in belief.sides
        if side.value == "by hand"
        for site in (evidence.sites[index] for index in side.sites)
    ]
    for origin in origins(found):
        belief = origin[0].beliefs[0]
        yield compose(NAME, "error" if belief.pinned else "warning", origin, _say(evidence, belief))


def _say(evidence: Evidence, belief: Belief) -> Saying:
    constructor = (belief.value or "").split(", ")[0]
    users = _users(evidence, belief)
    norm = (
        f"the settings name {belief.value} as the constructor"
        if belief.pinned
        else f"{share(belief)} use {_call(constructor)}"
    )
    return Saying(
        message=f"scope built by hand; {norm}",
        effect="splits",
        why=f"{_call(constructor)} is where keys and conversions are kept; this dict will not follow when it changes",
        others=f"{_call(constructor)} at {places(site.place for site in users)}" if users else "",
        write=f"scope={_call(constructor)}   ({constructor})",
    )


def _users(evidence: Evidence, belief: Belief) -> list[Site]:
    makers = (belief.value or "").split(", ")
    return [evidence.sites[index] for side in belief.sides if side.value in makers for index in side.sites]


def _call(constructor: str) -> str:
    """The constructor as it is called: `scope_of(…)`, `Tenant.scope(…)`."""
    *rest, name = constructor.split(".")
    owner = f"{rest[-1]}." if rest and rest[-1][:1].isupper() else ""
    return f"{owner}{name}(…)"


RULE = rule(NAME, "warning", "splits", __doc__, check)
