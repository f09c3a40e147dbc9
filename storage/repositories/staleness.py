"""What documents rest on: which versions stood in their prompts, and which state of the codex was known."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from bookwright.models.document import CodexUse, Document, DocumentKind, DocumentOrigin
from bookwright.models.staleness import UNREAD, DependencyGraph, Rewording, StaleDocument, Version, replacement
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.storage.branches.lineage import inputs, uses, words_of
from bookwright.storage.engine.prepared import batches
from bookwright.storage.repositories import Repository
from bookwright.storage.repositories.document_statements import CUT, KNOWN
from bookwright.storage.repositories.texts import TextStore
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, codex_uses, documents, nodes, steps

Rewordings = Mapping[int, tuple[Rewording, ...]]

_VERSIONS = select(
    documents.c.id, documents.c.node, nodes.c.label, documents.c.kind, documents.c.version,
    words_of(documents.c.text_hash), documents.c.origin, documents.c.step,
).join(nodes, nodes.c.key == documents.c.node).where(IS_LIVING)  # fmt: skip
_base = documents.alias("base")
_IS_BASE = and_(_base.c.node == documents.c.node, _base.c.kind == documents.c.kind, _base.c.version == documents.c.base)
_maker = steps.alias("maker")
_AT_NODE = and_(steps.c.book == _maker.c.book, steps.c.node == _maker.c.node)
_AT_SAME_NODE = and_(_AT_NODE, steps.c.revision == _maker.c.revision)
_PROSE_STEPS = (Activity.WRITE.value, Activity.REVIEW.value)
_IN_ROUNDS = or_(
    steps.c.round == _maker.c.round, and_(_maker.c.round < AMENDING_ROUNDS, steps.c.round < AMENDING_ROUNDS)
)
"""An accepted text may have been improved in a round of its own; what amended it was done in one round alone."""
_FOR_PROSE = and_(steps.c.activity.in_(_PROSE_STEPS), _maker.c.activity.in_(_PROSE_STEPS))
_READ_AFTER = and_(_maker.c.round >= AMENDING_ROUNDS, steps.c.id > _maker.c.id)
_IS_BEHIND = or_(
    and_(_AT_SAME_NODE, steps.c.round == _maker.c.round, steps.c.activity == _maker.c.activity),
    and_(_AT_NODE, _FOR_PROSE, or_(and_(_AT_SAME_NODE, _IN_ROUNDS), _READ_AFTER)),
)
"""The calls of a step's own activity; of prose all that wrote it, read it and put it right."""

_AS_BEFORE = {DocumentOrigin.REPAIR, DocumentOrigin.RESTORE}
"""Origins of versions that are made anew as the version before them was."""
_REVISED = {*DocumentOrigin} - {DocumentOrigin.STEP}
"""Those of all versions of a prose that no writing of it has made."""


@dataclass(frozen=True)
class MakingStep:
    """One call of the activity that a document came of."""

    id: int
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
        resting = self._some((key for key in found if key not in known), IS_CURRENT)
        return DependencyGraph([*several, *resting], pairs, rewordings).direct()

    def resting_on(self, document: Document) -> list[Version]:
        """Return the current documents that other words of one make stale, or leave so, in reading order."""
        versions = self._versions(documents.c.node == document.node, documents.c.kind == document.kind.value)
        other = replace(versions[-1], version=document.version + 1, text_hash="", origin=DocumentOrigin.AUTHOR)
        touched = (old.id for old in versions if replacement(old, [*versions, other]))
        found = self._some((key for key, _ in self._inputs(touched)), IS_CURRENT)
        resting = (one for one in found if one.kind not in UNREAD and one.slot != other.slot)
        return sorted(resting, key=lambda one: one.place)

    def inputs_of(self, document: int) -> list[Version]:
        """Return the versions that stood in the prompts which a version came of, in reading order."""
        query = select(inputs.c.input).where(inputs.c.document == document)
        keys = self._connection.execute(query).scalars().all()
        return sorted(self._some(keys), key=lambda one: one.place)

    def calls_behind(self, made: Iterable[Version | Document], is_anew: bool = False) -> dict[int, list[MakingStep]]:
        """Return all calls of the activities that some documents came of, by their ids; `is_anew` as for a refresh."""
        found: dict[int, list[MakingStep]] = {}
        makers = self._makers(made, is_anew)
        for some in batches(sorted(set(makers.values()))):
            query = select(_maker.c.id.label("maker"), steps).join(steps, _IS_BEHIND).where(_maker.c.id.in_(some))
            for row in self._connection.execute(query.order_by(steps.c.id)):
                call = MakingStep(row.id, row.failure is None, row.input_tokens, row.output_tokens, row.cost)
                found.setdefault(row.maker, []).append(call)
        return {document: found[maker] for document, maker in makers.items()}

    def _makers(self, made: Iterable[Version | Document], is_anew: bool) -> dict[int, int]:
        """Return the steps that documents came of; what was put right or taken up again came of what made it first.

        So does all prose that is to be written anew, however often it was revised.
        """
        query = select(documents.c.id, documents.c.step, documents.c.origin, _base.c.id.label("before"))
        query, listed = query.outerjoin(_base, _IS_BASE).where(documents.c.book == self._book), list(made)
        known: dict[int, Any] = {}
        found: dict[int, int] = {}
        for some in batches(sorted({document.node for document in listed})):
            known |= {row.id: row for row in self._connection.execute(query.where(documents.c.node.in_(some)))}
        for document in listed:
            row = known[document.id]
            passed = _REVISED if is_anew and document.kind is DocumentKind.PROSE else _AS_BEFORE
            while row.before and row.origin in passed:
                row = known[row.before]
            if step := row.step or known[document.id].step:  # what came with an import was written by no step
                found[document.id] = step
        return found

    def _versions(self, *conditions: ColumnElement[bool]) -> list[Version]:
        query = _VERSIONS.where(documents.c.book == self._book, *conditions).order_by(documents.c.id)
        return [
            Version(**row._asdict() | {"kind": DocumentKind(row.kind), "origin": DocumentOrigin(row.origin)})
            for row in self._connection.execute(query)
        ]

    def _some(self, keys: Iterable[int], *conditions: ColumnElement[bool]) -> Iterator[Version]:
        for some in batches(sorted(set(keys))):
            yield from self._versions(documents.c.id.in_(some), *conditions)

    def _inputs(self, of: Iterable[int]) -> Iterator[tuple[int, int]]:
        for some in batches(sorted(set(of))):
            query = select(uses.c.document, uses.c.input).where(uses.c.book == self._book, uses.c.input.in_(some))
            yield from ((row.document, row.input) for row in self._connection.execute(query))


_KINDS = (DocumentKind.DESIGN, DocumentKind.WRITERS_BRIEF, DocumentKind.PROSE)

_OF_ACTIVITY = or_(steps.c.activity == _maker.c.activity, _FOR_PROSE)
_IS_OF_MAKING = and_(_AT_SAME_NODE, _IN_ROUNDS, _OF_ACTIVITY, steps.c.id <= _maker.c.id)

_unit = nodes.alias("unit")
_IS_KNOWN = and_(codex_uses.c.document == documents.c.id, codex_uses.c.effect == KNOWN)
_DOCUMENTS = (
    select(
        documents.c.id, documents.c.node, nodes.c.label, func.coalesce(_unit.c.label, nodes.c.label).label("unit"),
        documents.c.kind, words_of(documents.c.text_hash), codex_uses.c.record.label("known"),
        _maker.c.id.label("maker"), _maker.c.recorded_at.label("made_at"),
    )
    .join(nodes, nodes.c.key == documents.c.node)
    .outerjoin(_unit, _unit.c.key == nodes.c.unit)
    .outerjoin(codex_uses, _IS_KNOWN)
    .outerjoin(_base, and_(documents.c.origin == DocumentOrigin.RESTORE.value, _IS_BASE))
    .outerjoin(_maker, _maker.c.id == func.coalesce(documents.c.step, _base.c.step))
    .where(
        IS_LIVING, IS_CURRENT,
        documents.c.kind.in_([kind.value for kind in _KINDS]), or_(_maker.c.id.is_not(None), codex_uses.c.record > 0),
    )
    .order_by(documents.c.id)
)  # fmt: skip


@dataclass(frozen=True)
class UnderCodex:
    """A design, a brief or a chapter's text that steps made; what an author wrote is left out."""

    id: int
    node: int
    label: str
    unit: str
    """The label of the unit that it belongs to; its own for a unit's document."""
    kind: DocumentKind
    text_hash: str
    known: int | None
    """The newest row of the codex that was known; None where nobody recorded it."""
    maker: int | None
    """The step that left it; of an earlier version that was taken up again, the step that left that one."""
    made_at: float | None


@dataclass(frozen=True)
class MakingCall:
    """A call of those that a document came of."""

    activity: Activity
    step: str
    blocks: tuple[str, ...]
    """Hashes of the blocks of its prompt, the system frame first."""


class CodexUseRepository(Repository):
    """The codex uses of the documents of one book, in one transaction."""

    def documents(self) -> list[UnderCodex]:
        """Return the current designs, briefs and chapters' texts, oldest first."""
        rows = self._connection.execute(_DOCUMENTS.where(documents.c.book == self._book))
        return [UnderCodex(**row._asdict() | {"kind": DocumentKind(row.kind)}) for row in rows]

    def calls_of(self, maker: int) -> list[MakingCall]:
        """Return the calls that a document came of, given the step that left it."""
        query = select(steps.c.activity, steps.c.step, steps.c.prompt).join(_maker, _IS_OF_MAKING)
        rows = self._connection.execute(query.where(_maker.c.id == maker).order_by(steps.c.id))
        return [MakingCall(Activity(row.activity), row.step, tuple(row.prompt.split())) for row in rows]

    def brief_of(self, document: int) -> str | None:
        """Return the writer's brief that a text was made from; None where it was made without one."""
        found = self._connection.execute(_inputs_of(document, DocumentKind.WRITERS_BRIEF).limit(1)).scalar_one_or_none()
        return None if found is None else TextStore(self._connection, self._book).get(found)

    def designs_of(self, document: int) -> list[str]:
        """Return the designs of its unit, or of units above, that a text was made from, oldest first."""
        hashes = self._connection.execute(_inputs_of(document, DocumentKind.DESIGN)).scalars().all()
        return list(TextStore(self._connection, self._book).get_many(hashes).values())

    def of(self, document: int) -> CodexUse | None:
        """Return the codex use of a document; None where none was recorded."""
        rows = self._connection.execute(select(codex_uses).where(codex_uses.c.document == document)).all()
        known = next((row.record for row in rows if row.effect == KNOWN), None)
        return None if known is None else CodexUse(known, tuple(row.record for row in rows if row.effect == CUT))


def _inputs_of(document: int, kind: DocumentKind) -> Select[Any]:
    """The hashes of the documents of a kind that one was made from, oldest first."""
    query = select(words_of(documents.c.text_hash)).join(inputs, inputs.c.input == documents.c.id)
    return query.where(inputs.c.document == document, documents.c.kind == kind.value).order_by(documents.c.id)
