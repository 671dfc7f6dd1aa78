"""sieve: which files can matter, told from their bytes alone."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from scope_lint.declared import HOME_MADE_ROLES, IDENTITY_KEYWORDS
from scope_lint.model import ScopeSpec, Sink, Store

NEAR = 300  # bytes at most between a common name and a word that tells what it is about
_WIDE = ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))

COMMON_NAMES = frozenset(
    """
    add append apply build call clear close commit copy count create delete delete_all drop emit execute extend fetch
    filter find generate get get_all index ingest insert invoke list load lookup map match merge open pop post process
    publish push put query read record register remove replace request reset resolve retrieve run save search select
    send set start stop store stream submit sync track update upload upsert use validate write
    """.split()  # noqa: SIM905 - seventy pairs of quotes say nothing
)


class Interest(Struct, frozen=True, order=True):
    """A name that makes a file worth parsing: wherever it stands as a word, or only with one of `near` close to it."""

    name: str
    near: tuple[str, ...] = ()


class _Words:
    """A set of words that are looked for together."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self.words = frozenset(words)
        self._parts = tuple(
            word for word in sorted(self.words) if not any(other in word for other in self.words - {word})
        )
        # Past ASCII, `\b` of a bytes pattern means nothing: such a word counts within a longer one, too.
        bounded = b"|".join(re.escape(word) for word in sorted(self.words) if word.isascii())
        loose = b"".join(b"|" + re.escape(word) for word in sorted(self.words) if not word.isascii())
        self.finditer = re.compile(rb"\b(?:" + (bounded or b"(?!)") + rb")\b" + loose).finditer

    def may_stand_in(self, data: bytes) -> bool:
        """A quick look, some twenty times as fast as the pattern: False is certain."""
        return any(part in data for part in self._parts)

    def stand_in(self, data: bytes) -> bool:
        return self.may_stand_in(data) and next(self.finditer(data), None) is not None


class Sieve:
    """Passes the files in which at least one name of interest stands."""

    def __init__(self, interests: Iterable[Interest]) -> None:
        pairs = {(each.name.encode(), word.encode()) for each in interests for word in each.near or (each.name,)}
        alone = {name for name, word in pairs if name == word}
        names = {name for name, _ in pairs} - alone
        self._partners: dict[bytes, frozenset[bytes]] = {}
        for name, word in sorted(pairs):
            if name in names:
                self._partners[name] = self._partners.get(name, frozenset()) | {word}
                self._partners[word] = self._partners.get(word, frozenset()) | {name}
        self._alone = _Words(alone)
        self._names = _Words(names)
        self._near = _Words(word for name, word in pairs if name in names)
        self._either = _Words(self._partners)

    def passes(self, data: bytes) -> bool:
        """Whether a file with this content can matter. Linear in its size.

        Names are looked for as ASCII and UTF-8. A file in UTF-16 or UTF-32 is decoded first, though Python will refuse
        it: if a name stands there, somebody takes it for source code.
        """
        for mark, encoding in _WIDE:
            if data.startswith(mark):
                return self.passes(data.decode(encoding, "ignore").encode())
        if self._alone.stand_in(data):
            return True
        return self._near.may_stand_in(data) and self._names.may_stand_in(data) and self._has_pair(data)

    def _has_pair(self, data: bytes) -> bool:
        """Whether a common name has a word of its own close by, on either side."""
        ends: dict[bytes, int] = {}
        for match in self._either.finditer(data):
            word = match.group()
            earliest = max(0, match.start() - NEAR)
            if any(ends.get(partner, -1) >= earliest for partner in self._partners[word]):
                return True
            ends[word] = match.end()
        return False


# Up to so many names a search for each is faster than splitting a file into its words.
_FEW = 24
_IDENTIFIER = re.compile(rb"[^\W\d]\w*")


def words_finder(names: Iterable[str]) -> Callable[[bytes], list[str]]:
    """Return a function from a file's bytes to those of `names` that stand in it as words, sorted."""
    wanted = {name.encode(): name for name in sorted(names)}
    ascii_only = all(name.isascii() for name in wanted)

    def few(data: bytes) -> list[str]:
        return [name for word, name in wanted.items() if word in data and _Words([word]).stand_in(data)]

    def many(data: bytes) -> list[str]:
        return sorted(wanted[word] for word in wanted.keys() & set(_IDENTIFIER.findall(data)))

    return many if ascii_only and len(wanted) > _FEW else few


_IMPORT = re.compile(rb"(?:^|[\s;:\"'])(?:from|import)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*$")
_WORD_BYTE = re.compile(rb"\w")


def imports(data: bytes, module: str) -> bool:
    """Whether a file with this content imports the dotted `module`, or something below it."""
    name = module.encode()
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        head = data[max(data.rfind(b"\n", 0, at) + 1, at - NEAR) : at]
        if not _WORD_BYTE.match(data, end) and _IMPORT.search(head):
            return True
        at = data.find(name, end)
    package, _, last = name.rpartition(b".")
    if not package or package + b" import" not in data:
        return False
    taken = rb"\bfrom\s+%b\s+import\b[^\n]*\b%b\b" % (re.escape(package), re.escape(last))
    return re.search(taken, data) is not None


def interests(stores: Sequence[Store]) -> tuple[Interest, ...]:
    """The names by which the sinks of `stores` are called, sorted.

    A name as common as `add` is of interest only near a keyword of its scope, or near one of the names before it in
    `call` (`shelf` of `shelf.put`); if its scope can be passed by position and nothing stands before it, everywhere.
    """
    near: dict[str, frozenset[str]] = {}
    for store in stores:
        for sink in store.sinks:
            *before, name = sink.call.split(".")
            words = frozenset(_near(sink, store, before)) if name in COMMON_NAMES else frozenset()
            known = near.get(name, words)
            near[name] = known | words if known and words else frozenset()
    return tuple(Interest(name, tuple(sorted(words))) for name, words in sorted(near.items()))


def home_made_interests() -> tuple[Interest, ...]:
    """The verbs that home-made stores are called by, each near a keyword that passes an identity; sorted."""
    return tuple(Interest(verb, tuple(sorted(IDENTITY_KEYWORDS))) for verb in sorted(HOME_MADE_ROLES))


def _near(sink: Sink, store: Store, before: Sequence[str]) -> Iterator[str]:
    yield from before
    if before or all(scope.position is None for scope in sink.scopes):
        for scope in sink.scopes:
            yield from _keywords(scope, store)


def _keywords(scope: ScopeSpec, store: Store) -> Iterator[str]:
    """The keywords that hand a scope over, in all their spellings."""
    if scope.keyword is not None:
        yield scope.keyword
    yield from scope.keys
    yield from (alias for alias, key in store.aliases if key in scope.keys)
