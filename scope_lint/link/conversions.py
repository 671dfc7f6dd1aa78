"""Functions applied to an identity: which are known, and how a chain of them is written as a shape."""

from collections.abc import Sequence
from dataclasses import dataclass

from scope_lint.link.values import Conversion

# Builtins and library functions that make another value of the one they are given: name in shapes, type of the result.
FUNCTIONS: dict[str, tuple[str, str]] = {
    "str": ("str()", "str"),
    "repr": ("repr()", "str"),
    "ascii": ("ascii()", "str"),
    "int": ("int()", "int"),
    "float": ("float()", "float"),
    "bool": ("bool()", "bool"),
    "bytes": ("bytes()", "bytes"),
    "hash": ("hash()", "int"),
    "hex": ("hex()", "str"),
    "uuid.UUID": ("UUID()", "UUID"),
    "decimal.Decimal": ("Decimal()", "Decimal"),
    "bson.ObjectId": ("ObjectId()", "ObjectId"),
    "urllib.parse.quote": ("quote()", "str"),
    "json.dumps": ("json.dumps()", "str"),
    "sys.intern": ("str()", "str"),
}

# Methods of strings (and of ids that become strings) that give another value.
METHODS: dict[str, str] = {
    "strip": "str",
    "lstrip": "str",
    "rstrip": "str",
    "lower": "str",
    "upper": "str",
    "casefold": "str",
    "capitalize": "str",
    "title": "str",
    "swapcase": "str",
    "replace": "str",
    "removeprefix": "str",
    "removesuffix": "str",
    "zfill": "str",
    "ljust": "str",
    "rjust": "str",
    "center": "str",
    "translate": "str",
    "encode": "bytes",
    "decode": "str",
    "hexdigest": "str",
    "isoformat": "str",
    "as_str": "str",
}

# Attributes of ids that are another form of the same id.
PROPERTIES: dict[str, str] = {"hex": "str", "int": "int", "bytes": "bytes", "urn": "str"}

# Functions whose result is new at every call: no identity.
MADE: dict[str, str | None] = {
    "uuid.uuid1": "UUID",
    "uuid.uuid3": "UUID",
    "uuid.uuid4": "UUID",
    "uuid.uuid5": "UUID",
    "uuid.uuid6": "UUID",
    "uuid.uuid7": "UUID",
    "time.time": "float",
    "time.time_ns": "int",
    "time.monotonic": "float",
    "time.perf_counter": "float",
    "datetime.datetime.now": "datetime",
    "datetime.datetime.utcnow": "datetime",
    "datetime.datetime.today": "datetime",
    "datetime.date.today": "date",
    "random.random": "float",
    "random.randint": "int",
    "random.randrange": "int",
    "random.choice": None,
    "random.getrandbits": "int",
    "secrets.token_hex": "str",
    "secrets.token_urlsafe": "str",
    "secrets.token_bytes": "bytes",
    "secrets.randbelow": "int",
    "itertools.count": "int",
    "ulid.new": None,
    "nanoid.generate": "str",
}

# Functions whose result has a known type: (type, can be None).
TYPED: dict[str, tuple[str, bool]] = {
    "os.environ.get": ("str", True),
    "os.getenv": ("str", True),
    "input": ("str", False),
    "getpass.getuser": ("str", False),
    "socket.gethostname": ("str", False),
    "len": ("int", False),
    "id": ("int", False),
    "ord": ("int", False),
    "chr": ("str", False),
    "os.getpid": ("int", False),
    "os.urandom": ("bytes", False),
    "uuid.getnode": ("int", False),
}

# Functions that give back what they are given, or a copy of it.
IDENTITY = frozenset({"copy.copy", "copy.deepcopy", "typing.cast", "types.MappingProxyType", "dict", "frozenset"})

AS_IS = "as is"


@dataclass(frozen=True, slots=True)
class Slot:
    """A value filled into a template, and the shape that it has there."""

    shape: str


def template_text(parts: Sequence[str | Slot]) -> str:
    """Return the shape of a template; a value in it that is made a string first is the same as the value itself."""
    return 'f"' + "".join(_escaped(part) if isinstance(part, str) else _slot(part.shape) for part in parts) + '"'


def _slot(shape: str) -> str:
    if shape in (AS_IS, "str()", "f-string"):
        return "{}"
    return shape[2:-1] if is_template(shape) and shape.count('"') == 2 else f"{{{shape}}}"  # noqa: PLR2004 - its own quotes


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def is_template(text: str) -> bool:
    """Tell whether a shape begins with a template."""
    return text.startswith('f"')


def shape(conversions: Sequence[Conversion]) -> str:
    """Return the shape that a chain of conversions, innermost first, comes to.

    `str()` or a bare f-string around what a conversion before it made a string changes nothing.
    """
    kept: list[Conversion] = []
    for conversion in conversions:
        if conversion.text not in ("str()", "f-string") or not kept or kept[-1].type != "str":
            kept.append(conversion)
    return "".join(conversion.text for conversion in kept) or AS_IS
