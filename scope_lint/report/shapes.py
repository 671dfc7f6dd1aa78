"""How a key of a scope is written, all its alternatives taken together."""

from scope_lint.model import Key


def shape_of(key: Key) -> str:
    """Join the distinct shapes of the key's writings, in their order, with ` | `; "unknown" if none is known."""
    return " | ".join(dict.fromkeys(writing.shape for writing in key.writings)) or "unknown"
