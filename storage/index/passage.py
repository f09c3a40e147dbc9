"""What the index holds: a passage of a document, where it stands in the tree, and its vector."""

from dataclasses import dataclass, field

from bookwright.models.document import DocumentKind
from bookwright.models.text.language import Language, detect_language
from bookwright.models.tree.place import order_of
from bookwright.storage.index.chunks import header
from bookwright.storage.index.embedding import Vectors

KINDS = (DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.SUMMARY, DocumentKind.PROSE)
"""What is indexed. Running documents always stand in the context. What happened is found by summaries, how it was
worded by the prose."""

PassageId = tuple[int, int]
"""Document id and chunk number from 0."""

Row = int
"""A passage's place in its table: grows with every passage, and is what the index's stamp counts."""


@dataclass(frozen=True)
class Passage:
    """A piece of a document, and where it stands in the tree."""

    text: str
    document: int
    chunk: int
    kind: DocumentKind
    node: int
    label: str
    level: str
    task_type: str
    title: str
    goal: str = field(repr=False)
    score: float = 0.0
    """Only its order among the answers to the same questions means anything."""

    @property
    def id(self) -> PassageId:
        """What names the passage."""
        return self.document, self.chunk

    @property
    def order(self) -> tuple[int, ...]:
        """Reading order of the node that the passage belongs to."""
        return order_of(self.label)

    @property
    def language(self) -> Language:
        """The language of the text itself, which need not be the book's."""
        return detect_language(self.text)

    @property
    def searchable(self) -> str:
        """What is embedded and compared: the text; before a design's or a finding's, what it is about.

        A summary names what it tells of, prose tells it, and a unit's goal is told by every passage of it alike.
        """
        if self.kind in (DocumentKind.SUMMARY, DocumentKind.PROSE):
            return self.text
        return f"{header(self.title, self.goal)}\n{self.text}"


@dataclass(frozen=True)
class NewPassage:
    """A passage about to be stored."""

    passage: Passage
    vector_hash: str


@dataclass(frozen=True)
class StoredVector:
    """A passage's place in the index: what Chroma is told about it."""

    row: Row
    passage: Passage
    vector: Vectors
    """Shape (dimension,)."""
