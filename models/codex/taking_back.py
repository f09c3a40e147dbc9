"""Makes a record anew without what some replaced texts told of it."""

from collections.abc import Collection, Sequence
from typing import Any

from bookwright.models.codex.merging import CONTROLS, UNITED, Keyed, fields, keyed, unkeyed
from bookwright.models.codex.record import Origin, Record, Stored

_Flat = dict[str, Any]
_IDENTITY = frozenset({"id", "kind", "name", "phase"})


def without_told(history: Sequence[Stored[Record]], documents: Collection[int]) -> Record | None:
    """Return the newest version of a record without what only those documents told; None if nobody else told of it.

    What they told over is told again; what holds something back (visibility, places, phases of what stays)
    is left as it is. `history` has every version, oldest first; one that is removed now stays so.
    """
    newest = history[-1]
    if newest.is_removed:
        return None
    left, creator = _replayed(history, documents)
    is_theirs = _is_told_by(creator, documents)
    if is_theirs and not any(_is_fact(path) for path in left):
        return None
    whole = keyed(newest.record)
    values = _without_lost(whole, left)
    for name in ("sections", "phases"):
        if name in whole:
            told = [key for key in values[name] if any(path.startswith(f"{name}/{key}/") for path in left)]
            values[name] = {key: values[name][key] for key in told}
    if "phases" in whole:
        values["phases"] = _referred(whole["phases"], values)
    return unkeyed(newest.record, values)


def _replayed(history: Sequence[Stored[Record]], documents: Collection[int]) -> tuple[_Flat, Stored[Record]]:
    """Return the fields that the other versions leave, and the version that began the record as it is there now."""
    left: _Flat = {}
    before: _Flat = {}
    creator = history[0]
    for stored, following in zip(history, [*history[1:], None], strict=True):
        if stored.is_removed:
            left, before = {}, {}
            creator = following or creator
            continue
        now = dict(fields(keyed(stored.record)))
        if not _is_told_by(stored, documents):
            _change(left, before, now)
        before = now
    return left, creator


def _change(left: _Flat, before: _Flat, now: _Flat) -> None:
    for path in before.keys() | now.keys():
        old, new = before.get(path), now.get(path)
        if old == new:
            continue
        if path.rpartition("/")[2] in UNITED:
            kept = [item for item in left.get(path, []) if item in (new or []) or item not in (old or [])]
            left[path] = [*kept, *(item for item in new or [] if item not in (old or []) and item not in kept)]
        elif new is None:
            left.pop(path, None)
        else:
            left[path] = new


def _without_lost(values: Keyed, left: _Flat, path: tuple[str, ...] = ()) -> Keyed:
    """The values with each fact as the others leave it; controls and identities stay."""
    found: Keyed = {}
    for key, value in values.items():
        here = (*path, key)
        name = "/".join(here)
        if isinstance(value, dict) and key != "happens_at":
            found[key] = _without_lost(value, left, here)
        elif _is_fact(name):
            found[key] = left.get(name, type(value)() if isinstance(value, (str, list)) else None)
        else:
            found[key] = value
    return found


def _referred(phases: Keyed, values: Keyed) -> Keyed:
    """The phases that stay, with those that sections are in, and the first one before any of them."""
    of_sections = {str(section.get("phase") or "").casefold() for section in values["sections"].values()}
    kept = {key for key, own in phases.items() if key in values["phases"] or str(own["name"]).casefold() in of_sections}
    first = next(iter(phases), None)
    return {key: own for key, own in phases.items() if key in kept or (kept and key == first)}


def _is_told_by(stored: Stored[Record], documents: Collection[int]) -> bool:
    return stored.origin is Origin.PROSE and stored.document in documents


def _is_fact(path: str) -> bool:
    """Whether a field says something of its subject, beside what it is called and who may know of it."""
    *outer, last = path.split("/")
    return last not in _IDENTITY | CONTROLS and outer[:1] != ["phases"]
