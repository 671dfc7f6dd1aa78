"""Comparing: what a preset says of a call, and what its signature in the source says."""

import ast
from collections.abc import Iterator, Sequence

from conformance.signatures import Parameter, Signature
from scope_lint.model import ScopeSpec, Sink


def differences(sink: Sink, signature: Signature) -> Iterator[str]:
    """Yield what the signature contradicts: parameters that are missing, that stand elsewhere, or that do otherwise."""
    fitting = [spec for spec in sink.scopes if takes(spec, signature)]
    if not fitting:
        yield f"takes none of {_listed(_keywords(sink.scopes))}, but {_listed(signature.names(), 8)}"
    for spec in fitting:
        yield from _misplaced(spec, signature)
    if sink.beside and not any(signature.takes(each) for each in sink.beside):
        yield f"takes none of {_listed(sink.beside)}, which are looked for beside the scope"
    yield from _refused(sink, signature)
    yield from _ignored(sink, signature)
    yield from _defaulted(sink, fitting, signature)


def remarks(sink: Sink, signature: Signature) -> Iterator[str]:
    """Yield what is worth a look, though it can be meant so."""
    for spec in sink.scopes:
        absent = [key for key in spec.keys if not signature.takes(key)] if spec.form == "flat" else []
        if absent and len(absent) < len(spec.keys):
            yield f"does not take {_listed(absent)}"
    given = [each for spec in sink.scopes for each in _parameters(spec, signature)]
    if sink.demanded and given and all(each.default is not None for each in given):
        yield "is demanded, although optional"


def takes(spec: ScopeSpec, signature: Signature) -> bool:
    """Tell whether the call can be written with the scope there."""
    if spec.form == "flat":
        return any(signature.takes(key) for key in spec.keys)
    if spec.keyword is not None and signature.takes(spec.keyword):
        return True
    if spec.position is None:
        return False
    if spec.keyword is None:
        return signature.more or spec.position < len(signature.by_position)
    there = signature.by_position[: signature.only_position][spec.position : spec.position + 1]
    return [each.name for each in there] == [spec.keyword]


def _misplaced(spec: ScopeSpec, signature: Signature) -> Iterator[str]:
    """Yield the positions at which another parameter stands."""
    placed = spec.positions if spec.form == "flat" else ((spec.keyword, spec.position),)
    for name, position in placed:
        if name is None or position is None or position >= len(signature.by_position):
            continue
        there = signature.by_position[position].name
        if there != name and signature.keyword(name) is not None:
            yield f"has `{there}` at position {position}, not `{name}`"


def _refused(sink: Sink, signature: Signature) -> Iterator[str]:
    for name in sink.refuses:
        if signature.keyword(name) is not None and not _raises_for(name, signature.body):
            yield f"takes `{name}`, which it is said to refuse"


def _ignored(sink: Sink, signature: Signature) -> Iterator[str]:
    for name in sink.ignores:
        if not signature.takes(name):
            yield f"refuses `{name}`, which it is said to ignore"
        elif signature.keyword(name) is not None and _is_read(name, signature.body):
            yield f"uses `{name}`, which it is said to ignore"


def _defaulted(sink: Sink, fitting: Sequence[ScopeSpec], signature: Signature) -> Iterator[str]:
    """Yield the defaults of the scope's own parameters, if they are texts other than the one that the preset names."""
    given = [each.default for spec in fitting for each in _parameters(spec, signature)]
    texts = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if sink.default is not None and texts and sink.default not in texts:
        yield f'has the default "{texts[0]}", not "{sink.default}"'


def _parameters(spec: ScopeSpec, signature: Signature) -> list[Parameter]:
    found = [signature.keyword(name) for name in _keywords([spec])]
    return [each for each in found if each is not None]


def _keywords(specs: Sequence[ScopeSpec]) -> list[str]:
    """Return the keywords in which the scope stands; what an object carries is none of the call's."""
    names = [name for spec in specs for name in (*(spec.keys if spec.form == "flat" else ()), spec.keyword)]
    return list(dict.fromkeys(name for name in names if name is not None))


def _raises_for(name: str, body: ast.AST | None) -> bool:
    """Tell whether the function raises under a condition that names the parameter."""
    conditions = [node for node in ast.walk(body) if isinstance(node, ast.If)] if body is not None else []
    return any(
        isinstance(each, ast.Raise)
        for node in conditions
        if _is_read(name, node.test)
        for statement in node.body
        for each in ast.walk(statement)
    )


def _is_read(name: str, body: ast.AST | None) -> bool:
    nodes = () if body is None else ast.walk(body)
    return any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load) for each in nodes)


def _listed(names: Sequence[str], most: int | None = None) -> str:
    more = ", …" if len(names) > len(names[:most]) else ""
    return (", ".join(f"`{name}`" for name in names[:most]) or "nothing") + more
