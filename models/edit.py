"""What an author wants changed of a book, or remarks on it: words of a text, a record, the order, a passage."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.frozen import FrozenModel

LONGEST_QUOTE, LONGEST_CONTEXT, LONGEST_WORDS = 2_000, 80, 4_000


class CommentState(StrEnum):
    """What became of a comment."""

    OPEN = "open"
    WAITING = "waiting"
    """An order for the next revision."""
    ORDERED = "ordered"
    """A model was told to see to it."""
    DONE = "done"
    """Its author has laid it aside."""


class Anchor(FrozenModel):
    """Where a comment stands, by the words themselves: other words before them do not move it away."""

    quote: str
    before: str = ""
    after: str = ""


class Comment(FrozenModel):
    """A comment on a passage of a unit's text: a note to oneself until it becomes an order to a model."""

    id: int
    label: str
    """Of the unit that holds the text."""
    anchor: Anchor
    words: str
    state: CommentState
    seen: int = 0
    """The version of the text for which it was ordered; 0 before."""
    created_at: float


BRIEF = "brief"
"""What is changed where it is the order of the book."""


class EditState(StrEnum):
    """What became of an edit."""

    WAITING = "waiting"
    TAKEN = "taken"
    REFUSED = "refused"
    """Something else stands there by now, or it cannot be so; its words are kept."""
    REPLACED = "replaced"
    """Its author saved again before it was taken in."""
    WITHDRAWN = "withdrawn"
    """Its author took it back before it was taken in."""


class TextEdit(FrozenModel):
    """Words that an author wants in the place of a document's."""

    of: Literal["text"] = "text"
    label: str
    kind: DocumentKind | None = None
    """None for the one that the node is for."""
    text: str
    seen: int | None = None
    """The version that the author had before them; None takes whatever stands."""

    @property
    def target(self) -> str:
        """What is changed."""
        return f"text/{self.label}/{self.kind or ''}"


class _WholeRecord(FrozenModel):
    of: str
    kind: RecordKind
    slug: str
    record: dict[str, Any]
    """The record as a whole."""

    @property
    def target(self) -> str:
        """What is changed."""
        return f"record/{self.kind}/{self.slug}"


class RecordEdit(_WholeRecord):
    """A record of the codex as an author wants it."""

    of: Literal["record"] = "record"
    seen: int


class NewRecordEdit(_WholeRecord):
    """A record that an author adds to the codex."""

    of: Literal["new"] = "new"


class SuggestionEdit(FrozenModel):
    """What an author says of a change to a record that a reading of the pages suggests."""

    of: Literal["suggestion"] = "suggestion"
    number: int
    slug: str
    is_taken: bool

    @property
    def target(self) -> str:
        """What is changed."""
        return f"suggestion/{self.number}"


class BriefEdit(FrozenModel):
    """The order of a book as an author wants it."""

    of: Literal["brief"] = "brief"
    brief: dict[str, Any]
    """The brief as a whole."""
    seen: str
    """What stands for the brief that the author had before them."""

    @property
    def target(self) -> str:
        """What is changed."""
        return BRIEF


class NoteEdit(FrozenModel):
    """A text that a model is to change by an author's note; its bill was confirmed."""

    of: Literal["note"] = "note"
    comment: int
    label: str
    kind: DocumentKind
    note: str
    seen: int

    @property
    def target(self) -> str:
        """What is changed."""
        return f"note/{self.comment}"


PlainEdit = TextEdit | RecordEdit | NewRecordEdit | SuggestionEdit | BriefEdit
"""What is made without asking a model."""

AuthorEdit = PlainEdit | NoteEdit


class QueuedEdit(FrozenModel):
    """An edit in the queue of a book, or what became of it."""

    id: int
    edit: Annotated[AuthorEdit, Field(discriminator="of")]
    state: EditState
    outcome: str = ""
    """Why it was refused; empty otherwise."""
    created_at: float
    settled_at: float | None = None
