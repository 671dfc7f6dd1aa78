"""A scope breaks the contract of the SDK that it is handed to.

What it finds. What cannot work, whatever the other calls do: a placeholder such as `{user_id}` in a plain string that
nothing fills in, a namespace that is one string where a tuple of labels belongs (`("memories")`), more keys than the
store takes, a constant that it does not accept, a wildcard where a tenant's id belongs, a key that the SDK drops, a
keyword that the method refuses or makes no use of. Contracts that differ between versions of an SDK are judged where
the project's dependency files say which one it has.

Why it matters. Such a call raises an error on a path that no test takes, or, worse, goes on: a read with a wildcard
shows every tenant's memories, and under a placeholder that is never filled all of them share one address. In a replay
of 4,000 turns a read that was wider than the writes had the best hit rate of all, 95.0 %, and returned another
tenant's record in 1,843 of them.

Flagged:

    # pyproject.toml
    [tool.scope-lint.stores.bank]
    scope = "scope"
    limits = { keys = 2, patterns = { app_id = "[a-z-]+" }, wildcards = ["*"] }
    sinks = [{ call = "bank.put", role = "write" }, { call = "bank.find", role = "read" }]
    # app.py
    APP = "web.example.org"  # expect: invalid-scope

    def learn(bank, user: str, text: str):
        bank.put(text, scope={"app_id": APP, "user_id": user})

    def recall(bank, query: str):
        return bank.find(query, scope={"app_id": APP, "user_id": "*"})  # expect: invalid-scope

    def greet(bank, user: str):
        return bank.find("name", scope={"app_id": APP, "user_id": "{user}"})  # expect: invalid-scope

Silent:

    # pyproject.toml
    [tool.scope-lint.stores.bank]
    scope = "scope"
    limits = { keys = 2, patterns = { app_id = "[a-z-]+" }, wildcards = ["*"] }
    sinks = [{ call = "bank.put", role = "write" }, { call = "bank.find", role = "read" }]
    # app.py
    APP = "web-example-org"

    def learn(bank, user: str, text: str):
        bank.put(text, scope={"app_id": APP, "user_id": user})

    def recall(bank, user: str, query: str):
        return bank.find(query, scope={"app_id": APP, "user_id": user})

    def greet(bank, user: str):
        return bank.find("name", scope={"app_id": APP, "user_id": f"{user}"})

How to fix it. The finding says what the SDK takes. A wildcard is never mended by a wider read, a placeholder mostly
lacks the f in front of its string.

When to silence it. Where the text is meant as it is: braces that are a part of a name, or a job that is to see every
tenant's memories.
"""

from collections.abc import Iterator

from scope_lint.model import Evidence, Finding
from scope_lint.rules.broken_keys import CROWDED, DROPPED, KEYWORD
from scope_lint.rules.broken_values import BARE, UNFILLED, UNTAKEN, WILDCARD
from scope_lint.rules.finding import compose, origins
from scope_lint.rules.rule import rule
from scope_lint.rules.words import stores_by_name
from scope_lint.writings import code_of

NAME = "invalid-scope"

# In the order in which they speak: of one value only the first has its say.
_CONTRACTS = (BARE, UNFILLED, WILDCARD, UNTAKEN, KEYWORD, DROPPED, CROWDED)


def check(evidence: Evidence) -> Iterator[Finding]:
    """Sites that break a contract of their store, contract by contract."""
    stores = stores_by_name(evidence)
    for contract in _CONTRACTS:
        found = [each for site in evidence.sites for each in contract.breaches(stores[site.store], site)]
        for origin in origins(found):
            first = origin[0]
            value = "" if first.writing is None else code_of(first.writing)
            yield compose(NAME, "error", origin, contract.say(stores[first.site.store], first), value)


RULE = rule(NAME, "error", "refused", __doc__, check)
