"""source: one file's bytes, and the text that they stand for.

`read` and `decode` answer with a `Problem` instead of the file's content where there is none to have: what is wrong,
where, and how it is mended.
"""

import re
import stat
from io import BytesIO

from msgspec import Struct

from scope_lint.model import File, Place, Problem, Span

_UTF8_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_FIRST_TWO_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?[^\r\n]*")

# Python source is ASCII where it is not text of its own: an encoding in which these bytes mean something else (UTF-16,
# EBCDIC) or can hide code (UTF-7, unicode_escape, IDNA) is none for source files.
_ASCII = bytes(set(range(32, 127)) - {0x5C}) + b"\t\n\r\f +AGE- \\u0041 \\x41 .xn--mnchen-3ya"


class Source(Struct, frozen=True):
    """A file and what is in it."""

    file: File
    data: bytes


def read(file: File) -> Source | Problem:
    """Read a file; a `Problem` at its first line says why that cannot be done.

    Only regular files are opened: a pipe or a device could keep the reader waiting for ever.
    """
    try:
        mode = file.location.stat().st_mode
        if stat.S_ISDIR(mode):
            return _at_start(file, _folder(file))
        if not stat.S_ISREG(mode):
            return _at_start(file, "is no regular file; name a file or a folder of files")
        with file.location.open("rb", buffering=0) as stream:
            return Source(file, stream.read())
    except FileNotFoundError:
        return _at_start(file, _missing(file))
    except PermissionError:
        return _at_start(file, "may not be read; give yourself the permission, or exclude it")
    except OSError as error:
        return _at_start(file, _refused(file, error))


def decode(source: Source) -> str | Problem:
    """Decode a file as Python does: by its byte order mark, its encoding declaration (PEP 263), or else as UTF-8.

    Returns:
        The text without the byte order mark, line ends as they are; or a `Problem` at the first place that is no text
        of that encoding, at a declaration that cannot be followed, or at a NUL byte.
    """
    data = source.data
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            return _at_start(source.file, f"is {name}, which Python does not read; save it as UTF-8")
    encoding = _encoding(source)
    if isinstance(encoding, Problem):
        return encoding
    body = data.removeprefix(_UTF8_BOM)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        return _at_end_of(before, source.file, _undecodable(body[error.start], encoding))
    except UnicodeError as error:
        return _at_start(source.file, f"cannot be decoded as {encoding}: {error}; save it as UTF-8")
    nul = text.find("\0")
    if nul >= 0:
        return _at_end_of(text[:nul], source.file, "a NUL character, which Python does not accept; remove it")
    return text


def _encoding(source: Source) -> str | Problem:
    """The name of the encoding that the first two lines declare, "utf-8" if they do not."""
    body = source.data.removeprefix(_UTF8_BOM)
    matched = _FIRST_TWO_LINES.match(body)
    head = matched.group() if matched else b""
    if b"coding" not in head:
        return "utf-8"
    # tokenize takes 8 ms to import, which files without a declaration do not pay
    from tokenize import detect_encoding  # noqa: PLC0415 - for the reason above

    # Only a declaration is asked for: it is ASCII, whatever else is in its line.
    lines = [re.sub(rb"[\x80-\xff]", b"?", line) for line in head.splitlines()]
    line = next(number for number, text in enumerate(lines, start=1) if b"coding" in text)
    place = Place(source.file.name, Span(line, 1, line, len(lines[line - 1]) + 1))
    try:
        name, _ = detect_encoding(BytesIO(b"\n".join(lines)).readline)
    except SyntaxError as error:
        return Problem(place, f"{error.msg}; declare an encoding that Python knows, best UTF-8")
    if source.data.startswith(_UTF8_BOM) and name != "utf-8":
        return Problem(place, f"declares {name}, but begins with the byte order mark of UTF-8; remove one of them")
    if not _is_ascii_based(name):
        return Problem(place, f"declares {name}, which is no encoding for source code; save it as UTF-8")
    return name


def _is_ascii_based(encoding: str) -> bool:
    """Whether ASCII bytes are ASCII characters in an encoding."""
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except (LookupError, UnicodeError):  # LookupError: a codec that does not make text of bytes, such as rot13
        return False


def _undecodable(byte: int, encoding: str) -> str:
    if encoding == "utf-8":
        return f"byte 0x{byte:02x} is no UTF-8; save it as UTF-8, or declare its encoding in the first line"
    return f"byte 0x{byte:02x} is no {encoding}, which the file declares; save it as UTF-8, or mend the declaration"


def _folder(file: File) -> str:
    try:
        next(file.location.iterdir(), None)
    except PermissionError:
        return "the folder may not be listed; give yourself the permission, or exclude it"
    return "is a folder, not a file"


def _missing(file: File) -> str:
    if file.location.is_symlink():
        return f"is a link to {str(file.location.readlink())!r}, which does not exist; mend the link, or remove it"
    return "does not exist any more; run again"


def _refused(file: File, error: OSError) -> str:
    if file.location.is_symlink():
        return f"is a link that cannot be followed ({error.strerror}); mend the link, or remove it"
    return f"cannot be read ({error.strerror})"


def _at_start(file: File, message: str) -> Problem:
    return Problem(Place(file.name, Span(1, 1, 1, 1)), message)


def _at_end_of(before: str, file: File, message: str) -> Problem:
    """A problem with the character that follows `before`."""
    lines = _LINE_END.split(before)
    line, column = len(lines), len(lines[-1]) + 1
    return Problem(Place(file.name, Span(line, column, line, column + 1)), message)
