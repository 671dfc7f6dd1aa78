"""What home-made stores are known by: verbs of methods, keywords of identities, names of receivers."""

from collections.abc import Set as AbstractSet

from scope_lint.model import Role

# Keywords under which calls pass an identity, whatever the library.
IDENTITY_KEYWORDS = frozenset(
    """
    account_id actor_id author_id customer_id employee_id member_id org_id organization_id owner_id patient_id person_id
    student_id team_id tenant tenant_id uid user user_id userId workspace_id writer_id
    """.split()  # noqa: SIM905 - twenty pairs of quotes say nothing
)
_WRITES = "add append create ingest insert memorize put remember retain save set store update upsert write"
_READS = "all fetch find get get_all list load lookup query read recall retrieve search"
_DELETES = "clear delete delete_all erase forget purge remove reset wipe"
# What methods do, by their names.
ROLES: dict[str, Role] = {
    **dict.fromkeys(_WRITES.split(), "write"),
    **dict.fromkeys(_READS.split(), "read"),
    **dict.fromkeys(_DELETES.split(), "delete"),
}
# In the name of a receiver, these say that it holds what is known of somebody.
TELLING_WORDS = (
    "bank", "brain", "facts", "histor", "insight", "journal", "knowledge", "ledger", "mem", "notes", "preference",
    "profile", "recall", "vault", "vector",
)  # fmt: skip
# Nobody uses these verbs for files, tokens or rows.
TELLING_VERBS = frozenset({"remember", "recall", "retain", "forget", "memorize", "ingest"})
# A receiver that is only called a store is told from one of files and tokens by these.
SEARCHING_VERBS = frozenset({"search", "retrieve", "recall"})


def tells_of_memory(receiver: str, verbs: AbstractSet[str]) -> bool:
    """Whether a receiver of this name, with these methods, holds what is known of somebody."""
    name = receiver.lower()
    if any(word in name for word in TELLING_WORDS) or not verbs.isdisjoint(TELLING_VERBS):
        return True
    return name.endswith("store") and not verbs.isdisjoint(SEARCHING_VERBS)
