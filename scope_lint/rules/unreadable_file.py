"""A file, or a part of one, that cannot be decoded or parsed.

What it finds. A file that mentions a sink and is no valid Python: a syntax error, bytes that are not in the encoding
that the file declares, NUL bytes, a broken notebook, nesting too deep to be parsed. A file that mentions none is never
parsed, and never reported. In a notebook, a cell that is no Python is reported alone, and the others are read.

Why it matters. What cannot be read is not checked, and must not look as if all were well.

Flagged:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user}  # expect: unreadable-file

Silent:

    def learn(memory, user: str, text: str):
        memory.ingest(text, scope={"user_id": user})

How to fix it. Mend the file; what is no Python of this project belongs under `exclude`.

When to silence it. A broken file cannot be silenced from the inside, as it cannot be read: exclude it.
"""

from collections.abc import Iterator

from scope_lint.model import Evidence, Finding
from scope_lint.rules.finding import identity
from scope_lint.rules.rule import rule

NAME = "unreadable-file"


def check(evidence: Evidence) -> Iterator[Finding]:
    """Problems that are the file's own. Limits of the parser are said elsewhere, and are no finding."""
    for problem in sorted(evidence.problems):
        if not problem.opaque:
            yield Finding(
                rule=NAME,
                severity="error",
                effect=None,
                place=problem.place,
                store=None,
                key=None,
                message=problem.message,
                fingerprint=identity(NAME, problem.place.path, None, problem.message),
            )


RULE = rule(NAME, "error", None, __doc__, check)
