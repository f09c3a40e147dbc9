"""What of one book is stale, read from the documents and their recorded inputs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, or_, select

from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.staleness import UNREAD, DependencyGraph, Rewording, StaleDocument, Version, replacement
from bookwright.models.step import Activity
from bookwright.storage.batches import batches
from bookwright.storage.branches.inputs import inputs, uses
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.repositories.base import Repository
from bookwright.storage.tables import documents, nodes, steps
from bookwright.storage.tables.conditions import IS_CURRENT, IS_LIVING

Rewordings = Mapping[int, tuple[Rewording, ...]]

_VERSIONS = select(
    documents.c.id, documents.c.node, nodes.c.label, documents.c.kind, documents.c.version,
    words_of(documents.c.text_hash), documents.c.origin, documents.c.step,
).join(nodes, nodes.c.key == documents.c.node).where(IS_LIVING)  # fmt: skip
_maker = steps.alias("maker")
_wrote_before = and_(_maker.c.activity == Activity.REVIEW.value, steps.c.activity == Activity.WRITE.value)
_BESIDE = and_(
    steps.c.book == _maker.c.book, steps.c.node == _maker.c.node, steps.c.revision == _maker.c.revision,
    steps.c.round == _maker.c.round, or_(steps.c.activity == _maker.c.activity, _wrote_before),
)  # fmt: skip
"""The calls of a step's own activity; a review may accept what an activity before it wrote."""


@dataclass(frozen=True)
class MakingStep:
    """One call of the activity that a document came of."""

    id: int
    activity: Activity
    is_standing: bool
    """False for an attempt that was no result."""
    input_tokens: int
    output_tokens: int
    cost: int | None
    """Millionths of a US dollar; None where no price was known."""


class StalenessRepository(Repository):
    """Looks for what is stale in one book in one transaction."""

    def all(self, rewordings: Rewordings | None = None) -> list[StaleDocument]:
        """Return everything that is stale, directly or not, in reading order; reads all recorded inputs.

        `rewordings` are what of the codex could have touched some documents, by their ids.
        """
        pairs = select(inputs.c.document, inputs.c.input).where(inputs.c.book == self._book)
        rows = self._connection.execute(pairs)
        return DependencyGraph(self._versions(), ((row.document, row.input) for row in rows), rewordings).stale()

    def direct(self, rewordings: Rewordings | None = None) -> list[StaleDocument]:
        """Return what is directly stale, in reading order; reads what was replaced and what rests on it, no more."""
        changed = select(documents.c.node).where(documents.c.book == self._book, documents.c.version > 1)
        several = self._versions(documents.c.node.in_(changed))
        slots: dict[object, list[Version]] = {}
        for version in several:
            slots.setdefault(version.slot, []).append(version)
        replaced = [old.id for versions in slots.values() for old in versions if replacement(old, versions)]
        pairs = list(self._inputs(replaced))
        known = {version.id for version in several}
        found = dict.fromkeys([*(document for document, _ in pairs), *(rewordings or {})])
        resting = self._some(key for key in found if key not in known)
        return DependencyGraph([*several, *resting], pairs, rewordings).direct()

    def resting_on(self, document: int) -> list[Version]:
        """Return the current documents that had a version in their prompts and may go stale, in reading order."""
        found = self._some(key for key, _ in self._inputs([document]))
        return sorted((one for one in found if one.kind not in UNREAD), key=lambda one: one.place)

    def inputs_of(self, document: int) -> list[Version]:
        """Return the versions that stood in the prompts which a version came of, in reading order."""
        query = select(inputs.c.input).where(inputs.c.document == document)
        keys = self._connection.execute(query).scalars().all()
        found = [one for some in batches(sorted(set(keys))) for one in self._versions(documents.c.id.in_(some))]
        return sorted(found, key=lambda one: one.place)

    def calls_behind(self, made_by: Iterable[int]) -> dict[int, list[MakingStep]]:
        """Return all calls of the activities that some steps belong to, by those steps."""
        found: dict[int, list[MakingStep]] = {}
        for some in batches(sorted(set(made_by))):
            rows = self._connection.execute(
                select(_maker.c.id.label("maker"), steps)
                .join(steps, _BESIDE)
                .where(_maker.c.id.in_(some))
                .order_by(steps.c.id)
            )
            for row in rows:
                step = MakingStep(
                    row.id, Activity(row.activity), row.failure is None, row.input_tokens, row.output_tokens, row.cost
                )
                found.setdefault(row.maker, []).append(step)
        return found

    def _versions(self, *conditions: ColumnElement[bool]) -> list[Version]:
        rows = self._connection.execute(
            _VERSIONS.where(documents.c.book == self._book, *conditions).order_by(documents.c.id)
        )
        return [
            Version(**row._asdict() | {"kind": DocumentKind(row.kind), "origin": DocumentOrigin(row.origin)})
            for row in rows
        ]

    def _some(self, keys: Iterable[int]) -> Iterator[Version]:
        for some in batches(sorted(set(keys))):
            yield from self._versions(documents.c.id.in_(some), IS_CURRENT)

    def _inputs(self, of: Iterable[int]) -> Iterator[tuple[int, int]]:
        for some in batches(sorted(set(of))):
            query = select(uses.c.document, uses.c.input).where(uses.c.book == self._book, uses.c.input.in_(some))
            yield from ((row.document, row.input) for row in self._connection.execute(query))
