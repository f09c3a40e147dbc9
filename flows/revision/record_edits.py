"""Records that an author adds to the codex, and suggestions for it that they take or drop, in an open transaction."""

from bookwright.flows.revision.record_rules import check_change, check_places
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.codex.entries import Secret, folded
from bookwright.models.codex.field_merge import with_value
from bookwright.models.codex.record import Origin, Record, Stored, SuggestionStatus
from bookwright.models.errors import NameTaken
from bookwright.storage.repositories.codex import CodexRepository
from bookwright.storage.stores import Stores


def check_new(stores: Stores, record: Record) -> None:
    """Make sure that a record could be added as things stand.

    Raises:
        InvalidEntry: It names places that this book cannot have.
        NameTaken: Its id or one of its names is another's, or it is a secret that is there already.
    """
    check_places(record, stores)
    _check_untold(record, stores.codex)
    stores.codex.check_free(record)


def add_records(stores: Stores, records: list[Record]) -> list[Stored[Record]]:
    """Add records, all of them or none.

    Raises:
        InvalidEntry, NameTaken: As for `check_new`.
    """
    for record in records:
        check_new(stores, record)
    void_unfinished(stores)
    return [stores.codex.add(record, Origin.AUTHOR) for record in records]


def take_or_drop(stores: Stores, number: int, *, is_taken: bool) -> Stored[Record]:
    """Take what a reading of the pages would change of a record, or drop it; return the record as it stands then.

    Raises:
        EntryNotFound: There is no such suggestion.
        InvalidEntry: It was settled before, or the record cannot be so.
    """
    wish = stores.codex.suggestions.get(number)
    found = stores.codex.get(wish.kind, wish.slug)
    after = with_value(found.record, wish.path, wish.wanted) if is_taken else found.record
    check_change(found.record, after)
    stores.codex.suggestions.settle(number, SuggestionStatus.TAKEN if is_taken else SuggestionStatus.DROPPED)
    if not is_taken:
        return found
    void_unfinished(stores)
    return stores.codex.edit(after, found.version, Origin.AUTHOR)


def _check_untold(record: Record, codex: CodexRepository) -> None:
    """Refuse a secret that is there already; its id would not tell, being a number."""
    told = folded(record.content) if isinstance(record, Secret) else ""
    same = next((own.id for own in codex.secrets() if told and folded(own.content) == told), None)
    if same is not None:
        raise NameTaken(f"the secret {same!r} says the same already; edit that one")
