"""Gates of one book: opened by its worker, decided by a person, settled by the worker again."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, or_, select, update

from bookwright.models.book import BookState
from bookwright.models.errors import GateDecided, GateNotFound
from bookwright.models.gate import FallbackHistory, Gate, GateKind, GateState, Ruling
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import books, gates, nodes
from bookwright.storage.tree.reading_order import read_names

_GATES = select(gates, nodes.c.label, nodes.c.title).join(nodes, nodes.c.key == gates.c.node)
_OF_BOOK = Prepared(_GATES.where(gates.c.book == bindparam("book")).order_by(gates.c.id))
_IS_WAITING = gates.c.state == GateState.WAITING.value
_IS_REJECTED = gates.c.state == GateState.REJECTED.value


class GateRepository(Repository):
    """The gates of one book in one transaction; `GateNotFound` is raised for a number that it has not."""

    def open(self, node: TaskNode, kind: GateKind, number: int = 1, history: FallbackHistory | None = None) -> None:
        """Open a gate at a node as it stands; one that is there stays as it is."""
        if self.find(node, kind, number) is not None:
            return
        refusals = [refusal.model_dump() for refusal in history.refusals] if history else []
        self._connection.execute(
            insert(gates).values(
                book=self._book, node=node.key, revision=node.revision, kind=kind.value, number=number,
                state=GateState.WAITING.value, draft=history.draft if history else "", is_settled=False,
                refusals=json.dumps(refusals, ensure_ascii=False), created_at=database_now(),
            )
        )  # fmt: skip

    def find(self, node: TaskNode, kind: GateKind, number: int = 1) -> Gate | None:
        """Return the gate of a kind at this revision of a node."""
        at_node = (gates.c.node == node.key, gates.c.revision == node.revision)
        return self._maybe(_GATES.where(*at_node, gates.c.kind == kind.value, gates.c.number == number))

    def get(self, identity: int) -> Gate:
        """Return one gate."""
        found = self._maybe(_GATES.where(gates.c.book == self._book, gates.c.id == identity))
        if found is None:
            raise GateNotFound(
                f"book {self._book!r} has no gate {identity}; `bookwright gates {self._book}` lists them"
            )
        return found

    def all(self) -> list[Gate]:
        """Return every gate of the book, oldest first."""
        return _named(self._connection, _OF_BOOK.execute(self._connection, {"book": self._book}))

    def waiting(self) -> list[Gate]:
        """Return the gates that wait for a decision, oldest first."""
        return self._list(_GATES.where(gates.c.book == self._book, gates.c.is_settled.is_(False), _IS_WAITING))

    def unsettled(self) -> list[Gate]:
        """Return the gates that wait, and those whose rejection is yet to be carried out; oldest first."""
        is_open = or_(_IS_WAITING, _IS_REJECTED)
        return self._list(_GATES.where(gates.c.book == self._book, gates.c.is_settled.is_(False), is_open))

    def is_waiting(self, identity: int) -> bool:
        """True until somebody decides."""
        found = self._connection.execute(select(gates.c.id).where(gates.c.id == identity, _IS_WAITING))
        return found.first() is not None

    def rejected_work(self, node: TaskNode, *kinds: GateKind) -> str:
        """Return what was rejected of a node, as it was kept; empty where the last rejection was of another kind."""
        found = self._connection.execute(
            select(gates.c.kind, gates.c.draft)
            .where(gates.c.node == node.key, gates.c.kind != GateKind.HUMAN_FALLBACK.value)
            .where(_IS_REJECTED, gates.c.is_settled.is_(True))
            .order_by(gates.c.id.desc())
            .limit(1)
        ).one_or_none()
        return found.draft if found is not None and found.kind in kinds else ""

    def is_rejected_since(self, node: TaskNode, moment: float) -> bool:
        """True if work on a node was rejected after a moment, in seconds of the database's clock."""
        since = select(gates.c.id).where(gates.c.node == node.key, _IS_REJECTED, gates.c.decided_at > moment)
        return self._connection.execute(since.limit(1)).first() is not None

    def orders(self, node: TaskNode) -> tuple[str, ...]:
        """Return the notes under which work on a node was rejected and is done again, oldest first."""
        found = self._connection.execute(
            select(gates.c.note)
            .where(gates.c.node == node.key, gates.c.kind != GateKind.HUMAN_FALLBACK.value)
            .where(_IS_REJECTED, gates.c.is_settled.is_(True), gates.c.revision < node.revision, gates.c.note != "")
            .order_by(gates.c.id)
        )
        return tuple(found.scalars())

    def decide(self, identity: int, ruling: Ruling) -> Gate:
        """Decide, if nobody has; the book may be held meanwhile.

        Raises:
            GateDecided: Somebody has decided before; that stands.
        """
        # Whoever leaves the book at this gate does so before or after, never between.
        self._connection.execute(select(books.c.id).where(books.c.id == self._book).with_for_update())
        gate = self.get(identity)
        is_settled = ruling.is_approved or gate.kind is GateKind.HUMAN_FALLBACK
        changed = self._connection.execute(
            update(gates)
            .where(gates.c.id == identity, _IS_WAITING)
            .values(
                state=ruling.state.value, note=ruling.note, text=ruling.text, decider=ruling.by.value,
                decided_at=database_now(), is_settled=is_settled,
            )
        )  # fmt: skip
        found = self.get(identity)
        if not changed.rowcount:
            raise GateDecided(f"{found.name}, was {found.state} already; the first decision stands")
        self.pass_if_decided(identity)
        return found

    def pass_if_decided(self, identity: int) -> None:
        """Let a book that waits at a gate only rest, once that is decided."""
        gate = self.get(identity)
        if not gate.is_waiting:
            self._connection.execute(
                update(books)
                .where(books.c.id == self._book, books.c.state == BookState.WAITING.value)
                .values(
                    state=BookState.PAUSED.value, updated_at=database_now(),
                    reason=f"{gate.name}, was {gate.state}", advice=f"`bookwright resume {gate.book}` goes on",
                )
            )  # fmt: skip

    def settle(self, gate: Gate, work: str) -> None:
        """Note that a rejection was carried out, and what was rejected."""
        self._connection.execute(update(gates).where(gates.c.id == gate.id).values(is_settled=True, draft=work))

    def note_told(self, identity: int, failure: str) -> None:
        """Note that the webhook has heard of a gate, or why it has not."""
        told_at = gates.c.told_at if failure else database_now()
        self._connection.execute(update(gates).where(gates.c.id == identity).values(told_at=told_at, notice=failure))

    def _maybe(self, query: Select[Any]) -> Gate | None:
        return next(iter(self._list(query)), None)

    def _list(self, query: Select[Any]) -> list[Gate]:
        return _named(self._connection, self._connection.execute(query.order_by(gates.c.id)).all())


def waiting_gates(connection: Connection) -> list[Gate]:
    """Return the gates of all books that wait for a decision, oldest first; of books that are put away, too."""
    waiting = _GATES.where(gates.c.is_settled.is_(False), _IS_WAITING).order_by(gates.c.id)
    return _named(connection, connection.execute(waiting).all())


def _named(connection: Connection, rows: Sequence[Any]) -> list[Gate]:
    """The gates of some rows, each with its node's name as verbs take it."""
    names = {book: read_names(connection, book) for book in dict.fromkeys(row.book for row in rows)}
    places = [names[row.book].name_with(row.label, row.title) for row in rows]
    return [
        Gate.model_validate(row._asdict() | {"refusals": json.loads(row.refusals), "by": row.decider, "place": place})
        for row, place in zip(rows, places, strict=True)
    ]
