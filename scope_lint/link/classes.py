"""Classes of the corpus: methods by inheritance, fields, and what methods give `self`."""

from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute, Call, Imported, Name
from scope_lint.link import annotations, parameters
from scope_lint.link.describe import ITSELF
from scope_lint.link.frames import CannotBindError, Frame, Passed, Ref, bind
from scope_lint.link.program import ClassDefinition, Definition, Unit
from scope_lint.link.values import Abstract, ClassRef, Dictionary, External, Held, Instance, Leaf, is_none
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

_MOST_BASES = 64
_DATA_BASES: frozenset[str | None] = frozenset(
    {"BaseModel", "NamedTuple", "TypedDict", "Struct", "BaseSettings", "SQLModel"}
)
_DATA_DECORATORS = frozenset({"dataclass", "define", "frozen", "attrs", "s", "mutable"})
_PROPERTIES = frozenset({"property", "cached_property"})


def lineage(resolver: "Resolver", cls: ClassRef) -> list[ClassRef]:
    """Return the class and those of its bases that are in the corpus, nearest first."""
    found: list[ClassRef] = []
    queue = [cls]
    while queue and len(found) < _MOST_BASES:
        current = queue.pop(0)
        if current in found:
            continue
        found.append(current)
        definition = resolver.program.class_(current.path, current.qualname)
        if definition is not None:
            bases = [each for base in definition.facts.bases for each in resolver.module_value(definition.unit, base)]
            queue += [base for base in bases if isinstance(base, ClassRef)]
    return found


def outside(resolver: "Resolver", cls: ClassRef) -> list[str]:
    """Return the dotted names of the bases outside the corpus, those of its bases included."""
    found = []
    for owner in lineage(resolver, cls):
        definition = resolver.program.class_(owner.path, owner.qualname)
        for base in () if definition is None else definition.facts.bases:
            values = resolver.module_value(definition.unit, base) if definition is not None else ()
            found += [each.name for each in values if isinstance(each, External)]
    return found


def method(resolver: "Resolver", cls: ClassRef, name: str) -> Definition | None:
    """Return the method that `name` is on instances of the class."""
    for owner in lineage(resolver, cls):
        found = resolver.program.function(owner.path, f"{owner.qualname}.{name}")
        if found is not None:
            return found
    return None


def _decorators(definition: Definition | ClassDefinition) -> set[str | None]:
    unit = definition.unit
    found = set()
    for decorator in definition.facts.decorators:
        value = unit.values[decorator]
        index = value.function if isinstance(value, Call) else decorator
        found.add(annotations.last_name(unit, index))
    return found


def is_property(definition: Definition) -> bool:
    """Tell whether looking the method up calls it."""
    return bool(_decorators(definition) & _PROPERTIES)


def is_classmethod(definition: Definition) -> bool:
    """Tell whether the method is bound to the class."""
    return "classmethod" in _decorators(definition)


def is_staticmethod(definition: Definition) -> bool:
    """Tell whether the method is bound to nothing."""
    return "staticmethod" in _decorators(definition)


def _is_data(resolver: "Resolver", cls: ClassRef, definition: ClassDefinition) -> bool:
    """Tell whether the class makes its own `__init__` of its annotated fields."""
    if _decorators(definition) & _DATA_DECORATORS:
        return True
    for owner in lineage(resolver, cls):
        known = resolver.program.class_(owner.path, owner.qualname)
        if known is not None and _DATA_BASES & {annotations.last_name(known.unit, base) for base in known.facts.bases}:
            return True
    return False


def assigned(resolver: "Resolver", instance: Instance, name: str) -> tuple[Abstract, ...]:
    """Return what `self.name = …` in any method can have given the instance; a placeholder None aside."""
    key = (instance.cls, name)
    resolver.running.add(key)
    try:
        found = _assigned(resolver, instance, name)
    finally:
        resolver.running.discard(key)
    real = tuple(each for each in found if not is_none(each)) or tuple(found)
    return _updated(real)


def _assigned(resolver: "Resolver", instance: Instance, name: str) -> list[Abstract]:
    found: list[Abstract] = []
    for owner in lineage(resolver, instance.cls):
        resolver.program.want(owner.path, owner.qualname, name)
        index = resolver.program.file(owner.path)
        for definition in () if index is None else index.methods(owner.qualname):
            found += _given(resolver, instance, definition, name)
        if found:
            break
    return found


def _updated(found: tuple[Abstract, ...]) -> tuple[Abstract, ...]:
    """Put together what a mapping starts as and what methods add to it: `self.scope["region"] = …`."""
    whole = [each for each in found if not _is_update(each)]
    updates = [each for each in found if isinstance(each, Dictionary) and _is_update(each)]
    if not updates or not all(isinstance(each, Dictionary) for each in whole):
        return found
    return tuple(_with_updates(each, updates) for each in whole if isinstance(each, Dictionary)) or found


def _is_update(value: Abstract) -> bool:
    return isinstance(value, Dictionary) and any(gap.itself for gap in value.gaps)


def _with_updates(start: Dictionary, updates: list[Dictionary]) -> Dictionary:
    """Return a mapping to which methods may add entries."""
    items = dict(start.items)
    gaps = [*start.gaps]
    for update in updates:
        gaps += [gap for gap in update.gaps if not gap.itself]
        for name, held in update.items:
            before = items.get(name)
            values = held.values if before is None else tuple(dict.fromkeys((*before.values, *held.values)))
            items[name] = Held(values, maybe=before is None or before.maybe, place=held.place)
    return replace(start, items=tuple(items.items()), gaps=tuple(dict.fromkeys(gaps)))


def _given(resolver: "Resolver", instance: Instance, definition: Definition, name: str) -> list[Abstract]:
    found: list[Abstract] = []
    for attribute in definition.facts.attributes:
        if attribute.name != name:
            continue
        frame = resolver.top
        if definition.facts.qualname.endswith(".__init__"):
            frame = _made_under(resolver, instance, definition)
        values = resolver.resolve(Ref(definition.unit, attribute.value, frame))
        said = annotations.read(definition.unit, attribute.annotation)
        place = Place(definition.unit.path, attribute.span)
        typed = parameters.annotated_instance(resolver, definition.unit, said, f"self.{name}", place)
        if typed is not None and all(isinstance(each, Leaf) for each in values):
            values = (typed,)
        found += [each for each in values if not _is_itself(each)]
    return found


def _is_itself(value: Abstract) -> bool:
    return isinstance(value, Leaf) and value.reason == ITSELF


def _made_under(resolver: "Resolver", instance: Instance, init: Definition) -> Frame:
    """Return the frame in which `__init__` ran, if the call that made the instance is known."""
    made = instance.made_by
    call = None if made is None else made.ref.value
    if made is None or not isinstance(call, Call):
        return resolver.top
    known = made.frames.get(init.facts.qualname)
    if known is not None:
        return known
    try:
        bound = bind(init.facts, call, made.ref, instance)
    except CannotBindError:
        return resolver.top
    frame = made.ref.frame.with_call((init.unit.path, init.facts.qualname), bound)
    made.frames[init.facts.qualname] = frame
    return frame


def field_value(resolver: "Resolver", instance: Instance, name: str) -> tuple[Abstract, ...]:
    """Return what the call that made the instance passed for a field of a dataclass or model, or its default."""
    definition = resolver.program.class_(instance.cls.path, instance.cls.qualname)
    if definition is None or not _is_data(resolver, instance.cls, definition):
        return class_value(resolver, instance.cls, name)
    argument = _argument(resolver, instance, name)
    if argument is None:
        return () if instance.made_by is None else class_value(resolver, instance.cls, name)
    values = parameters.passed(resolver, argument)
    annotated = field_annotation(resolver, instance.cls, name)
    if annotated is None or annotated[1].type is None:
        return values
    validated = method(resolver, instance.cls, "__post_init__") is not None
    text = f"{instance.text}.{name}"
    checked = Leaf("attribute", text, argument.ref.place, "a checked field", type=annotated[1].type)
    return tuple(_as_declared(each, checked, validated=validated) for each in values)


def _as_declared(value: Abstract, checked: Leaf, *, validated: bool) -> Abstract:
    """Return a field's value with the type that the field declares.

    What a class checks when it is made has one form, however it was brought into it before.
    """
    if not isinstance(value, Leaf) or value.constant is not None:
        return value
    if validated:
        return checked
    return value if value.conversions else replace(value, type=value.type or checked.type)


def _argument(resolver: "Resolver", instance: Instance, name: str) -> Passed | None:
    """Return the argument that the call which made the instance passes for a field."""
    made = instance.made_by
    call = None if made is None else made.ref.value
    if made is None or not isinstance(call, Call) or any(argument.stars for argument in call.arguments):
        return None
    order = [field for field, _ in _fields(resolver, instance.cls)]
    positional = [argument for argument in call.arguments if argument.keyword is None]
    for position, argument in enumerate(positional):
        if position < len(order) and order[position] == name:
            return Passed(made.ref.at(argument.value), Place(made.ref.unit.path, argument.span))
    for argument in call.arguments:
        if argument.keyword == name:
            ref = made.ref.at(argument.value)
            return Passed(ref, ref.place)
    return None


def _fields(resolver: "Resolver", cls: ClassRef) -> list[tuple[str, tuple[Unit, int]]]:
    """Return the annotated fields, those of bases first, as a dataclass orders them."""
    fields: dict[str, tuple[Unit, int]] = {}
    for owner in reversed(lineage(resolver, cls)):
        definition = resolver.program.class_(owner.path, owner.qualname)
        if definition is not None:
            for name, annotation in definition.facts.annotations:
                if annotations.last_name(definition.unit, annotation) != "ClassVar":
                    fields[name] = (definition.unit, annotation)
    return list(fields.items())


def field_annotation(resolver: "Resolver", cls: ClassRef, name: str) -> tuple[Unit, annotations.Annotated] | None:
    """Return what the annotation of a field says, and the chunk it stands in."""
    for field, (unit, annotation) in _fields(resolver, cls):
        if field == name:
            return unit, annotations.read(unit, annotation)
    return None


def class_value(resolver: "Resolver", cls: ClassRef, name: str) -> tuple[Abstract, ...]:
    """Return what the body of the class, or of a base, binds the name to."""
    for owner in lineage(resolver, cls):
        definition = resolver.program.class_(owner.path, owner.qualname)
        fields = {} if definition is None else {field.name: field.value for field in definition.facts.fields}
        if definition is not None and name in fields:
            return _plain(resolver, definition.unit, fields[name])
    return ()


def _plain(resolver: "Resolver", unit: Unit, value: int) -> tuple[Abstract, ...]:
    """Resolve a class-level value; `field(default=…)` and the like stand for something made later."""
    call = unit.values[value]
    if isinstance(call, Call) and isinstance(unit.values[call.function], Name | Attribute | Imported):
        name = annotations.last_name(unit, call.function)
        if name in ("field", "Field", "attrib", "ib", "mapped_column", "Column", "relationship", "InitVar"):
            return ()
    return resolver.module_value(unit, value)
