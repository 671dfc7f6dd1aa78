"""Answers: what the source of one release says of one sink."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from conformance import compare
from conformance.find import Receiver, Target
from conformance.names import Class, Routine
from conformance.signatures import Signature, signature
from conformance.source import Source
from scope_lint.model import Sink


class Answer(Struct, frozen=True):
    """What one release says of one sink.

    `found` tells whether the call is there, `hidden` that it can be although the source does not show it; `closest` is
    the name that is most like one that is gone. `differences` and `remarks` are about parameters; `fits` are the
    alternatives of the scope, by index, with which the call can be written.
    """

    sink: Sink
    found: bool = False
    hidden: bool = False
    closest: str | None = None
    differences: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    fits: frozenset[int] = frozenset()


def ask(source: Source, receivers: Sequence[Receiver], sink: Sink) -> Answer:
    """Return what the release whose `source` this is says of a sink of these receivers."""
    calls = [receiver.calls(sink.call) for receiver in receivers]
    certain = dict.fromkeys(target for each in calls if not each.by_name for target in each.targets)
    likely = dict.fromkeys(target for each in calls if each.by_name for target in each.targets)
    signatures = {target: signature(source, target) for target in certain or likely}
    best = _best_of_each(sink, signatures)
    if certain:
        return _compared(sink, best)
    fitting = {target: each for target, each in best.items() if not any(compare.differences(sink, each))}
    if fitting:  # a name alone is enough to find the sink, and too little to say that it differs
        return _compared(sink, fitting)
    similar = (receiver.closest(sink.call) for receiver in receivers)
    hidden = any(receiver.is_open for receiver in receivers)
    return Answer(sink, hidden=hidden, closest=next((each for each in similar if each is not None), None))


def _best_of_each(sink: Sink, signatures: Mapping[Target, Signature]) -> dict[Target, Signature]:
    """Return one target for each name, that which differs least: of classes of one name, one is the SDK's."""
    best: dict[str, tuple[int, Target]] = {}
    for target, each in signatures.items():
        name = target.owner.node.name if isinstance(target, Routine) and target.owner is not None else ""
        weight = len(list(compare.differences(sink, each)))
        if name not in best or weight < best[name][0]:
            best[name] = weight, target
    return {target: signatures[target] for _, target in best.values()}


def _compared(sink: Sink, targets: Mapping[Target, Signature]) -> Answer:
    """Return the answer for a call that was found, as any of the targets."""
    every = targets.values()
    fits = {index for index, spec in enumerate(sink.scopes) if any(compare.takes(spec, each) for each in every)}
    return Answer(
        sink,
        found=True,
        differences=tuple(
            f"{_name(target)} {text}" for target, each in targets.items() for text in compare.differences(sink, each)
        ),
        remarks=tuple(dict.fromkeys(text for each in every for text in compare.remarks(sink, each))),
        fits=frozenset(fits),
    )


def _name(target: Target) -> str:
    """Return the name of a function, class or method, with the class that the method is of."""
    if isinstance(target, Class) or target.owner is None:
        return f"{target.module.name}.{target.node.name}"
    return f"{target.module.name}.{target.owner.node.name}.{target.node.name}"
