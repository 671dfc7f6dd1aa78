"""What a user sees of a run: one pure function per format.

`FORMATS` holds the formats of findings, `SITES` those of the sites; in `COLOURED` and `COLOURED_SITES` the same
names stand for the form that a terminal gets.
"""

from collections.abc import Callable
from functools import partial

from scope_lint.model import Report
from scope_lint.report import sites, text, to_json

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
