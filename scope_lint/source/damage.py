"""Notebooks that the fast reader of JSON refuses: what Jupyter reads all the same, and where the damage is."""

import json
import re

import msgspec

from scope_lint.model import File, Problem
from scope_lint.source.problems import at_end_of, wide

_DEPTH = 100  # brackets in one another; no notebook needs more
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def load(file: File, body: bytes) -> object:
    """Read JSON as Jupyter does, which takes NaN for a number.

    Returns:
        What `json.loads` returns, integers as floats; or a `Problem` at the first place that is no JSON.
    """
    if wrong := wide(file, body, "Jupyter"):
        return wrong
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{body[error.start]:02x} is no UTF-8; restore the notebook, or exclude it"
        return at_end_of(body[: error.start].decode(), file, message)
    try:
        return json.loads(text, parse_int=float)  # Python refuses an int of many digits
    except json.JSONDecodeError as error:
        message = f"the notebook's JSON is damaged ({error.msg}); restore it, or exclude it"
        end = error.pos if text[error.pos :].strip() else len(text.rstrip())  # cut off: not in an empty line below
        return at_end_of(text[:end], file, message)
    except RecursionError:
        message = f"the notebook's JSON is nested more than {_DEPTH} deep; restore it, or exclude it"
        return at_end_of(text[: _deep(text)], file, message)


def misshapen(file: File, body: bytes, error: msgspec.ValidationError) -> Problem:
    """What is wrong with JSON that is no notebook, at the value that should not be there."""
    reason, _, path = str(error).partition(" - at ")
    text = body.decode(errors="replace")
    message = f"is no notebook ({reason}); restore it, or exclude it"
    return at_end_of(text[: _offset(text, path)], file, message)


def _offset(text: str, path: str) -> int:
    """Where in a JSON text the value begins that msgspec calls `path`, as in `$.cells[0].source`."""
    decoder = json.JSONDecoder(parse_int=float)
    at = _skip(text, 0)
    try:
        for name, number in _STEP.findall(path):
            at = _skip(text, at + 1)
            for _ in range(int(number or 0)):
                at = _skip(text, decoder.raw_decode(text, at)[1], ",")
            while name:
                key, end = decoder.raw_decode(text, at)
                at = _skip(text, end, ":")
                if key == name:
                    break
                at = _skip(text, decoder.raw_decode(text, at)[1], ",")
    except (ValueError, RecursionError):  # a key that stands twice, or what follows is damaged or deep as well
        return 0
    return at


def _skip(text: str, at: int, sign: str = "") -> int:
    """The offset of what follows blanks, and `sign` among them."""
    while at < len(text) and text[at] in f" \t\r\n{sign}":
        at += 1
    return at


def _deep(text: str) -> int:
    """The offset of the first bracket that is nested deeper than any notebook's."""
    depth = 0
    for match in _BRACKET.finditer(text):
        if match.group() in "[{":
            depth += 1
        elif match.group() in "]}":
            depth -= 1
        if depth > _DEPTH:
            return match.start()
    return 0
