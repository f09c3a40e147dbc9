"""What an author wants changed of a book: words in the place of a text, or a record of the codex."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind


class EditState(StrEnum):
    """What became of an edit."""

    WAITING = "waiting"
    TAKEN = "taken"
    REFUSED = "refused"
    """Something else stands there by now, or it cannot be so; its words are kept."""
    REPLACED = "replaced"
    """Its author saved again before it was taken in."""


class TextEdit(BaseModel):
    """Words that an author wants in the place of a document's."""

    model_config = ConfigDict(frozen=True)

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


class RecordEdit(BaseModel):
    """A record of the codex as an author wants it."""

    model_config = ConfigDict(frozen=True)

    of: Literal["record"] = "record"
    kind: RecordKind
    slug: str
    record: dict[str, Any]
    """The record as a whole."""
    seen: int

    @property
    def target(self) -> str:
        """What is changed."""
        return f"record/{self.kind}/{self.slug}"


AuthorEdit = Annotated[TextEdit | RecordEdit, Field(discriminator="of")]
"""Either of them."""


class QueuedEdit(BaseModel):
    """An edit in the queue of a book, or what became of it."""

    model_config = ConfigDict(frozen=True)

    id: int
    edit: AuthorEdit
    state: EditState
    outcome: str = ""
    """Why it was refused; empty otherwise."""
    created_at: float
    settled_at: float | None = None
