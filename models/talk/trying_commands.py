"""Commands of one who tries things out: branches, drafts of the same pages, notes at words."""

from typing import Literal

from pydantic import Field

from bookwright.models.frozen import StrictModel
from bookwright.models.story.candidates import MOST_CANDIDATES
from bookwright.models.talk.command_values import Name, Node, Words


class ForkBook(StrictModel):
    """A branch of the book."""

    verb: Literal["fork"]
    node: Node | None = None
    """From where on it is open again; all is shared if not given."""
    name: Name | None = None


class TellBranches(StrictModel):
    """The branches of the book."""

    verb: Literal["branches"]


class CompareBranch(StrictModel):
    """What differs between the book and another branch of it."""

    verb: Literal["compare"]
    branch: Name
    node: Node | None = None
    """The unit whose texts are wanted word by word."""


class TellCandidates(StrictModel):
    """The drafts of the same pages, and what readers said of them."""

    verb: Literal["candidates"]
    node: Node | None = None


class TakeCandidate(StrictModel):
    """Another draft becomes the text."""

    verb: Literal["candidates_take"]
    node: Node
    number: int = Field(ge=1, le=MOST_CANDIDATES)


class TellNotes(StrictModel):
    """The author's notes at words of the text."""

    verb: Literal["notes"]
    node: Node | None = None


class AddNote(StrictModel):
    """A note of the author's at words of a text."""

    verb: Literal["note_add"]
    node: Node
    at: Words
    """The words of the text that it is about."""
    words: Words
