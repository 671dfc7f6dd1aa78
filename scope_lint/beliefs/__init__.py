"""Beliefs: what the majority of a store's sites do, learnt from the corpus or pinned by the settings."""

from collections.abc import Sequence

from scope_lint.beliefs.constructors import constructors
from scope_lint.beliefs.presence import presence
from scope_lint.beliefs.shapes import shapes, types
from scope_lint.model import Belief, Site, Store

__all__ = ["learn"]


def learn(sites: Sequence[Site], stores: Sequence[Store]) -> tuple[Belief, ...]:
    """What the sites of each store do for each of its keys.

    `Side.sites` of the beliefs are indices into `sites`, all of which vote: test code is left out before. Beliefs come
    in the order of `stores`, then presence, type, shape and constructor, then by key; they do not depend on the order
    of `sites` (but for the indices).
    """
    beliefs: list[Belief] = []
    for store in stores:
        own = [(index, site) for index, site in enumerate(sites) if site.store == store.name]
        for question in (presence, types, shapes, constructors):
            beliefs.extend(question(store, own))
    return tuple(beliefs)
