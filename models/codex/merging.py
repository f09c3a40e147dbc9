"""Merging records field by field: two versions, or two entries of one meaning; extractions yield to authors."""

from collections.abc import Iterator
from typing import Any

from bookwright.models.codex.entries import CodexEntry, Phase, Secret, Section, folded
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import FieldSuggestion, Origin, Record, kind_of, make_record, names_of
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import Place, ReadingOrder

Keyed = dict[str, Any]

UNITED = frozenset({"aliases", "forbidden_keywords", "events"})
"""Lists that an extraction may add to, whoever began them; it takes nothing out."""

CONTROLS = frozenset({
    "kind", "visibility", "level", "known_from", "begins", "revealed_at", "allowed_expressions", "importance",
    "subtlety_level", "status",
})  # fmt: skip
"""What an extraction says only of what it adds: changed later, it could let something out."""

_SETTLED = (Origin.AUTHOR, Origin.WORLD)
"""Whose words an extraction does not change."""

_BY_NAME = ("phases", "sections")
_IDENTITY = frozenset({"name", "phase"})
"""What a section or phase is found by; its spelling stays."""


def keyed(record: Record, *, is_whole: bool = True) -> Keyed:
    """Return a record as nested values, its sections and phases by name; with `is_whole` False only what was given."""
    values = record.model_dump(mode="json", exclude_unset=not is_whole)
    lists = {name: {section_key(item): item for item in values[name]} for name in _BY_NAME if name in values}
    return values | lists


def unkeyed(like: Record, values: Keyed) -> Record:
    """Make a record of nested values again; `InvalidEntry` is raised where they fit none."""
    lists = {name: list(values[name].values()) for name in _BY_NAME if name in values}
    return make_record(kind_of(like), values | lists)


def fields(values: Keyed, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the path and value of every field that holds something."""
    for key, value in values.items():
        if isinstance(value, dict) and key != "happens_at":
            yield from fields(value, (*path, key))
        elif value not in (None, "", [], {}):
            yield "/".join((*path, key)), value


def origins_after(
    before: Record | None, after: Record, origins: dict[str, Origin], origin: Origin
) -> dict[str, Origin]:
    """Return who said each field once `origin` has made `after` of `before`; what was taken out is said, too."""
    old = dict(fields(keyed(before))) if before else {}
    new = dict(fields(keyed(after, is_whole=before is not None)))
    changed = [path for path in old.keys() | new.keys() if old.get(path) != new.get(path)]
    return {**origins, **dict.fromkeys(sorted(changed), origin)}


def merged(old: Record, wanted: Record, origins: dict[str, Origin]) -> tuple[Record, list[FieldSuggestion]]:
    """Lay what an extraction found over a record; what it may not change comes back as wishes.

    Nothing that it is silent about is touched, nor the name and id of the record.
    """
    laying = _Laying(origins)
    found = keyed(wanted, is_whole=False)
    if "name" in found:
        known = {folded(name) for name in names_of(old)}
        given = found.pop("name"), *found.get("aliases", ())
        found["aliases"] = [name for name in given if folded(name) not in known]
    found.pop("id", None)
    return unkeyed(old, laying.lay(keyed(old), found, ())), laying.wishes


def with_value(record: Record, path: str, value: Any) -> Record:
    """Return a record with the field at a path set; `InvalidEntry` where there is none, or the value does not fit."""
    *outer, last = path.split("/")
    values = inner = keyed(record)
    for name in outer:
        inner = inner.setdefault(name, {})
    inner[last] = _united(inner.get(last) or [], value) if last in UNITED else value
    return unkeyed(record, values)


class _Laying:
    """One extraction laid over one record."""

    def __init__(self, origins: dict[str, Origin]) -> None:
        self._authored = {path for path, origin in origins.items() if origin in _SETTLED}
        self.wishes: list[FieldSuggestion] = []

    def lay(self, old: Keyed, found: Keyed, path: tuple[str, ...]) -> Keyed:
        values = dict(old)
        for key, value in found.items():
            here = (*path, key)
            if key in _IDENTITY and len(here) > 1:
                continue
            if isinstance(value, dict) and isinstance(old.get(key), dict) and key != "happens_at":
                values[key] = self.lay(old[key], value, here)
            elif self._may(here, old.get(key), value):
                values[key] = _united(old.get(key) or [], value) if key in UNITED else value
        return values

    def _may(self, path: tuple[str, ...], present: Any, value: Any) -> bool:
        """Whether the field may be set; if not, and it would be another, the wish is noted."""
        if value == present or value in (None, "", []):
            return False  # nothing found is no reason to forget
        if path[-1] in UNITED:
            return True
        name = "/".join(path)
        is_authored = name in self._authored or any(own.startswith(f"{name}/") for own in self._authored)
        if is_authored or path[-1] in CONTROLS:
            self.wishes.append(FieldSuggestion(path=name, present=present, wanted=value))
            return False
        return True


def _united(present: list[Any], more: list[Any]) -> list[Any]:
    known = {folded(item) if isinstance(item, str) else str(item) for item in present}
    return [*present, *(item for item in more if (folded(item) if isinstance(item, str) else str(item)) not in known)]


def section_key(section: Keyed) -> str:
    """Return what tells a section or phase from the others of its entry: `"past"`, `"past@youth"`."""
    phase = str(section.get("phase") or "")
    return (folded(str(section.get("name") or "")) + (f"@{folded(phase)}" if phase else "")).replace("/", "∕")


def united(kept: CodexEntry, other: CodexEntry, reading: ReadingOrder) -> CodexEntry:
    """Return one entry with all that two have: the first one's id and name, both ones' names, phases and sections.

    Of a section that both have the texts follow each other, and the stricter of their visibilities and places holds.

    Raises:
        InvalidEntry: They are of two kinds, or the same one.
    """
    if kept.id == other.id:
        raise InvalidEntry(f"{kept.id!r} is one entry already; name two")
    if kept.kind is not other.kind:
        raise InvalidEntry(
            f"{kept.id!r} is a {kept.kind} and {other.id!r} a {other.kind}; change one of them with --kind"
        )
    sections = {_key(section): section for section in kept.sections}
    for section in other.sections:
        mine = sections.get(_key(section))
        sections[_key(section)] = section if mine is None else _joined(mine, section, reading)
    values = {
        "aliases": [name for name in (*kept.aliases, *other.names) if folded(name) != folded(kept.name)],
        "phases": [phase.model_dump(mode="json") for phase in _phases(kept, other, reading)],
        "sections": [section.model_dump(mode="json") for section in sections.values()],
    }
    return CodexEntry.model_validate(kept.model_dump(mode="json") | values)


def pointing_at(record: Record, gone: CodexEntry, kept: CodexEntry) -> Record:
    """Return a secret or thread that names an entry by its id with the id of the one in its place."""
    if isinstance(record, Secret) and record.related_entity == gone.id:
        return record.model_copy(update={"related_entity": kept.id})
    if isinstance(record, Foreshadowing):
        related = record.related
        names = {field: tuple(kept.id if name == gone.id else name for name in getattr(related, field))
                 for field in ("characters", "locations")}  # fmt: skip
        return record.model_copy(update={"related": related.model_copy(update=names)})
    return record


def _key(section: Section) -> str:
    return section_key({"name": section.name, "phase": section.phase})


def _joined(mine: Section, other: Section, reading: ReadingOrder) -> Section:
    """One section of two: nothing that either of them holds back comes out."""
    texts = dict.fromkeys(text for text in (mine.text, other.text) if text)
    later = [place for place in (mine.known_from, other.known_from) if place is not None]
    return mine.model_copy(
        update={
            "text": "\n\n".join(texts),
            "visibility": min(mine.visibility, other.visibility),
            "known_from": max(later, key=lambda place: _order(place, reading), default=None),
            "happens_at": mine.happens_at or other.happens_at,
            "forbidden_keywords": tuple(dict.fromkeys((*mine.forbidden_keywords, *other.forbidden_keywords))),
            "allowed_expressions": tuple(dict.fromkeys((*mine.allowed_expressions, *other.allowed_expressions))),
        }
    )


def _phases(kept: CodexEntry, other: CodexEntry, reading: ReadingOrder) -> tuple[Phase, ...]:
    """The phases of both, those of one name once, in the order in which they begin as far as that is known."""
    known = {folded(phase.name) for phase in kept.phases}
    more = [phase for phase in other.phases if folded(phase.name) not in known]
    both = [*kept.phases, *more]
    return tuple(sorted(both, key=lambda phase: _order(phase.begins, reading))) if more else kept.phases


def _order(place: Place | None, reading: ReadingOrder) -> int:
    return 0 if place is None else reading.number(place)
