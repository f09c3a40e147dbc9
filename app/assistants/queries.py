"""The tools by which an assistant looks at books; spoilers are left out unless asked for."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from bookwright.agents.relay.threads.alerts import PACINGS
from bookwright.app.access import OpenBook, existing_library, open_book, unheard
from bookwright.app.branches.comparing import compare, other_branch, text_pair
from bookwright.app.branches.forks import branch_tree
from bookwright.app.candidates import candidates_at, units_with_candidates
from bookwright.app.changes.gates import facts_of
from bookwright.app.changes.refreshing import refresh_preview
from bookwright.app.commands import cost_of
from bookwright.app.comments import all_comments, comments_at
from bookwright.app.estimates.bill import Confirmable
from bookwright.app.node_lookup import find_node
from bookwright.app.orders.starting import end_in
from bookwright.app.records.thread_board import make_board
from bookwright.app.status.books import list_books, queued_books, state_of
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.book_report import report_of
from bookwright.exports.text import body
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.flows.revision.revise import chosen, with_prose
from bookwright.flows.stopping import Limits
from bookwright.models.book import RESTING
from bookwright.models.codex.entries import CodexEntry, Visibility
from bookwright.models.codex.record import neutral_names
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.talk.command import Resume

MOST_CHARACTERS = 20_000
"""Of a text in one answer; `after` asks for the next piece."""

Facts = dict[str, Any]
"""What a tool answers, as JSON takes it."""


@dataclass(frozen=True)
class GoingOn(Confirmable):
    """What going on with a book is likely to take, as it stands now."""

    subject = "The book"

    book: str
    until: str
    """As `--until` takes it; empty for to its end."""
    cost: str
    """In words."""
    cap_usd: float | None
    """Of the whole book; None where nobody has set one."""
    usd: float
    """What it has cost so far."""

    def shown(self) -> tuple[object, ...]:
        """Return all of it: another state of the book, or another end, has another hash."""
        return (asdict(self),)


def going_on(opened: OpenBook, until: str) -> GoingOn:
    """Return the bill of going on with a book.

    Raises:
        InvalidSetting: `until` names no place to rest at.
    """
    end = end_in(opened.storage, until or None)
    Limits.parse(end, None)
    book = opened.book
    return GoingOn(book.id, end or "", cost_of(Resume(verb="resume"), opened), book.brief.budget.usd, book.dollars)


class BookQueries:
    """Looks that change nothing and ask no model."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def books(self) -> list[Facts]:
        """List all books: id, title, where each stands, how much is written, what it has cost."""
        with existing_library(self._settings) as database:
            lines = [] if database is None else list_books(database, queued=queued_books(self._settings))
        return [
            {
                "book": line.book.id, "title": line.book.title, "state": line.words, "reason": line.book.reason,
                "written": line.written, "length": line.book.brief.length, "unit": line.book.brief.length_unit,
                "usd": line.book.dollars, "gates": line.gates,
            }
            for line in lines
        ]  # fmt: skip

    def status(self, book: str) -> Facts:
        """Tell where one book stands, why it rests, what it has cost, and the gates that wait for its author's word."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            own, root = stores.books.get(opened.book.id), stores.nodes.root()
            is_queued = state_of(own) in RESTING and own.id in queued_books(self._settings)
            return {
                "book": own.id, "title": own.title, "state": state_of(own, is_queued=is_queued), "reason": own.reason,
                "advice": own.advice, "written": root.written, "length": root.length or own.brief.length,
                "unit": own.brief.length_unit, "usd": own.dollars, "cap_usd": own.brief.budget.usd,
                "gates": [facts_of(gate) for gate in stores.gates.waiting()],
            }  # fmt: skip

    def tree(self, book: str, spoilers: bool = False) -> list[Facts]:
        """List the book's parts in reading order, with what is written of each; `spoilers` adds what each is to do."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            reading = stores.codex.reading_order()
            return [
                {
                    "place": reading.named(node), "node": node.label, "level": str(node.level), "title": node.title,
                    "status": str(node.status), "written": node.written, "length": node.length,
                }
                | ({"goal": node.goal} if spoilers else {})
                for node in stores.nodes.walk()
                if node.is_unit
            ]  # fmt: skip

    def read_text(self, book: str, place: str = "book", after: int = 0) -> Facts:
        """Read the text of a place ("chapter 3", a label such as 1.2, a title), 20,000 characters at a time.

        `version` is what `save_text` wants to know, where the place has one text of its own.
        """
        with open_book(book, unheard, self._settings) as opened:
            with opened.storage.read() as stores:
                node = find_node(place, stores)
                name, version = stores.name_of(node), None
                with suppress(InvalidInput):  # its text stands in its parts
                    version = chosen(stores, node, None).version
            text = "".join(body(Manuscript(opened.storage), node.label))
        piece = text[after : after + MOST_CHARACTERS]
        end = after + len(piece)
        return {
            "place": name, "node": node.label, "text": piece, "next": end if end < len(text) else None,
            "characters": len(text), "version": version,
        }  # fmt: skip

    def codex(self, book: str, spoilers: bool = False) -> list[Facts]:
        """List characters and places; without `spoilers` what readers learn late is left out, and counted."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            return [_entry(entry, spoilers) for entry in stores.codex.entries()]

    def threads(self, book: str, spoilers: bool = False) -> Facts:
        """List what readers were led to wait for; without `spoilers` not what it comes to."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            board = make_board(stores, PACINGS["medium"]).facts()
        if spoilers:
            return board
        open_facts = ("id", "title", "status", "silence")
        return {
            "chapter": board["chapter"],
            "threads": [{key: thread[key] for key in open_facts if key in thread} for thread in board["threads"]],
            "kept_back": "what threads come to; ask for spoilers if the author wants them",
        }

    def secrets(self, book: str, spoilers: bool = False) -> list[Facts]:
        """List the book's secrets by number; what they are is told with `spoilers` alone."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            kept = stores.codex.secrets()
        names = neutral_names(kept)
        told = [{"secret": names[own.id], "importance": own.importance.value} for own in kept]
        if not spoilers:
            return told
        return [facts | own.model_dump(mode="json") for facts, own in zip(told, kept, strict=True)]

    def report(self, book: str, spoilers: bool = False) -> Facts:
        """Report on the book: scores, checks, alerts, costs; `spoilers` adds threads, secrets and the time line."""
        with open_book(book, unheard, self._settings) as opened:
            found = report_of(opened.storage, opened.settings).model_dump(mode="json")
        if spoilers:
            return found
        kept = ("book", "title", "state", "written", "length", "unit", "style", "costs")
        chapters = [
            {key: chapter[key] for key in ("number", "label", "heading", "quality", "checks")}
            for chapter in found["chapters"]
        ]
        for chapter in chapters:
            quality = chapter["quality"] or {}
            chapter["quality"] = {name: value for name, value in quality.items() if isinstance(value, (int, float))}
        return {key: found[key] for key in kept} | {"chapters": chapters}

    def branches(self, book: str) -> Facts:
        """List the book with all its branches: where each stands, what it has written and paid by itself."""
        with open_book(book, unheard, self._settings) as opened:
            return branch_tree(opened).facts()

    def compare(self, book: str, other: str, place: str = "") -> Facts:
        """Tell what differs between two branches of one book; with a `place`, give its text in both, word by word."""
        with open_book(book, unheard, self._settings) as opened:
            there = other_branch(opened, other)
            if place:
                pair = text_pair(opened, there, place)
                return asdict(pair) | {"changes": [list(change) for change in pair.changes()]}
            found = compare(opened, there).facts()
            return {key: found[key] for key in ("a", "b", "units", "differing", "chapters", "costs", "tokens")}

    def candidates(self, book: str, place: str = "") -> list[Facts]:
        """List the drafts that were made of the same pages, what blind readers said, and which draft stands."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            sights = [candidates_at(find_node(place, stores), stores)] if place else units_with_candidates(stores)
            return [sight.facts() for sight in sights]

    def notes(self, book: str, place: str = "") -> list[Facts]:
        """List the author's notes at words of the text, with whether those words still stand."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            labels = with_prose(find_node(place, stores), stores) if place else None
            return [one.facts() for one in (all_comments(stores) if labels is None else comments_at(stores, labels))]

    def stale(self, book: str, place: str = "book") -> Facts:
        """List what rests on texts that were changed since, with the bill of making it anew and that bill's hash."""
        with open_book(book, unheard, self._settings) as opened, opened.storage.read() as stores:
            wanted = RefreshScope(find_node(place, stores).label)
            sight = refresh_preview(stores, opened.book.brief, wanted)
            reading = stores.codex.reading_order()
            return {
                "stale": [
                    {
                        "place": reading.name_of(one.document.label), "kind": one.document.kind.value,
                        "is_direct": one.is_direct,
                    }
                    for one in sight.found
                ],
                "bill": sight.bill.facts(), "bill_hash": sight.hash,
            }  # fmt: skip

    def bill_for_new_book(self, order: dict[str, str]) -> Facts:
        """Rehearse an order without a model and return its bill, low and high, with the hash that confirms it.

        `order` has `premise` and `length`, and may have `title`, `language`, `genre`, `style`, `audience`, `ending`,
        `profile`, `model` and `usd`, the cap. Nothing is begun.
        """
        from bookwright.app.estimates.rehearsal import estimate_book
        from bookwright.app.orders.order_form import OrderBill, brief_of_order

        brief = brief_of_order(order, self._settings.home)
        found = estimate_book(brief, self._settings)
        return {
            "length": found.length, "unit": found.unit, "profile": found.profile, "low": asdict(found.total.low),
            "high": asdict(found.total.high), "seconds": list(found.seconds), "bill_hash": OrderBill(brief, found).hash,
        }  # fmt: skip

    def bill_for_going_on(self, book: str, until: str = "") -> Facts:
        """Tell what going on with a book that rests is likely to cost, with the hash that confirms it."""
        with open_book(book, unheard, self._settings) as opened:
            going = going_on(opened, until)
        return asdict(going) | {"bill_hash": going.hash}


def _entry(entry: CodexEntry, spoilers: bool) -> Facts:
    facts = entry.model_dump(mode="json", exclude={"phases"})
    if spoilers:
        return facts
    told = [
        section
        for section in entry.sections
        if section.visibility >= Visibility.USE and section.known_from is None and not section.forbidden_keywords
    ]
    facts["sections"] = [{"name": section.name, "text": section.text} for section in told]
    return facts | {"kept_back": len(entry.sections) - len(told)}
