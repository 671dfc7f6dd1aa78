"""What a contract of an SDK is to `invalid-scope`, and how what breaks one is called."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from scope_lint.model import Site, Store
from scope_lint.rules.finding import Deviation, Saying

_SHOWN = 40  # characters of a value in a message
_DONE = {"read": "read", "write": "written", "delete": "deleted"}


class Contract(Struct, frozen=True):
    """How a site's breaches of a contract are found, and what is said of one of them."""

    breaches: Callable[[Store, Site], Iterator[Deviation]]
    say: Callable[[Store, Deviation], Saying]


def subject(deviation: Deviation) -> str:
    """What the key of a deviation is called: by its name, or by its position in the namespace."""
    key = deviation.key or ""
    number = key.removeprefix("#")
    return f"label {int(number) + 1} of the namespace" if key != number and number.isdecimal() else key


def done(site: Site) -> str:
    """What the call of a site would have done with memories."""
    return _DONE.get(site.role, "done")


def quoted(text: str) -> str:
    """Text in quotes, its beginning if it is long."""
    quote = "'" if '"' in text else '"'
    return f"{quote}{shortened(text)}{quote}"


def shortened(text: str) -> str:
    """Text, or the beginning of a long one."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
