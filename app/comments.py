"""Comments at passages: kept by the words that they are about, found again in the text that stands today."""

import re
from dataclasses import dataclass
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.node_lookup import node_at
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import (
    LONGEST_CONTEXT,
    LONGEST_QUOTE,
    LONGEST_WORDS,
    Anchor,
    Comment,
    CommentState,
    EditState,
    QueuedEdit,
)
from bookwright.models.errors import EntryNotFound, InvalidInput
from bookwright.models.text.emphasis import without_emphasis
from bookwright.models.text.plain import plain
from bookwright.models.tree.place import order_of
from bookwright.storage.stores import Stores

_AROUND = 60
"""Characters on each side that are kept with a quotation, where nobody gives them."""
_NEAR = 20
"""Letters of what stood around a passage by which it is found once its own words are others."""
_GROWN = (3, 200)
"""How many times longer a passage may have become, and so many letters more."""


@dataclass(frozen=True)
class CommentView:
    """A comment beside the text that stands today."""

    comment: Comment
    now: str
    """What stands today where its words stood, or between what stood around them; empty if that is gone, too."""
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
    def is_found(self) -> bool:
        """Its words still stand there."""
        return bool(self.now) and _bare(self.now) == _bare(self.comment.anchor.quote)

    @property
    def is_seen_to(self) -> bool:
        """The text was changed since a model was told to."""
        return self.comment.state is CommentState.ORDERED and self.version > self.comment.seen

    @property
    def is_order(self) -> bool:
        """A model is to see to it, and none has."""
        return self.comment.state in (CommentState.WAITING, CommentState.ORDERED) and not self.is_seen_to

    @property
    def order(self) -> str:
        """What a model is told."""
        return f"“{self.now or self.comment.anchor.quote}”: {self.comment.words}"

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        one = self.comment
        return {
            "note": one.id, "node": one.label, "at": one.anchor.quote, "words": one.words, "state": one.state.value,
            "is_found": self.is_found, "now": self.now, "is_seen_to": self.is_seen_to, "version": self.version,
            "created_at": one.created_at,
        }  # fmt: skip


def comment_on(opened: OpenBook, labels: list[str], anchor: Anchor, words: str, *, is_order: bool = False) -> int:
    """Keep a comment on words of one of some units, which are the parts of a chapter; return its number.

    Raises:
        InvalidInput: There are no words, too many, or the passage stands in none of the units, or in several places
            where nothing says which is meant.
    """
    said, anchor = plain(words).strip(), _whole(anchor)
    if not said or len(said) > LONGEST_WORDS:
        raise InvalidInput(f"A note has words, at most {LONGEST_WORDS:,} characters of them.")
    with opened.storage.write() as stores:
        texts = {label: _plain_prose(_prose(stores, label)) for label in labels}
        if not (anchor.before or anchor.after):
            anchor = _surrounded(texts, anchor)
        place = _place({label: _bare(text) for label, text in texts.items()}, anchor)
        if place is None:
            raise InvalidInput("These words do not stand in the text any more; select them again.")
        number = stores.comments.add(stores.nodes.by_label(place).key, anchor, said)
        if is_order:
            stores.comments.settle(number, CommentState.WAITING)
        return number


def comments_at(stores: Stores, labels: list[str]) -> list[CommentView]:
    """Return the open comments at some units, each with whether its words still stand there."""
    found = stores.comments.of_nodes([stores.nodes.by_label(label).key for label in labels])
    proses = {label: _prose(stores, label) for label in {one.label for one in found}}
    return [_sight(one, proses[one.label], stores) for one in found]


def comment_view(stores: Stores, number: int) -> CommentView:
    """Return one comment.

    Raises:
        EntryNotFound: There is none of that number.
    """
    comment = stores.comments.get(number)
    return _sight(comment, _prose(stores, comment.label), stores)


def all_comments(stores: Stores) -> list[CommentView]:
    """Return the open comments of a book in reading order, also those at units that others have replaced since."""
    sights = [_sight(one, _prose(stores, one.label), stores) for one in stores.comments.open()]
    return sorted(sights, key=lambda sight: (order_of(sight.comment.label), sight.comment.id))


def lay_aside(stores: Stores, number: int) -> Comment:
    """Lay a comment aside, so that it is listed no more; return it. What of it waits for a model is taken back.

    Raises:
        EntryNotFound: There is none of that number, or it is laid aside already.
    """
    comment = stores.comments.get(number)
    if comment.state is CommentState.DONE:
        raise EntryNotFound(f"The note {number} is laid aside already.")
    waiting = stores.edits.waiting_for(f"note/{number}")
    if waiting is not None:
        stores.edits.settle(waiting.id, EditState.WITHDRAWN)
    stores.comments.settle(comment.id, CommentState.DONE, comment.seen)
    return comment


def _sight(comment: Comment, prose: Document | None, stores: Stores) -> CommentView:
    queued = stores.edits.latest_for(f"note/{comment.id}")
    return CommentView(comment, _now(_plain_prose(prose), comment.anchor), prose.version if prose else 0, queued)


def _prose(stores: Stores, label: str) -> Document | None:
    node = node_at(label, stores)
    return stores.documents.current(node.key, DocumentKind.PROSE) if node else None


def _plain_prose(prose: Document | None) -> str:
    return without_emphasis(prose.text) if prose else ""


def _whole(anchor: Anchor) -> Anchor:
    quote = _flat(plain(anchor.quote))
    if not quote or len(quote) > LONGEST_QUOTE:
        raise InvalidInput(f"Say which words of the text the note is about, at most {LONGEST_QUOTE:,} characters.")
    before, after = _flat(plain(anchor.before)), _flat(plain(anchor.after))
    return Anchor(quote=quote, before=before[-LONGEST_CONTEXT:], after=after[:LONGEST_CONTEXT])


def _surrounded(texts: dict[str, str], anchor: Anchor) -> Anchor:
    """Return a quotation with what stands around it; it has to stand in one place alone."""
    wanted = _bare(anchor.quote)
    wherever = re.compile(f"(?={re.escape(wanted)})")  # also where one begins within another
    found = [(text, match.start()) for text in texts.values() for match in wherever.finditer(_bare(text))]
    if len(found) > 1:
        raise InvalidInput(f"“{anchor.quote}” stands there {len(found)} times; quote more of what stands around it.")
    if not found:
        raise InvalidInput(f"“{anchor.quote}” does not stand in the text as it is now.")
    text, start = found[0]
    letters = _letters(text)
    first, last = letters[start], letters[start + len(wanted) - 1]
    before, after = _flat(text[max(first - _AROUND, 0) : first]), _flat(text[last + 1 : last + 1 + _AROUND])
    return Anchor(quote=anchor.quote, before=before, after=after)


def _place(texts: dict[str, str], anchor: Anchor) -> str | None:
    """Return which text holds the words: first with all that stands around them, then with one side, then alone."""
    around = (anchor.before + anchor.quote + anchor.after, anchor.before + anchor.quote, anchor.quote + anchor.after)
    sought = map(_bare, (*around, anchor.quote))
    return next((label for words in sought for label, text in texts.items() if words in text), None)


def _now(text: str, anchor: Anchor) -> str:
    """Return what stands today where a passage stood; other words are found between what stood around it."""
    bare = _bare(text)
    if _place({"": bare}, anchor) is not None:
        return anchor.quote
    before, after = _bare(anchor.before)[-_NEAR:], _bare(anchor.after)[:_NEAR]
    start = bare.find(before) + len(before) if before and before in bare else -1
    end = bare.find(after, start) if after and start >= 0 else -1
    times, more = _GROWN
    if end <= start or end - start > times * len(_bare(anchor.quote)) + more:
        return ""
    letters = _letters(text)
    return _flat(text[letters[start] : letters[end - 1] + 1])


def _flat(text: str) -> str:
    return " ".join(text.split())


def _letters(text: str) -> list[int]:
    """Return where in a text each letter stands that its bare form has."""
    return [place for place, letter in enumerate(text) if not letter.isspace() and letter != "*"]


def _bare(text: str) -> str:
    """Return a text without blanks and marks of emphasis: a selection has its own of both."""
    return "".join(text.split()).replace("*", "")
