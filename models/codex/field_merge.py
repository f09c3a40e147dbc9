"""What changes between two versions of a record, and what an extraction may change of what an author said."""

from collections.abc import Iterator
from typing import Any

from bookwright.models.codex.entries import folded
from bookwright.models.codex.record import FieldSuggestion, Origin, Record, kind_of, make_record

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
    """Make a record of nested values again.

    Raises:
        InvalidEntry: They fit no record.
    """
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
        found["aliases"] = [name for name in (found.pop("name"), *found.get("aliases", ())) if not _names(old, name)]
    found.pop("id", None)
    return unkeyed(old, laying.lay(keyed(old), found, ())), laying.wishes


def with_value(record: Record, path: str, value: Any) -> Record:
    """Return a record with the field at a path set.

    Raises:
        InvalidEntry: There is no such field, or the value does not fit it.
    """
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


def _names(record: Record, name: str) -> bool:
    own = [getattr(record, "name", ""), *getattr(record, "aliases", ())]
    return folded(name) in {folded(known) for known in own}


def section_key(section: Keyed) -> str:
    """Return what tells a section or phase from the others of its entry: `"past"`, `"past@youth"`."""
    phase = str(section.get("phase") or "")
    return (folded(str(section.get("name") or "")) + (f"@{folded(phase)}" if phase else "")).replace("/", "∕")
