"""Dependencies of setuptools: setup.cfg, and setup.py as far as it is literal. Nothing of it is run."""

import ast
import configparser
import warnings
from collections.abc import Collection, Iterator

from scope_lint.dependencies.declarations import Said, When, pep508


def setup_cfg(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield what a setup.cfg says of the names in `wanted`.

    Raises:
        ValueError: the text is no configuration file.
    """
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(" ".join(str(error).split())) from error
    required = parser.get("options", "install_requires", fallback="")
    yield from _items(required.splitlines(), "always", wanted)
    if parser.has_section("options.extras_require"):
        for _, extra in parser.items("options.extras_require"):
            yield from _items(extra.splitlines(), "sometimes", wanted)


def setup_py(text: str, wanted: Collection[str]) -> Iterator[Said]:
    """Yield what the literal arguments of `setup(…)` in a setup.py say of the names in `wanted`.

    A list may stand in a variable of the module; what is computed says nothing.

    Raises:
        ValueError: the text is no Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # those are the file's own
            tree = ast.parse(text)
    except (SyntaxError, MemoryError) as error:  # MemoryError: nested too deeply
        raise ValueError(str(error)) from error
    assigned = _assigned(tree)
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) and _is_setup(node.func) else ():
            value = _literal(keyword.value, assigned)
            if keyword.arg == "install_requires":
                yield from _items(value, "always", wanted)
            elif keyword.arg == "extras_require" and isinstance(value, dict):
                for extra in value.values():
                    yield from _items(extra, "sometimes", wanted)


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """What the module gives to plain names, the last one counting."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_setup(function: ast.expr) -> bool:
    return (isinstance(function, ast.Name) and function.id == "setup") or (
        isinstance(function, ast.Attribute) and function.attr == "setup"
    )


def _literal(node: ast.expr, assigned: dict[str, ast.expr]) -> object:
    """The value of a literal, or of a name that is given one; None if it is computed."""
    if isinstance(node, ast.Name):
        node = assigned.get(node.id, node)
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return None
    return value


def _items(value: object, when: When, wanted: Collection[str]) -> Iterator[Said]:
    items = value.splitlines() if isinstance(value, str) else value
    for item in items if isinstance(items, list | tuple) else ():
        if isinstance(item, str):
            yield from pep508(item.partition(" #")[0], when, wanted)
