"""Comments at passages: kept by the words that they are about, found again in the text that stands today."""

from dataclasses import dataclass

from bookwright.app.access import OpenBook
from bookwright.exports.markup import to_plain
from bookwright.models.comment import LONGEST_CONTEXT, LONGEST_QUOTE, LONGEST_WORDS, Anchor, Comment, CommentState
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import EditState, QueuedEdit
from bookwright.models.errors import InvalidInput
from bookwright.models.text.plain import plain
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class CommentSight:
    """A comment beside the text that stands today."""

    comment: Comment
    is_found: bool
    """Its words still stand there."""
    version: int
    """Of the text that stands."""
    queued: QueuedEdit | None = None
    """What was left to whoever wrote the book, with what became of it."""

    @property
    def waits(self) -> bool:
        """Whoever writes the book does it next."""
        return self.queued is not None and self.queued.state is EditState.WAITING

    @property
    def refusal(self) -> str:
        """Why whoever wrote the book did not do it; empty if it did, or does."""
        return self.queued.outcome if self.queued is not None else ""

    @property
    def is_seen_to(self) -> bool:
        """The text was changed since a model was told to."""
        return self.comment.state is CommentState.ORDERED and self.version > self.comment.seen


def comment_on(opened: OpenBook, labels: list[str], anchor: Anchor, words: str) -> int:
    """Keep a comment on words of one of some units, which are the parts of a chapter; return its number.

    Raises:
        InvalidInput: There are no words, too many, or the passage stands in none of the units.
    """
    said, anchor = plain(words).strip(), _whole(anchor)
    if not said or len(said) > LONGEST_WORDS:
        raise InvalidInput(f"A note has words, at most {LONGEST_WORDS:,} characters of them.")
    with opened.storage.write() as stores:
        texts = {label: _told(_prose(stores, label)) for label in labels}
        place = _place(texts, anchor)
        if place is None:
            raise InvalidInput("These words do not stand in the text any more; select them again.")
        return stores.comments.add(stores.nodes.by_label(place).key, anchor, said)


def comments_at(stores: Stores, labels: list[str]) -> list[CommentSight]:
    """Return the open comments at some units, each with whether its words still stand there."""
    found = stores.comments.of_nodes([stores.nodes.by_label(label).key for label in labels])
    proses = {label: _prose(stores, label) for label in {one.label for one in found}}
    return [_sight(one, proses[one.label], stores.edits.latest_for(f"note/{one.id}")) for one in found]


def _sight(comment: Comment, prose: Document | None, queued: QueuedEdit | None) -> CommentSight:
    is_found = _place({comment.label: _told(prose)}, comment.anchor) is not None
    return CommentSight(comment, is_found, prose.version if prose else 0, queued)


def _prose(stores: Stores, label: str) -> Document | None:
    return stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)


def _whole(anchor: Anchor) -> Anchor:
    quote = _flat(plain(anchor.quote))
    if not quote or len(quote) > LONGEST_QUOTE:
        raise InvalidInput(f"Select the words that the note is about, at most {LONGEST_QUOTE:,} characters.")
    before, after = _flat(plain(anchor.before)), _flat(plain(anchor.after))
    return Anchor(quote=quote, before=before[-LONGEST_CONTEXT:], after=after[:LONGEST_CONTEXT])


def _place(texts: dict[str, str], anchor: Anchor) -> str | None:
    """Return which text holds the words: first with all that stands around them, then with one side, then alone."""
    around = (anchor.before + anchor.quote + anchor.after, anchor.before + anchor.quote, anchor.quote + anchor.after)
    for wanted in (*around, anchor.quote):
        sought = _bare(wanted)
        found = next((label for label, text in texts.items() if sought in text), None)
        if found is not None:
            return found
    return None


def _told(prose: Document | None) -> str:
    return _bare(to_plain(prose.text)) if prose else ""


def _flat(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    """Return a text without blanks and marks of emphasis: a selection has its own of both."""
    return "".join(text.split()).replace("*", "")
