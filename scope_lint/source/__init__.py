"""source: one file's bytes, and the Python that they stand for.

`read` and `decode` answer with a `Problem` instead of the file's content where there is none to have: what is wrong,
where, and how it is mended.
"""

import re
import stat
from io import BytesIO

from msgspec import Struct

from scope_lint.model import Cell, File, Place, Problem, Span
from scope_lint.source import notebook
from scope_lint.source.notebook import Notebook
from scope_lint.source.problems import UTF8_BOM, at_end_of, at_start, wide

_FIRST_TWO_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?[^\r\n]*")

__all__ = ["Notebook", "Source", "decode", "read"]

# Python source is ASCII where it is not text of its own: an encoding in which these bytes mean something else (UTF-16,
# EBCDIC) or can hide code (UTF-7, unicode_escape, IDNA) is none for source files.
_ASCII = bytes(set(range(32, 127)) - {0x5C}) + b"\t\n\r\f +AGE- \\u0041 \\x41 .xn--mnchen-3ya"


class Source(Struct, frozen=True):
    """A file and what is in it.

    `data` is what tells whether the file can matter. Of a notebook it is the text of its code cells, in UTF-8: outputs
    and the escapes of JSON would hide names from who looks for them. Of a damaged one it is all of the file, roughly
    unescaped.
    """

    file: File
    data: bytes
    notebook: Notebook | Problem | None = None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The code cells of a notebook."""
        return self.notebook.cells if isinstance(self.notebook, Notebook) else ()


def read(file: File) -> Source | Problem:
    """Read a file; a `Problem` at its first line says why that cannot be done.

    Only regular files are opened: a pipe or a device could keep the reader waiting for ever. A notebook is taken apart
    here: what its cells say decides whether it matters.
    """
    try:
        data = _content(file)
    except FileNotFoundError:
        data = _missing(file)
    except PermissionError:
        data = "may not be read; give yourself the permission, or exclude it"
    except OSError as error:
        data = _refused(file, error)
    if isinstance(data, str):
        return at_start(file, data)
    return _of_notebook(file, data) if file.name.endswith(notebook.SUFFIX) else Source(file, data)


def _content(file: File) -> bytes | str:
    """The bytes of a file, or what is wrong with it."""
    status = file.location.stat()
    if stat.S_ISDIR(status.st_mode):
        return _folder(file)
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file; name a file or a folder of files"
    if file.name.endswith(notebook.SUFFIX) and status.st_size > notebook.LARGEST:
        return notebook.too_large(status.st_size)
    with file.location.open("rb", buffering=0) as stream:
        return stream.read()


def _of_notebook(file: File, data: bytes) -> Source:
    content = notebook.parse(file, data)
    if isinstance(content, Problem):
        return Source(file, notebook.roughly_unescaped(data), content)
    return Source(file, content.text.encode(errors="surrogatepass"), content)


def decode(source: Source) -> str | Problem:
    """Decode a file as Python does: by its byte order mark, its encoding declaration (PEP 263), or else as UTF-8.

    Returns:
        The text without the byte order mark, line ends as they are; or a `Problem` at the first place that is no text
        of that encoding, at a declaration that cannot be followed, or at a NUL byte. Of a notebook the Python of its
        code cells, in the lines of its text; or what is wrong with its JSON.
    """
    match source.notebook:
        case None:
            return _decode_python(source)
        case Notebook():
            return source.notebook.code()
        case Problem():
            return source.notebook


def _decode_python(source: Source) -> str | Problem:
    data = source.data
    if wrong := wide(source.file, data, "Python"):
        return wrong
    encoding = _encoding(source)
    if isinstance(encoding, Problem):
        return encoding
    body = data.removeprefix(UTF8_BOM)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        return at_end_of(before, source.file, _undecodable(body[error.start], encoding))
    except UnicodeError as error:
        return at_start(source.file, f"cannot be decoded as {encoding}: {error}; save it as UTF-8")
    nul = text.find("\0")
    if nul >= 0:
        return at_end_of(text[:nul], source.file, "a NUL character, which Python does not accept; remove it")
    return text


def _encoding(source: Source) -> str | Problem:
    """The name of the encoding that the first two lines declare, "utf-8" if they do not."""
    body = source.data.removeprefix(UTF8_BOM)
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
    if source.data.startswith(UTF8_BOM) and name != "utf-8":
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
