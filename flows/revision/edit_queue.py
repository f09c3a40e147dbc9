"""Applies what an author changes while their book is written: between two activities, in order, each exactly once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bookwright.flows.deps import Deps, WrappedObserver
from bookwright.flows.revision.amend import Amendment, amend
from bookwright.flows.revision.edits import (
    add_records,
    brief_seen,
    change_brief,
    check_brief_change,
    check_change,
    check_new,
    check_places,
    take_or_drop,
)
from bookwright.flows.revision.revise import check_words, chosen, take_in, void_unfinished
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.codex.record import Origin, Stored, make_record
from bookwright.models.codex.record import Record as CodexRecord
from bookwright.models.document import Document, DocumentOrigin
from bookwright.models.edit import (
    BriefEdit,
    EditState,
    NewRecordEdit,
    NoteEdit,
    PlainEdit,
    QueuedEdit,
    RecordEdit,
    SuggestionEdit,
    TextEdit,
)
from bookwright.models.errors import EditConflict, InvalidInput, NoResult, OrderChanged
from bookwright.models.step import Activity
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores


@dataclass
class TakingObserver(WrappedObserver):
    """An observer that first takes in what the author has saved meanwhile."""

    storage: BookStorage
    journal: Journal
    _walk: Deps | None = None
    """The walk that is observed; None for what is none: no model is asked for a note there."""
    _is_taking: bool = False

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Take in what waits, then let the work be done; raise `OrderChanged` if the brief is another now."""
        if not self._is_taking:
            self._is_taking = True  # what a note has done is observed, too
            try:
                take_in_waiting(self.storage, self.journal, self._walk)
            finally:
                self._is_taking = False
        self.inner.run(activity, node, work)

    def began(self, deps: Deps) -> None:
        """Keep the walk that begins, and hand it on."""
        self._walk = deps
        self.inner.began(deps)


def take_in_waiting(storage: BookStorage, journal: Journal, walk: Deps | None) -> None:
    """Take in the edits that wait, each in a fenced transaction of its own; none in the middle of an activity.

    Without a `walk` the order and notes go on waiting: nobody could go on under another brief, or ask a model. Raises
    `OrderChanged` where the brief is another now and the walk has to be opened anew, and for a note what any step does.
    """
    if not journal.edits_wait:
        return
    with storage.look() as stores:
        waiting = stores.edits.waiting()
        if not waiting or _is_under_way(stores):
            return
    for queued in waiting:
        if not isinstance(queued.edit, BriefEdit | NoteEdit):
            journal.move(partial(_take_in, queued))
        elif walk is not None and isinstance(queued.edit, NoteEdit):
            _carry_out(queued.id, queued.edit, walk)
        elif walk is not None:
            journal.move(partial(_take_in, queued))
            raise OrderChanged(storage.book)


def _carry_out(number: int, edit: NoteEdit, walk: Deps) -> None:
    """Have a model see to a note, in steps of the book; one that cannot be seen to is refused and kept."""
    state, outcome = EditState.TAKEN, ""
    try:
        with walk.stores() as stores:
            node = stores.nodes.by_label(edit.label)
            old = chosen(stores, node, edit.kind)  # other words around it leave the note what it is
        amend(node, old, Amendment(edit.note, DocumentOrigin.NOTE), walk)
    except (InvalidInput, NoResult) as error:
        state, outcome = EditState.REFUSED, str(error)
    walk.desk.journal.move(lambda stores, _: stores.edits.settle(number, state, outcome))


def _take_in(queued: QueuedEdit, stores: Stores, step: int) -> None:
    settle_edit(stores, queued)


def settle_edit(stores: Stores, queued: QueuedEdit) -> bool:
    """Make the change of a queued edit and say so in one transaction; one that cannot be made is refused and kept.

    Returns False, and changes nothing, where it waits no more, or waits for a model.
    """
    if isinstance(queued.edit, NoteEdit) or not stores.edits.settle(queued.id, EditState.TAKEN):
        return False
    try:
        put_edit(stores, queued.edit)  # it looks before it writes, so that what is refused has changed nothing
    except InvalidInput as error:
        stores.edits.amend(queued.id, EditState.REFUSED, str(error))
    return True


def put_edit(stores: Stores, edit: PlainEdit) -> "Document | Stored[CodexRecord] | None":
    """Make an author's change in a transaction that may write the book.

    Returns the new version; None where it says what stands there, and for the order, which is no document.

    Raises:
        EditConflict: Another version stands than the author had before them.
        InvalidInput: It cannot be so.
    """
    if isinstance(edit, BriefEdit):
        change_brief(make_brief(edit.brief), _ordered(stores, edit), stores)
        return None
    if isinstance(edit, TextEdit):
        node, old = _current(stores, edit)
        return take_in(stores, node, old, edit.text)
    if isinstance(edit, NewRecordEdit):
        return add_records(stores, [make_record(edit.kind, edit.record)])[0]
    if isinstance(edit, SuggestionEdit):
        return take_or_drop(stores, edit.number, is_taken=edit.is_taken)
    after = _wanted(stores, edit)
    void_unfinished(stores)
    return stores.codex.edit(after, edit.seen, Origin.AUTHOR)


def check_edit(stores: Stores, edit: PlainEdit) -> None:
    """Make sure that a change could be made as things stand; raises what `put_edit` does."""
    if isinstance(edit, TextEdit):
        node, old = _current(stores, edit)
        check_words(old, node, edit.text, stores)
    elif isinstance(edit, BriefEdit):
        check_brief_change(make_brief(edit.brief), _ordered(stores, edit), stores)
    elif isinstance(edit, NewRecordEdit):
        check_new(stores, make_record(edit.kind, edit.record))
    elif isinstance(edit, SuggestionEdit):
        stores.codex.suggestions.get(edit.number)
    else:
        _wanted(stores, edit)


def _current(stores: Stores, edit: TextEdit) -> tuple[TaskNode, Document]:
    node = stores.nodes.by_label(edit.label)
    old = chosen(stores, node, edit.kind)
    if edit.seen is not None and old.version != edit.seen:
        raise EditConflict(
            f"version {old.version} of the {old.kind} of {stores.name_of(node)} was made since you opened version "
            f"{edit.seen}; nothing was changed"
        )
    return node, old


def _ordered(stores: Stores, edit: BriefEdit) -> Book:
    book = stores.books.get(stores.nodes.root().book)
    if brief_seen(book.brief) != edit.seen:
        raise EditConflict("the order was changed since you opened it; nothing was changed")
    return book


def _wanted(stores: Stores, edit: RecordEdit) -> CodexRecord:
    found = stores.codex.at_version(edit.kind, edit.slug, edit.seen)
    after = make_record(edit.kind, edit.record)
    check_change(found.record, after)
    check_places(after, stores, found.record)
    return after


def _is_under_way(stores: Stores) -> bool:
    """True while an activity has steps still to come: what it has asked so far saw what stands now."""
    open_nodes = [node for node in stores.nodes.open_path() if node.status is not NodeStatus.DONE]
    return any(stores.steps.is_under_way(node) for node in open_nodes)
