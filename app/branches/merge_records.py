"""What a merge takes of a codex: records that only the branch changed; what both changed is the author's to settle."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bookwright.app.branches.kinship import Kinship
from bookwright.app.branches.merge_plan import OURS, THEIRS, Conflict, MergePlan
from bookwright.models.codex.record import Record, RecordKind, Stored, kind_of
from bookwright.storage.stores import Stores

Versions = dict[tuple[RecordKind, str], list[Stored[Record]]]


@dataclass(frozen=True)
class TakeRecord:
    """A record of mine that is to read as theirs."""

    theirs: Stored[Record]
    mine: Stored[Record] | None


def plan_records(
    kin: Kinship, choices: Mapping[str, str], plan: MergePlan, told_by: frozenset[int] | None
) -> list[TakeRecord]:
    """Return which records are taken, and note in the plan which nobody has settled.

    `told_by` are the documents whose records alone are looked at; None looks at all.
    """
    mine, theirs = _versions(kin.mine), _versions(kin.theirs)
    taken = []
    for key, versions in theirs.items():
        own, newest = mine.get(key, []), versions[-1]
        base = _common(own, versions)
        new = [one for one in versions if base is None or one.version > base.version]
        if not new or (own and _same(own[-1], newest)):
            continue
        if told_by is not None and not any(one.document in told_by for one in new):
            continue
        is_untouched = not own or (base is not None and _same(own[-1], base)) or _is_older(own[-1], kin)
        if is_untouched or _is_taken(own[-1], newest, choices, plan):
            taken.append(TakeRecord(newest, own[-1] if own else None))
    return taken


def take_records(taken: list[TakeRecord], stores: Stores) -> None:
    """Give my records the versions that are taken.

    Raises:
        NameTaken: A name of one is another's here.
    """
    for one in taken:
        record, origin = one.theirs.record, one.theirs.origin
        if one.theirs.is_removed:
            if one.mine is not None and not one.mine.is_removed:
                stores.codex.remove(kind_of(record), record.id, one.mine.version, origin)
        elif one.mine is None or one.mine.is_removed:
            stores.codex.add(record, origin)
        else:
            stores.codex.edit(record, one.mine.version, origin)


def _versions(stores: Stores) -> Versions:
    found: Versions = {}
    for stored in stores.codex.every_version():
        found.setdefault((kind_of(stored.record), stored.record.id), []).append(stored)
    return found


def _is_older(mine: Stored[Record], kin: Kinship) -> bool:
    """Whether a record of mine is as it was when they were forked from here."""
    return kin.my_documents is not None and mine.recorded_at <= kin.parted_at


def _common(mine: list[Stored[Record]], theirs: list[Stored[Record]]) -> Stored[Record] | None:
    common = [one for one in theirs if any(_same(one, own) for own in mine)]
    return common[-1] if common else None


def _same(one: Stored[Record], other: Stored[Record]) -> bool:
    return one.is_removed == other.is_removed and one.record == other.record


def _is_taken(mine: Stored[Record], theirs: Stored[Record], choices: Mapping[str, str], plan: MergePlan) -> bool:
    place = f"codex/{theirs.record.id}"
    named = next((name for name in (place, "all") if choices.get(name) in (OURS, THEIRS)), None)
    if named is None:
        plan.conflicts.append(
            Conflict(place, f"{theirs.record.id} in the codex", None, 1, "", _as_json(mine), _as_json(theirs))
        )
        return False
    plan.settled.add(named)
    return choices[named] == THEIRS


def _as_json(stored: Stored[Record]) -> str:
    return "(removed)" if stored.is_removed else json.dumps(stored.record.model_dump(mode="json"), ensure_ascii=False)
