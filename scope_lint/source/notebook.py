"""A Jupyter notebook as one Python module: its code cells, in their order.

The format is nbformat 4 (https://nbformat.readthedocs.io), with the `worksheets` and `input` of the versions before.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from scope_lint.model import Cell, File, Problem
from scope_lint.notebooks import extents
from scope_lint.source.magics import dedented, is_python, to_python
from scope_lint.source.problems import UTF8_BOM, at_start

SUFFIX = ".ipynb"
LARGEST = 2**28  # bytes of a file that is read into memory; those of real notebooks are a hundredth of it

_LINE_END = re.compile(r"\r\n?")
_ESCAPED_BLANK = re.compile(rb'\\[nrt"]')
_PYTHON = ("python", "ipython", "pyspark", "sage")  # how the languages begin whose cells are Python


class Notebook(Struct, frozen=True):
    """The code cells of a notebook as one text.

    Each begins in a line of its own, with an empty line between it and the next. `cells` are those of `text`, in order;
    a notebook of another language has none.
    """

    text: str = ""
    cells: tuple[Cell, ...] = ()

    def code(self) -> str:
        """The Python of the cells, in the same lines: what is for IPython alone is blank or `pass`."""
        lines = self.text.split("\n")
        cells = ("\n".join(lines[first - 1 : last]) for first, last in extents(self.cells, len(lines)))
        return "\n".join(map(to_python, cells))


class _Cell(Struct):
    cell_type: str
    source: str | list[str] | None = None
    input: str | list[str] | None = None  # before nbformat 4


class _Worksheet(Struct):
    cells: list[_Cell]


class _Document(Struct):
    cells: list[_Cell] | UnsetType = UNSET
    worksheets: list[_Worksheet] | UnsetType = UNSET  # nbformat 2 and 3
    metadata: Any = None


def parse(file: File, data: bytes) -> Notebook | Problem:
    """Take the code cells out of a notebook.

    Returns:
        What they say, or a `Problem` at the first place that is no JSON, or not what a notebook has there.
    """
    body = data.removeprefix(UTF8_BOM)
    try:
        document = msgspec.json.decode(body, type=_Document)
    except (msgspec.DecodeError, RecursionError) as error:
        return _refused(file, body, error)
    return _notebook(file, document)


def _refused(file: File, body: bytes, error: msgspec.DecodeError | RecursionError) -> Notebook | Problem:
    """What Jupyter reads all the same, or what is wrong."""
    # What few notebooks need is imported for them alone.
    from scope_lint.source import damage  # noqa: PLC0415 - for the reason above

    if isinstance(error, msgspec.ValidationError):
        return damage.misshapen(file, body, error)
    plain = damage.load(file, body)
    if isinstance(plain, Problem):
        return plain
    try:
        return _notebook(file, msgspec.convert(plain, _Document))
    except msgspec.ValidationError as misfit:
        return damage.misshapen(file, body, misfit)


def _notebook(file: File, document: _Document) -> Notebook | Problem:
    if document.cells is UNSET and document.worksheets is UNSET:
        return at_start(file, "the notebook has no `cells`; restore it, or exclude it")
    notebook = _joined(document)
    # The language is sometimes a wrong one, but hardly any other reads as Python from beginning to end.
    return notebook if _says_python(document.metadata) or is_python(notebook.code()) else Notebook()


def too_large(size: int) -> str:
    """What is said of a notebook of so many bytes."""
    return f"has {size / 1e6:,.0f} MB, of which {LARGEST / 1e6:,.0f} can be read; clear its outputs, or exclude it"


def roughly_unescaped(data: bytes) -> bytes:
    """The bytes of a damaged notebook, in which names in the code stand as words and near to each other."""
    return _ESCAPED_BLANK.sub(b"\n", data)


def _joined(document: _Document) -> Notebook:
    lines: list[str] = []
    found: list[Cell] = []
    for number, cell in enumerate(_all_cells(document), start=1):
        if cell.cell_type == "code":
            found.append(Cell(number, len(lines) + 1))
            content = cell.input if cell.source is None else cell.source
            text = content if isinstance(content, str) else "".join(content or ())
            lines += [*dedented(_LINE_END.sub("\n", text)).split("\n"), ""]
    return Notebook("\n".join(lines), tuple(found))


def _all_cells(document: _Document) -> Iterator[_Cell]:
    if document.cells is not UNSET:
        yield from document.cells
    if document.worksheets is not UNSET:
        for sheet in document.worksheets:
            yield from sheet.cells


def _says_python(metadata: object) -> bool:
    """Whether the kernel runs Python; a notebook that does not say so is taken for one that does."""
    known = metadata if isinstance(metadata, dict) else {}
    languages = (_text(known.get("language_info"), "name"), _text(known.get("kernelspec"), "language"))
    said = [language.lower() for language in languages if language]
    return not said or any(language.startswith(_PYTHON) for language in said)


def _text(holder: object, name: str) -> str | None:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else None
