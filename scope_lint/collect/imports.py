"""Import statements."""

import libcst as cst

from scope_lint.collect.nodes import dotted
from scope_lint.collect.scope import Scope
from scope_lint.collect.statements import Handlers
from scope_lint.facts import Imported


def _import_modules(scope: Scope, node: cst.Import) -> None:
    """`import a.b` binds `a`; `import a.b as c` binds the module itself."""
    for alias in node.names:
        span = scope.span(alias)
        module = dotted(alias.name) or ""
        if alias.asname is not None:
            scope.bind(_alias_name(alias), scope.add(Imported(module, None, 0, span)))
        else:
            top = module.partition(".")[0]
            scope.bind(top, scope.add(Imported(top, None, 0, span)))


def _import_from(scope: Scope, node: cst.ImportFrom) -> None:
    module = "" if node.module is None else dotted(node.module) or ""
    level = len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        scope.unit.stars.append(scope.add(Imported(module, "*", level, scope.span(node))))
        return
    for alias in node.names:
        member = dotted(alias.name) or ""
        name = member if alias.asname is None else _alias_name(alias)
        scope.bind(name, scope.add(Imported(module, member, level, scope.span(alias))))


def _alias_name(alias: cst.ImportAlias) -> str:
    name = None if alias.asname is None else dotted(cst.ensure_type(alias.asname.name, cst.Name))
    return name or ""


HANDLERS: Handlers = {cst.Import: _import_modules, cst.ImportFrom: _import_from}
