"""Versioned texts that came of steps, and what each rested on."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class DocumentKind(StrEnum):
    """What a document is."""

    DESIGN = "design"
    FINDINGS = "findings"
    PROSE = "prose"
    SUMMARY = "summary"
    REVIEW = "review"
    BOOK_DESIGN = "book_design"
    GLOBAL_STATE = "global_state"
    WRITE_PLAN = "write_plan"
    BLURB = "blurb"
    QUESTIONS = "questions"
    """What a unit needed to know of the book so far, one question a line; asked of the index, shown to nobody."""

    QUALITY = "quality"
    """A `QualityReport` of a unit."""

    @property
    def is_running(self) -> bool:
        """True for the two documents that maintainers keep over the whole book."""
        return self in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE)


class Document(BaseModel):
    """One version of one document. The newest version of a node's kind is its current one."""

    model_config = ConfigDict(frozen=True)

    id: int
    book: str
    node: int
    kind: DocumentKind
    version: int = 1
    text_hash: str
    length: int
    """In the book's unit."""
    text: str = ""
    """Filled where it was asked for."""
    data_hash: str | None = None
    """Under which its structure is kept; None where it is only text."""


class NewDocument(BaseModel):
    """A document that a step is about to leave behind."""

    model_config = ConfigDict(frozen=True)

    node: int
    kind: DocumentKind
    text: str
    data: str = ""
    """The same as JSON, where it has a structure; empty where it is only text."""
    inputs: tuple[int, ...] = ()
    """Ids of the documents whose text stood in the prompt that this one came of."""
