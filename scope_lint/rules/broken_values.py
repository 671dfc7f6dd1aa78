"""Values that break a contract: a bare string, a placeholder, a wildcard, and what a store does not take."""

import re
from collections.abc import Iterator

from scope_lint.declared import form_of, is_identity, narrows_by_default, sinks_of
from scope_lint.model import Key, Site, Store, Writing
from scope_lint.rules.contracts import Contract, quoted, shortened, subject
from scope_lint.rules.finding import Deviation, Saying
from scope_lint.rules.words import listed, verb
from scope_lint.writings import code_of

# `{user_id}`, `{user.id}`: what an f-string would fill in. `{{user_id}}` and `{{$userId}}` are another's.
_PLACEHOLDER = re.compile(r"(?<!\{)\{[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\}(?!\})")


def _constants(store: Store, site: Site) -> Iterator[tuple[Key, Writing, str]]:
    """The string constants among the values that are a part of the address, as text."""
    mixed = form_of(store, site) in {"filter", "payload"}
    for key in site.keys:
        if key.name in store.other_keys or (mixed and not is_identity(store, key.name)):
            continue
        for writing in key.writings:
            if writing.constant is not None and writing.type in {"str", None}:
                yield key, writing, writing.constant


def _text(deviation: Deviation) -> str:
    return (deviation.writing.constant if deviation.writing is not None else None) or ""


def _bare(store: Store, site: Site) -> Iterator[Deviation]:
    """A string where labels belong, unless the sink takes a template of one label, or one string as well."""
    specs = [spec for sink in sinks_of(store, site) for spec in sink.scopes]
    if site.form != "namespace" or any(spec.placeholders or spec.form in {"id", "template"} for spec in specs):
        return
    for key in site.keys:
        for writing in key.writings if key.name == "namespace" else ():
            if writing.type == "str":
                yield Deviation(writing.place, "namespace", site, writing=writing)


def _say_bare(store: Store, deviation: Deviation) -> Saying:
    code = "…" if deviation.writing is None else code_of(deviation.writing)
    return Saying(
        message=f"the namespace is the string {shortened(code)}; store `{store.name}` takes labels",
        effect="refused",
        why=f"refused, or each letter is a label of its own: nothing is shared with ({shortened(code)},)",
        write=f"({code},)",
    )


def _unfilled(store: Store, site: Site) -> Iterator[Deviation]:
    """A placeholder in a constant of a sink that fills in none, or none there."""
    filled = _filled(store, site)
    for key, writing, text in _constants(store, site):
        labels = text.split("/") if form_of(store, site) == "template" else [text]
        held = [label for label in labels if _PLACEHOLDER.search(label)]
        if filled is None or (filled == "label" and not all(_PLACEHOLDER.fullmatch(label) for label in held)):
            yield from [Deviation(writing.place, key.name, site, writing=writing)] if held else []


def _filled(store: Store, site: Site) -> str | None:
    """Where the sink fills in placeholders: "inside" of a text, where a "label" is one, or nowhere."""
    specs = [spec for sink in sinks_of(store, site) for spec in sink.scopes]
    kinds = {spec.placeholders for spec in specs if site.form is None or spec.form == site.form}
    return next((kind for kind in ("inside", "label") if kind in kinds), None)


def _say_unfilled(store: Store, deviation: Deviation) -> Saying:
    text = _text(deviation)
    found = listed(list(dict.fromkeys(_PLACEHOLDER.findall(text))))
    by_label = _filled(store, deviation.site) == "label"
    return Saying(
        message=f"{subject(deviation)} is the text {quoted(text)}; "
        + ("only a whole label is filled in" if by_label else f"nothing fills in {found}"),
        effect="merges",
        why="the braces are a part of the address: whoever calls this shares one record",
        write=f"{found} as a label of its own" if by_label else f"an f-string: f{quoted(text)}",
    )


def _wildcard(store: Store, site: Site) -> Iterator[Deviation]:
    """A wildcard for a key that says whose memory it is, where something is looked for."""
    parts = {*store.narrowing_keys, *store.application_keys}
    for key, writing, text in _constants(store, site):
        narrows = key.name in parts or narrows_by_default(store, key.name)
        if text in store.limits.wildcards and site.role not in {"write", "bind"} and not narrows:
            yield Deviation(writing.place, key.name, site, writing=writing)


def _say_wildcard(store: Store, deviation: Deviation) -> Saying:
    text = quoted(_text(deviation))
    return Saying(
        message=f"{subject(deviation)} is {text}: this {verb(deviation.site)} reaches every tenant's memory",
        effect="merges",
        why=f"store `{store.name}` takes {text} for any value",
        write=f"the {subject(deviation)} of the one whom this is for",
    )


def _untaken(store: Store, site: Site) -> Iterator[Deviation]:
    """A constant that does not match the pattern of its key."""
    for key, writing, text in _constants(store, site):
        pattern = _pattern(store, key.name)
        if pattern is not None and not re.fullmatch(pattern, text):
            yield Deviation(writing.place, key.name, site, writing=writing)


def _pattern(store: Store, key: str) -> str | None:
    aliases = dict(store.aliases)
    patterns = {aliases.get(name, name): pattern for name, pattern in store.limits.patterns}
    return patterns.get(key, patterns.get("*"))


def _say_untaken(store: Store, deviation: Deviation) -> Saying:
    return Saying(
        message=f"{subject(deviation)} is {quoted(_text(deviation))}; store `{store.name}` takes no such value",
        effect="refused",
        why="the call fails, or what it files is never found",
        write=f"a value that matches {_pattern(store, deviation.key or '')}",
    )


BARE = Contract(_bare, _say_bare)
UNFILLED = Contract(_unfilled, _say_unfilled)
WILDCARD = Contract(_wildcard, _say_wildcard)
UNTAKEN = Contract(_untaken, _say_untaken)
