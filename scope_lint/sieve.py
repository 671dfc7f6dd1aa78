"""sieve: which files can matter, told from their bytes alone."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from scope_lint.home_made import IDENTITY_KEYWORDS, ROLES, tells_of_memory
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
_FEW = 48
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


_IMPORT = re.compile(rb"import\b[ \t]*([^\n#;]*)")
_FROM = re.compile(rb"from[ \t]+([\w.]+)[ \t]+$")
_DOTTED = re.compile(rb"(?:^|,)[\s(\\]*([\w.]+)")


def imported_modules(data: bytes) -> frozenset[str]:
    """The dotted names of what a file with this content imports: `a`, `a.b` and `a.b.c` for `from a.b import c`."""
    found: set[bytes] = set()
    for match in _IMPORT.finditer(data):
        start = match.start()
        source = _FROM.search(data[max(data.rfind(b"\n", 0, start) + 1, start - NEAR) : start])
        names = _DOTTED.findall(match[1])
        found.update(names if source is None else [source[1], *(b"%b.%b" % (source[1], name) for name in names)])
    dotted = [name.decode("ascii", "replace") for name in found]
    return frozenset(
        ".".join(parts[:end]) for name in dotted for parts in (name.split("."),) for end in range(1, len(parts) + 1)
    )


def interests(stores: Sequence[Store]) -> tuple[Interest, ...]:
    """The names by which the sinks of `stores` are called, sorted.

    A name as common as `add` is of interest only near a keyword of its scope, or near one of the names before it in
    `call` (`shelf` of `shelf.put`), as is a name that an SDK's calls have others before; if its scope can be passed by
    position and nothing stands before it, everywhere.
    """
    near: dict[str, frozenset[str]] = {}
    for store in stores:
        for sink in store.sinks:
            *before, name = sink.call.split(".")
            says_little = name in COMMON_NAMES or (bool(store.on) and bool(before))
            words = frozenset(_near(sink, store, before)) if says_little else frozenset()
            known = near.get(name, words)
            near[name] = known | words if known and words else frozenset()
    return tuple(Interest(name, tuple(sorted(words))) for name, words in sorted(near.items()))


_CALLED = re.compile(rb"\.(%b)\(" % "|".join(sorted(ROLES)).encode())
_LONGEST_NAME = 80  # bytes of a receiver that are looked at
_RECEIVER = re.compile(rb"(\w+)(?:\(\))?$")
_IDENTITIES = tuple(f"{keyword}=".encode() for keyword in sorted(IDENTITY_KEYWORDS))


def may_be_home_made(data: bytes) -> bool:
    """Whether a file with this content can call a home-made store: what sounds like one, and an identity's keyword.

    A call that passes a tuple instead is found where a keyword stands, too.
    """
    if not any(keyword in data for keyword in _IDENTITIES):
        return False
    verbs: dict[str, set[str]] = {}
    for match in _CALLED.finditer(data):
        receiver = _RECEIVER.search(data, max(0, match.start() - _LONGEST_NAME), match.start())
        if receiver is not None:
            name = receiver[1].decode("ascii", "replace")
            verbs.setdefault(name, set()).add(match[1].decode())
    return any(tells_of_memory(name, called) for name, called in verbs.items())


_DEFINED = re.compile(rb"\bdef[ \t]+(%b)[ \t]*\(" % "|".join(sorted(ROLES)).encode())


def may_define_store(data: bytes) -> bool:
    """Whether a file with this content can define a class that writes and reads under an identity."""
    if not any(keyword.encode() in data for keyword in IDENTITY_KEYWORDS):
        return False
    return {"write", "read"} <= {ROLES[name.decode()] for name in _DEFINED.findall(data)}


def _near(sink: Sink, store: Store, before: Sequence[str]) -> Iterator[str]:
    yield from before
    yield from (module.rpartition(".")[2] for module in store.on)
    if before or store.on or all(scope.position is None for scope in sink.scopes):
        for scope in sink.scopes:
            yield from _keywords(scope, store)


def _keywords(scope: ScopeSpec, store: Store) -> Iterator[str]:
    """The keywords that hand a scope over, in all their spellings."""
    if scope.keyword is not None:
        yield scope.keyword
    yield from scope.keys
    yield from (alias for alias, key in store.aliases if key in scope.keys)
