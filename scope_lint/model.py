"""The spine: the frozen values through which the stages meet.

Everything here is plain data. Lines and columns count from 1, columns in characters (code points), and the end of a
span is exclusive. Paths are relative to the working directory, with forward slashes.

Three families: places and files, stores (what is to be found), and sites, beliefs and findings (what was found). What
a chunk of source says is in `facts.py`.
"""

from pathlib import Path
from typing import Literal

from msgspec import Struct

# ---------------------------------------------------------------------------------------------------------------------
# Places and files


class Span(Struct, frozen=True, order=True, array_like=True, gc=False):
    """A stretch of one file: first line and column, and the line and column one past its end."""

    line: int
    column: int
    end_line: int
    end_column: int


class Cell(Struct, frozen=True, order=True, array_like=True, gc=False):
    """A code cell of a notebook: its number among cells of every kind, and its first line in the notebook's text.

    By default it is all of a file that is no notebook.
    """

    number: int = 0
    first: int = 1


class Place(Struct, frozen=True, order=True, array_like=True):
    """A span in a file.

    The code cells of a notebook are read as one text, whose lines `span` counts, so that places of one file compare;
    `cell` is the one in which the place is. A reader is told `where`, `line` and `end_line`, which count in the cell.
    """

    path: str
    span: Span
    cell: Cell = Cell()

    @property
    def where(self) -> str:
        """The file, in a notebook with the cell: `notes.ipynb:cell 3`."""
        return f"{self.path}:cell {self.cell.number}" if self.cell.number else self.path

    @property
    def line(self) -> int:
        """The first line, counted in the file or in the cell."""
        return self.span.line - self.cell.first + 1

    @property
    def end_line(self) -> int:
        """The line of the end, counted in the file or in the cell."""
        return self.span.end_line - self.cell.first + 1


class File(Struct, frozen=True, order=True):
    """A file that discover found: its name as reported, where it lies, and whether it is test code."""

    name: str
    location: Path
    test: bool = False


class Problem(Struct, frozen=True, order=True):
    """A file, or a part of one, that could not be understood.

    `opaque` problems are our own limits (valid Python that the parser refuses): they are said and counted, and leave
    the exit status alone; the others become `unreadable-file`.
    """

    place: Place
    message: str
    opaque: bool = False


class Chunk(Struct, frozen=True):
    """A piece of a file that is parsed on its own.

    `qualname` is "" for the rest of the module, else the dotted name of the function, method or class. `source` is
    ready for the parser: an indented chunk stands under a `class _:` line, and what was cut out left a `pass`.
    `lines` are pairs (first line in `source`, its line in the file) from which every other line follows by counting.
    `names` are the names that the code mentions: identifiers, attributes, keywords and string constants.
    """

    qualname: str
    kind: Literal["module", "function", "method", "class"]
    source: str
    lines: tuple[tuple[int, int], ...]
    names: frozenset[str]


class Outline(Struct, frozen=True):
    """A file cut into chunks, in source order, the rest of the module last."""

    chunks: tuple[Chunk, ...]
    problems: tuple[Problem, ...] = ()


# ---------------------------------------------------------------------------------------------------------------------
# Stores

Role = Literal["read", "write", "delete", "readwrite", "bind"]
Match = Literal["exact", "subset", "prefix"]
NonStrings = Literal["refused", "kept", "coerced"]
Form = Literal[
    "mapping", "flat", "filter", "payload", "namespace", "template", "id", "names", "carried", "filter-string"
]
Placeholders = Literal["label", "inside"]
Proof = Literal["keywords", "name", "receiver"]


class ScopeSpec(Struct, frozen=True):
    """Where a sink takes its scope.

    A keyword or a position (from 0, the receiver not counted), or both; `path` descends into what is found there, `*`
    into every item of a list. Forms:

    mapping        a dict, every entry of which is a key
    flat           each of `keys` is a keyword of the call itself; `positions` are those that may be passed by position
    filter         a filter expression: its operators and filter objects are unwrapped
    payload        data stored along with the scope: only keys that name an identity are scope
    namespace      a tuple or list of labels
    template       one string made of labels, such as a path
    id             one opaque string
    names          a list of the names of keys, without values
    carried        an object, such as a session, that has `keys` as its attributes
    filter-string  an expression in a string that compares keys with values

    `placeholders` says that `{user_id}` in a constant stands for a value: a whole label, or inside of one.
    """

    form: Form
    keyword: str | None = None
    position: int | None = None
    path: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    positions: tuple[tuple[str, int], ...] = ()
    placeholders: Placeholders | None = None


class Sink(Struct, frozen=True):
    """A call that takes a scope.

    call          a bare name, a dotted suffix or a fully qualified name
    scopes        where the scope stands: alternatives, tried in order
    mapping_only  a call counts only if the scope is seen to be a mapping (names as common as `add`)
    receivers     the classes and modules whose call it is, where they are not those of the store
    proof         what makes a call on an unknown receiver count: the keywords of its scope beside its name, its name
                  alone, or nothing
    beside        keywords one of which such a call must have, too
    demanded      the call cannot be made without the scope: one without it is another call
    versions      the releases of the SDK that have it so, as a version specifier; "" for all
    refuses       keywords that the call refuses
    ignores       keywords that the call takes and does not use
    keys          the keys that its mapping may have, where the SDK knows others only to drop them; empty for any
    default       the scope that an omitted one means, as text
    declared_at   its line in the user's settings
    """

    call: str
    role: Role
    scopes: tuple[ScopeSpec, ...]
    match: Match | None = None
    mapping_only: bool = False
    receivers: tuple[str, ...] = ()
    proof: Proof = "keywords"
    beside: tuple[str, ...] = ()
    demanded: bool = False
    versions: str = ""
    refuses: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    default: str | None = None
    declared_at: Place | None = None


class Limits(Struct, frozen=True):
    """What an SDK accepts in a scope.

    keys       the most keys of a mapping, or labels of a namespace
    patterns   regular expressions that whole constant values match, by key; "*" is for the keys not named
    wildcards  values that mean every value
    """

    keys: int | None = None
    patterns: tuple[tuple[str, str], ...] = ()
    wildcards: tuple[str, ...] = ()


class Store(Struct, frozen=True):
    """A set of sinks that share one address space.

    `on`, `receivers`, `hints`, `checked` and `limits` are those of an SDK: the imports that switch the store on, the
    classes and modules whose calls its sinks are, words in a receiver's name that speak for it, the releases that it
    was read in (`mem0ai==2.2.1`). `declared_at` is None for a store that ships with scope-lint.
    """

    name: str
    sinks: tuple[Sink, ...]
    tenant_keys: tuple[str, ...] = ()
    application_keys: tuple[str, ...] = ()
    narrowing_keys: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    other_keys: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    match: Match = "exact"
    non_strings: NonStrings = "refused"
    constructors: tuple[str, ...] = ()
    shapes: tuple[tuple[str, str], ...] = ()
    on: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    limits: Limits = Limits()
    declared_at: Place | None = None


# ---------------------------------------------------------------------------------------------------------------------
# Sites

Spelling = Literal[
    "name", "attribute", "subscript", "call", "constant", "f-string", "parameter", "mapping", "expression", "unknown"
]


class Writing(Struct, frozen=True):
    """One way in which the value of a key comes about.

    shape        the conversions from the leaf outwards: "as is", "str()", "f-string", 'f"user-{}"', "str().strip()",
                 "const:str", …
    spelling     the leaf as written
    text         the source of the leaf's last name or expression, for messages
    type         the type of the stored value if it is known: "str", "int", "UUID", "None", …
    constant     its text if it is a constant
    made         made on the spot (uuid, time, random, counter): no identity
    nullable     can be None by evidence
    place        where the deviant literal or expression is written: the conversion, or the argument of the outermost
                 call that hands the value in
    conversions  the place of each conversion, innermost first
    trail        the places that the value went through, from the sink's argument outwards
    """

    shape: str
    spelling: Spelling
    text: str
    type: str | None
    constant: str | None
    made: bool
    nullable: bool
    place: Place
    trail: tuple[Place, ...] = ()


class Key(Struct, frozen=True):
    """A key of a resolved scope: its ways of being written (alternatives), whether it can be absent, and its place."""

    name: str
    writings: tuple[Writing, ...]
    maybe: bool
    place: Place
    exhaustive: bool = True


class Hop(Struct, frozen=True, order=True):
    """A call on the way from the outermost caller to the sink: `text` is `remember(user_id)`, as a reader knows it."""

    place: Place
    text: str


class Site(Struct, frozen=True):
    """One flow of one scope into one sink.

    place        the call that hands the scope over: the sink's, or the outermost wrapper's
    scope_place  the mapping, tuple or expression that is the scope; the call itself if it is left out
    sink         the sink as configured; `call` is the call as written (`bank.ingest`)
    function     the function that holds `place`, "" at module level: with the value as written, the unit of votes
    keys         the keys known; `complete` says that there can be no others
    opaque       why nothing is known of the scope, or None
    dynamic      places of keys that cannot be known
    left_out     the sink was called without any scope
    builders     the functions whose returned mapping this is, outermost first (qualified by module); the last one
                 holds the literal
    via          the hops from `place` to the sink, the sink's own call last; empty for a direct call
    form         how the scope is passed; None if it is left out
    refused      keywords of the call that the sink refuses or ignores, with their places: no part of the scope
    number       which of the store's sinks it is, from 0: several can have one name; None if that is not known
    """

    place: Place
    scope_place: Place
    store: str
    sink: str
    call: str
    role: Role
    function: str
    keys: tuple[Key, ...]
    complete: bool
    test: bool
    opaque: str | None = None
    dynamic: tuple[Place, ...] = ()
    left_out: bool = False
    built_at: Place | None = None
    builders: tuple[str, ...] = ()
    inside: str = ""
    via: tuple[Hop, ...] = ()
    form: Form | None = None
    refused: tuple[Key, ...] = ()
    number: int | None = None


# ---------------------------------------------------------------------------------------------------------------------
# Beliefs and findings

Severity = Literal["error", "warning"]
Effect = Literal["merges", "splits", "refused"]


class Side(Struct, frozen=True):
    """One answer to a question that sites vote on, its number of votes, and the sites (by index) that gave it."""

    value: str
    votes: int
    sites: tuple[int, ...]


class Belief(Struct, frozen=True):
    """What a store's sites do for one key.

    `value` is the majority's answer or the pinned one; None where there is no majority. `sides` are sorted by votes,
    most first, then by value. `key` is "" for questions about the whole scope.
    """

    store: str
    key: str
    about: Literal["presence", "shape", "type", "constructor"]
    value: str | None
    votes: int
    of: int
    pinned: bool
    sides: tuple[Side, ...]


class Evidence(Struct, frozen=True):
    """What the rules look at. `sites` neither vote nor are judged beyond those given: test code is left out before.

    `unmatched` are configured stores (sink None) and sinks that no call matches; `unused` suppressions that suppressed
    nothing.
    """

    sites: tuple[Site, ...]
    stores: tuple[Store, ...]
    beliefs: tuple[Belief, ...] = ()
    problems: tuple[Problem, ...] = ()
    unmatched: tuple[tuple[Store, Sink | None], ...] = ()


class Support(Struct, frozen=True, rename={"votes": "for"}):
    """Votes for the belief, votes in all, and the Wilson 95 % lower bound of the share."""

    votes: int
    of: int
    lower: float


class Related(Struct, frozen=True):
    """Another place that helps to understand a finding."""

    place: Place
    message: str


class Note(Struct, frozen=True):
    """A labelled line below a finding. The labels are always these four."""

    label: Literal["via", "others", "why", "write"]
    text: str


class Finding(Struct, frozen=True):
    """One fault at one primary place. `line_text` is the source line of the place, without its line end."""

    rule: str
    severity: Severity
    effect: Effect | None
    place: Place
    store: str | None
    key: str | None
    message: str
    support: Support | None = None
    fingerprint: str = ""
    related: tuple[Related, ...] = ()
    notes: tuple[Note, ...] = ()
    line_text: str = ""


class Stats(Struct, frozen=True):
    """Counts of what was needed (not of what was done, so that they are the same cached or not)."""

    files: int = 0
    parsed: int = 0
    sites: int = 0
    resolved: int = 0
    opaque: int = 0
    ignored: int = 0
    baselined: int = 0
    test_sites: int = 0


class Reason(Struct, frozen=True):
    """Why a store is on.

    settings  the settings declare it, at `place`
    import    the file `path` imports the module `name`
    mention   the file `path` mentions `name`, a call that no other library has
    always    it ships and belongs to no SDK
    calls     what is called on `name` writes and reads under an identity, first at `place`
    """

    how: Literal["settings", "import", "mention", "always", "calls"]
    name: str | None = None
    path: str | None = None
    place: Place | None = None


class SinkUse(Struct, frozen=True):
    """The sites of one sink of a store; `declared` in the settings."""

    call: str
    role: Role
    sites: int
    declared: bool = False


class StoreUse(Struct, frozen=True):
    """A store that is on, and its sites in the files that are reported.

    `sinks` are those with sites, and those that the settings declare, by role and name. `opaque` and `test` count those
    of the `sites` that are opaque or in test code; `left_out` are more in test code, which do not count.
    """

    name: str
    reason: Reason
    sinks: tuple[SinkUse, ...]
    sites: int
    opaque: int
    test: int
    left_out: int


class UnrecognisedSdk(Struct, frozen=True, order=True):
    """Modules of an SDK that `files` import, though no call of the `stores` that they switch on was recognised."""

    modules: tuple[str, ...]
    stores: tuple[str, ...]
    files: tuple[str, ...]


class UncountedClass(Struct, frozen=True):
    """A class that looks like a store but was not counted: its methods by what they do, and where its name stands."""

    name: str
    place: Place
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    deletes: tuple[str, ...]


class Inventory(Struct, frozen=True):
    """The stores of a run, and what was seen but not understood, in the order in which they are shown."""

    stores: tuple[StoreUse, ...] = ()
    sdks: tuple[UnrecognisedSdk, ...] = ()
    classes: tuple[UncountedClass, ...] = ()


class Report(Struct, frozen=True):
    """The outcome of a run: findings and sites in the order in which they are shown, and what was not understood.

    `fail_on` is the least severity that fails the run, as the settings have it. `stores` is filled where it is asked
    for.
    """

    findings: tuple[Finding, ...]
    sites: tuple[Site, ...]
    problems: tuple[Problem, ...]
    stats: Stats
    fail_on: Severity = "warning"
    stores: Inventory = Inventory()
