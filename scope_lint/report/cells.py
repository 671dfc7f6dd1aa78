"""Text for a terminal: what can be shown safely, and how many cells wide it is."""

import unicodedata

# Zero-width joiners are how some scripts are written; every other invisible character is spelt out.
_JOINERS = frozenset("\u200c\u200d")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def visible(text: str, *, keep: str = "") -> str:
    r"""Spell out what a terminal would obey or hide, as in a Python string: an escape becomes `\x1b`.

    Control and format characters, line separators and lone surrogates are replaced, so that the source text cannot
    move the cursor, change colours or reorder the line. The characters of `keep` stay.
    """
    if text.isprintable():
        return text
    return "".join(_escaped(character) if _hostile(character, keep) else character for character in text)


def _hostile(character: str, keep: str) -> bool:
    return unicodedata.category(character) in _UNSAFE and character not in _JOINERS and character not in keep


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """Count the cells that `text` takes: two for a wide character, none for a combining one."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, cells: int) -> str:
    """Fill `text` up with spaces on the right to `cells`."""
    return text + " " * (cells - width(text))


def blank(text: str, mark: str = " ") -> str:
    """Put `mark` in each cell of `text`, and leave its tabs, so that what follows stands below what follows it."""
    return "\t".join(mark * width(part) for part in text.split("\t"))
