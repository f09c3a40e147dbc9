"""By which names the records of a codex are found, and whose each name is."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import count

from bookwright.models.codex.entries import CodexEntry, Secret, folded
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import FieldSuggestion, Record

_NEUTRAL = re.compile(r"secret-[0-9]+", re.ASCII)


def names_of(record: Record) -> tuple[str, ...]:
    """Return what a record goes by beside its id: name and aliases of an entry, the title of a thread."""
    if isinstance(record, CodexEntry):
        return record.names
    return (record.title,) if isinstance(record, Foreshadowing) else ()


def named(records: Iterable[Record], name: str) -> Record | None:
    """Return the record with an id, or else with a name, alias or title, whatever its width and case."""
    known, wanted = list(records), folded(name)
    by_id = [record for record in known if folded(record.id) == wanted]
    by_name = [record for record in known if wanted in map(folded, names_of(record))]
    return next(iter(by_id + by_name), None)


def neutral_ids(taken: Collection[str]) -> Iterator[str]:
    """Yield ids for new secrets that tell nothing of them: `"secret-1"` and so on, without those that are taken."""
    return (name for name in (f"secret-{number}" for number in count(1)) if name not in taken)


def neutral_names(secrets: Iterable[Secret]) -> dict[str, str]:
    """Return the id of each secret with a name for it that tells nothing: that id where it is a number, or a free one.

    Older books, and authors, have ids that say what they stand for.
    """
    ids = [secret.id for secret in secrets]
    free = neutral_ids(ids)
    return {identity: identity if _NEUTRAL.fullmatch(identity) else next(free) for identity in ids}


def taken_names(entries: Iterable[CodexEntry], but: str) -> dict[str, str]:
    """Return which entry each folded name belongs to, but for the names of the entry `but`."""
    return {folded(name): entry.id for entry in entries if entry.id != but for name in entry.names}


def without_clashes(record: Record, entries: Iterable[CodexEntry]) -> tuple[Record, list[FieldSuggestion]]:
    """Return a record without the aliases that another entry has; these come back as wishes."""
    if not isinstance(record, CodexEntry):
        return record, []
    taken = taken_names(entries, record.id)
    free = tuple(alias for alias in record.aliases if folded(alias) not in taken)
    wanted = [alias for alias in record.aliases if alias not in free]
    wishes = [FieldSuggestion(path="aliases", present=list(free), wanted=wanted)] if wanted else []
    return record.model_copy(update={"aliases": free}), wishes


def nearest(records: Iterable[Record], name: str) -> str:
    """Say which record may have been meant by a name that none answers to, or which there are."""
    known = list(records)
    names = {folded(own): own for record in known for own in (record.id, *names_of(record))}
    near = difflib.get_close_matches(folded(name), names, n=1)
    if near:
        return f"; did you mean {names[near[0]]!r}?"
    return f"; there are {', '.join(record.id for record in known[:10])}" if known else "; there is none yet"
