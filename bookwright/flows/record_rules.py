"""What holds for every change that an author makes to a record of the codex."""

from bookwright.agents.relay.foreshadowing import moved
from bookwright.models.codex import CodexEntry, Visibility
from bookwright.models.codex_record import Record
from bookwright.models.errors import InvalidEntry
from bookwright.models.foreshadowing import Foreshadowing


def check_change(before: Record, after: Record) -> None:
    """Refuse what no change may do.

    Raises:
        InvalidEntry: It gives the record another id, or a thread a status that does not follow its own.
    """
    if after.id != before.id:
        raise InvalidEntry(f"the id of {before.id!r} stays what it is; add another one and remove this one")
    if isinstance(before, Foreshadowing) and isinstance(after, Foreshadowing) and after.status is not before.status:
        moved(before, after.status)


def settled(record: Record, default: Visibility) -> Record:
    """Return a record whose sections all have a visibility."""
    return record.with_default(default) if isinstance(record, CodexEntry) else record
