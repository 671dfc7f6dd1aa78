"""Source read from wheels: modules by their dotted names, and what their top level binds."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Imported:
    """A name bound by an import: a module, or `name` of one."""

    module: str
    name: str | None = None


Bound = ast.ClassDef | Function | Imported | ast.expr
"""What a name is bound to; an expression for an assignment."""


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A parsed module: what its top level binds, branches and `try` included, and the modules it imports `*` from."""

    name: str
    bindings: Mapping[str, Bound]
    stars: tuple[str, ...]


class Source:
    """The modules of a wheel, and of others in which its names and base classes are looked up."""

    def __init__(self, wheel: Path, others: Sequence[Path] = ()) -> None:
        self._files: dict[str, bytes] = {}
        self._packages: set[str] = set()
        self._parsed: dict[str, Module | None] = {}
        self._add(wheel)
        self._own = tuple(self._files)
        for other in others:
            self._add(other)
        self._names = {name for each in self._files for name in _with_parents(each)}

    def _add(self, wheel: Path) -> None:
        with ZipFile(wheel) as archive:
            for entry in sorted(archive.namelist()):
                if not entry.endswith(".py"):
                    continue
                *folders, stem = entry.removesuffix(".py").split("/")
                name = ".".join(folders if stem == "__init__" else [*folders, stem])
                if name and name not in self._files:
                    self._files[name] = archive.read(entry)
                    if stem == "__init__":
                        self._packages.add(name)

    def has(self, name: str) -> bool:
        """Tell whether any wheel has a module of this name, or one below it (a namespace package has no file)."""
        return name in self._names

    def below(self, package: str) -> Iterator[str]:
        """Yield the names of the module and all modules below it that the first wheel has."""
        return (name for name in self._own if name == package or name.startswith(f"{package}."))

    def packages(self, package: str, last: str) -> list[str]:
        """Return the first wheel's modules and packages called `last` below `package`, those nearest to it first."""
        start = f"{package}." if package else ""
        whole = {name for each in self._own for name in _with_parents(each)}
        found = (name for name in whole if name.rpartition(".")[2] == last and name.startswith(start))
        return sorted((name for name in found if package or name == last), key=lambda name: (name.count("."), name))

    def that_bind(self, name: str, package: str) -> Iterator[Module]:
        """Yield the first wheel's modules below `package` in whose text `name` is defined, assigned or imported."""
        word = re.escape(name.encode())
        pattern = re.compile(rb"\b(?:class|def)\s+" + word + rb"\b|\b" + word + rb"\s*[:=]|\bimport\b[^\n]*\b" + word)
        for each in self.below(package):
            if name.encode() in self._files[each] and pattern.search(self._files[each]):
                module = self.module(each)
                if module is not None:
                    yield module

    def module(self, name: str) -> Module | None:
        """Return a module, None if there is none or Python cannot parse it."""
        if name not in self._parsed:
            self._parsed[name] = self._parse(name) if name in self._files else None
        return self._parsed[name]

    def _parse(self, name: str) -> Module | None:
        try:
            tree = ast.parse(self._files[name])
        except (SyntaxError, ValueError):  # generated for another Python; ValueError for a null byte
            return None
        bindings: dict[str, Bound] = {}
        stars: list[str] = []
        for statement in _statements(tree.body):
            if isinstance(statement, ast.ImportFrom):
                origin = self._origin(name, statement)
                stars += [origin for alias in statement.names if alias.name == "*"]
            for bound, value in self._bound(name, statement):
                if not (bound in bindings and _is_stub(value)):
                    bindings[bound] = value
        return Module(name, bindings, tuple(stars))

    def _bound(self, module: str, statement: ast.stmt) -> Iterator[tuple[str, Bound]]:
        """Yield the names that a statement binds, with what."""
        match statement:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield statement.name, statement
            case ast.Import():
                for alias in statement.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield alias.asname or whole, Imported(whole)
            case ast.ImportFrom():
                for alias in statement.names:
                    yield alias.asname or alias.name, Imported(self._origin(module, statement), alias.name)
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                if statement.value is not None:
                    yield target, statement.value
            case _:
                pass

    def _origin(self, module: str, statement: ast.ImportFrom) -> str:
        """Return the absolute name of the module that something is imported from."""
        if not statement.level:
            return statement.module or ""
        parts = module.split(".") if module in self._packages else module.split(".")[:-1]
        parts = parts[: len(parts) - statement.level + 1]
        return ".".join([*parts, statement.module] if statement.module else parts)


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        match statement:
            case ast.If() | ast.For() | ast.While():
                yield from _statements([*statement.body, *statement.orelse])
            case ast.With():
                yield from _statements(statement.body)
            case ast.Try():
                handlers = [each for handler in statement.handlers for each in handler.body]
                yield from _statements([*handlers, *statement.orelse, *statement.finalbody, *statement.body])
            case _:
                pass


def _is_stub(value: Bound) -> bool:
    """Tell whether a later binding says less than an earlier one: `Name = None` where an import failed."""
    return isinstance(value, ast.Constant) or is_overload(value)


def is_overload(value: object) -> bool:
    """Tell whether a function is one of the signatures that stand before the real one for type checkers."""
    if not isinstance(value, Function):
        return False
    return any(_last_name(decorator) == "overload" for decorator in value.decorator_list)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
