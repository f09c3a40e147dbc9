"""The tools by which an assistant changes books, where its author allows it; what costs needs a confirmed bill."""

from collections.abc import Sequence

from bookwright.app.access import library, open_book, unheard
from bookwright.app.assistants.queries import Facts, going_on
from bookwright.app.branches.forks import fork
from bookwright.app.changes.editing import save_or_queue, without_heading
from bookwright.app.changes.refreshing import refresh_preview
from bookwright.app.comments import comment_on
from bookwright.app.node_lookup import find_node
from bookwright.app.orders.starting import Runs, begin, check_writable, going_on_with
from bookwright.app.status.books import ask_to_rest
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.flows.revision.revise import with_prose
from bookwright.models.document import DocumentKind
from bookwright.models.edit import Anchor, TextEdit
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings


class BookChanges:
    """Changes, each by one call; what costs wants the hash of the bill that the author has seen."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._runs = Runs(settings)

    def save_text(self, book: str, place: str, text: str, version: int) -> Facts:
        """Put the author's words in the place of a chapter's or scene's text; `version` is the one that was read.

        Every version stays. While the book is being written the words wait until the activity at hand is done.
        """
        with open_book(book, unheard, self._settings) as opened:
            with opened.storage.read() as stores:
                label = find_node(place, stores).label
            words = without_heading(text, opened.storage, label)
            saved = save_or_queue(opened, TextEdit(label=label, kind=DocumentKind.PROSE, text=words, seen=version))
        made = saved.made
        return {
            "node": label, "version": made.version if made else version, "waits": saved.queued is not None,
            "is_changed": made is not None or saved.queued is not None,
        }  # fmt: skip

    def fork_book(self, book: str, branch: str, place: str = "") -> Facts:
        """Begin a branch: a book of its own that shares what stands; with a `place`, it is written anew from there on.

        `branch` is what it is called. Nothing is asked of a model by that, and the book stays as it is.
        """
        with open_book(book, unheard, self._settings) as opened:
            made = fork(opened, place or None, branch)
        return {"book": made.book, "name": made.name, "origin": made.origin, "at": made.at}

    def add_note(self, book: str, place: str, at: str, words: str) -> Facts:
        """Keep a note of the author's at words of a text; `at` are those words, letter by letter."""
        with open_book(book, unheard, self._settings) as opened:
            with opened.storage.read() as stores:
                labels = with_prose(find_node(place, stores), stores)
            number = comment_on(opened, labels, Anchor(quote=at), words)
        return {"book": book, "note": number}

    def pause_book(self, book: str) -> Facts:
        """Ask whoever writes the book to rest before the next call of a model."""
        with open_book(book, unheard, self._settings) as opened:
            asked = ask_to_rest(opened)
        return {"book": opened.book.id, "stop_requested": asked.is_asked}

    def begin_book(self, order: dict[str, str], bill_hash: str) -> Facts:
        """Begin a book that `bill_for_new_book` has shown the bill of; this spends the author's money."""
        from bookwright.app.estimates.rehearsal import estimate_book
        from bookwright.app.orders.order_form import OrderBill, brief_of_order

        settings = self._settings
        brief = brief_of_order(order, settings.home)
        OrderBill(brief, estimate_book(brief, settings)).check(bill_hash)
        with library(settings) as database:
            book = begin(database, brief, settings, is_new=False)  # asked again after a time-out it is the same
        return self._start(book.id, going_on_with(book))

    def resume_book(self, book: str, bill_hash: str, until: str = "") -> Facts:
        """Go on with a book that `bill_for_going_on` has shown the bill of; this spends the author's money."""
        with open_book(book, unheard, self._settings) as opened:
            going = going_on(opened, until)
            going.check(bill_hash)
            check_writable(opened.book.brief, opened.settings)
        more = ["--until", going.until] if going.until else []
        return self._start(going.book, going_on_with(opened.book, *more))

    def refresh_book(self, book: str, bill_hash: str, place: str = "book") -> Facts:
        """Make anew what `stale` has listed with this bill; this spends the author's money."""
        with open_book(book, unheard, self._settings) as opened:
            with opened.storage.read() as stores:
                wanted = RefreshScope(find_node(place, stores).label)
                refresh_preview(stores, opened.book.brief, wanted).check(bill_hash)
            check_writable(opened.book.brief, opened.settings)
            identity = opened.book.id
        return self._start(identity, ["refresh", identity, *wanted.options, "--yes"])

    def _start(self, book: str, arguments: Sequence[str]) -> Facts:
        """Start a process that outlives the assistant."""
        if not self._runs.start(book, arguments):
            raise InvalidInput("a process that was started here is still at work on this book")
        return {"book": book, "is_started": True, "tells": "`status` shows how it goes"}
