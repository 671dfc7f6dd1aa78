"""What a user sees of a run: one pure function per format.

`FORMATS` holds the formats of findings, `SITES` those of the sites, `STORES` those of the stores; in `COLOURED`,
`COLOURED_SITES` and `COLOURED_STORES` the same names stand for the form that a terminal gets. `LISTS` and
`COLOURED_LISTS` hold what is no finding by what it lists.
"""

from collections.abc import Callable
from functools import partial

from scope_lint.model import Report
from scope_lint.report import sites, stores, text, to_json

FORMATS: dict[str, Callable[[Report], str]] = {
    "text": partial(text.render, colour=False),
    "json": to_json.render_findings,
}
COLOURED = FORMATS | {"text": partial(text.render, colour=True)}

SITES: dict[str, Callable[[Report], str]] = {
    "text": partial(sites.render, colour=False),
    "json": to_json.render_sites,
}
COLOURED_SITES = SITES | {"text": partial(sites.render, colour=True)}

STORES: dict[str, Callable[[Report], str]] = {
    "text": partial(stores.render, colour=False),
    "json": to_json.render_stores,
}
COLOURED_STORES = STORES | {"text": partial(stores.render, colour=True)}

LISTS = {"sites": SITES, "stores": STORES}
COLOURED_LISTS = {"sites": COLOURED_SITES, "stores": COLOURED_STORES}
