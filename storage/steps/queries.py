"""Looks into the journal: what was asked, what it cost, what failed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, case, func, or_, select

from bookwright.models.errors import NodeNotFound
from bookwright.models.step import AMENDING_ROUNDS, CODE, Activity, Failure, StepKey
from bookwright.models.tree.task import TaskNode
from bookwright.storage.branches.lineage import steps_of_lineage
from bookwright.storage.repositories import Repository
from bookwright.storage.repositories.texts import TextStore
from bookwright.storage.tables import nodes, steps

_PLANNING = (Activity.PLAN, Activity.JUDGE, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE)
_LEAVING_NOTHING = (Activity.CONDENSE, Activity.MAINTAIN, Activity.RECALL)
"""Activities of one step that may end without having done anything to the book."""
_BETWEEN_SECONDS = 60.0
"""The engine's own work between two calls takes no longer."""

IS_OWN = steps.c.lease_token > 0
"""False for what a branch has taken along of its origin's journal: nobody paid for it twice."""

NO_LONGER_KEPT = "(no longer kept)"
"""Stands in a prompt, or a card, for a text that retention let go of."""


@dataclass(frozen=True)
class AskedStep:
    """What an attempt was asked for, with which template, of whom."""

    id: int
    key: StepKey
    template: str
    model: str
    """`provider:model`; empty where none answered."""
    recorded_at: float
    is_of_older_version: bool
    """It was recorded by a version that stored no cards."""


@dataclass(frozen=True)
class StepLine:
    """One line of the journal, for people."""

    id: int
    label: str
    activity: str
    round: int
    step: str
    attempt: int
    failure: str | None
    detail: str
    role: str
    model: str
    template: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int | None
    """Millionths of a US dollar; None where no price was known."""
    duration_millis: int
    recorded_at: float

    @property
    def is_failed(self) -> bool:
        """True if it gave no result and was not asking for a tool either."""
        return self.failure is not None and Failure(self.failure).is_fault


@dataclass(frozen=True)
class RoleSum:
    """What one role has cost a book so far."""

    role: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int
    unpriced: int


def lines_query(book: str) -> Select[Any]:
    """Return the query of a book's journal as lines."""
    columns = [steps.c[name] for name in StepLine.__dataclass_fields__ if name != "label"]
    return select(nodes.c.label, *columns).join(nodes, nodes.c.key == steps.c.node).where(steps.c.book == book, IS_OWN)


class StepRepository(Repository):
    """The journal of one book, for reading; `NodeNotFound` is raised for a step that it has not."""

    def __init__(self, connection: Connection, book: str) -> None:
        super().__init__(connection, book)
        self._texts = TextStore(connection, book)

    def lines(self, label: str | None = None, after: int = 0, limit: int = 1_000) -> Iterator[StepLine]:
        """Yield recorded attempts after a step id, oldest first; of one node and below, or of all."""
        query = lines_query(self._book).where(steps.c.id > after)
        if label is not None:
            query = query.where(or_(nodes.c.label == label, nodes.c.label.startswith(f"{label}.", autoescape=True)))
        yield from self._lines(query.order_by(steps.c.id).limit(limit))

    def last(self, count: int, label: str | None = None, before: int | None = None) -> list[StepLine]:
        """Return the newest recorded attempts, oldest first: of one node or all, and of those before a step id."""
        query = lines_query(self._book)
        if label is not None:
            query = query.where(nodes.c.label == label)
        if before is not None:
            query = query.where(steps.c.id < before)
        return self._lines(query.order_by(steps.c.id.desc()).limit(count))[::-1]

    def marked(self, mark: str, limit: int) -> list[StepLine]:
        """Return the newest steps that stand and whose record begins with a mark, oldest first."""
        query = lines_query(self._book).where(
            steps.c.failure.is_(None), steps.c.detail.startswith(mark, autoescape=True)
        )
        return self._lines(query.order_by(steps.c.id.desc()).limit(limit))[::-1]

    def worked_seconds(self, after: int, until: int) -> float:
        """Return how long was worked on the attempts with ids in a range, the first end left out.

        From one record to the next, but not much longer than the call took: in between the book rested.
        """
        took = steps.c.duration_millis / 1_000.0
        since = steps.c.recorded_at - func.lag(steps.c.recorded_at).over(order_by=steps.c.id)
        limit = took + _BETWEEN_SECONDS
        worked = case((since.is_(None), took), (since < limit, since), else_=limit).label("worked")
        in_range = (steps.c.book == self._book, steps.c.id >= after, steps.c.id <= until, IS_OWN)
        rows = select(steps.c.id, worked).where(*in_range).subquery()
        total = select(func.sum(rows.c.worked)).where(rows.c.id > after)
        return float(self._connection.execute(total).scalar_one_or_none() or 0)

    def asked(self, step: int) -> AskedStep:
        """Return one recorded attempt."""
        query = select(steps).where(steps.c.id == step, steps_of_lineage(self._book))
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise no_step(self._book, step)
        key = StepKey(**{name: row._mapping[name] for name in StepKey.model_fields})
        return AskedStep(row.id, key, row.template, row.model, row.recorded_at, row.card is None)

    def prompt(self, step: int) -> list[str]:
        """Return the blocks of what was asked at a step, the system frame first."""
        return self._shown(self._column(step, "prompt"))

    def card(self, step: int) -> list[str]:
        """Return the parts of what the last block of a step's prompt was rendered from.

        Empty where that was no template of the walk, or an older version recorded the step.
        """
        query = select(steps.c.card).where(steps.c.id == step, steps_of_lineage(self._book))
        return self._shown(self._connection.execute(query).scalar_one_or_none() or "")

    def reply(self, step: int) -> str:
        """Return what was answered at a step."""
        return self._texts.get(self._column(step, "reply"))

    def answer(self, activity: Activity, step: str) -> str | None:
        """Return what a step of a name was last answered, if it was a result."""
        found = self._connection.execute(
            select(steps.c.reply)
            .where(steps_of_lineage(self._book), steps.c.activity == activity.value, steps.c.step == step)
            .where(steps.c.failure.is_(None))
            .order_by(steps.c.id.desc())
            .limit(1)
        ).scalar_one_or_none()
        return None if found is None else self._texts.get(found)

    def last_round(self, node: int, activity: Activity) -> int:
        """Return the highest round of an activity that is on record for a node, 0 if none is."""
        highest = select(func.max(steps.c.round)).where(
            steps.c.book == self._book, steps.c.node == node, steps.c.activity == activity.value
        )
        return int(self._connection.execute(highest).scalar_one_or_none() or 0)

    def begun_beside(self, key: StepKey) -> dict[str, float]:
        """Return the steps on record in the activity's round that a step belongs to, and when each was first tried."""
        first = select(steps.c.step, func.min(steps.c.recorded_at).label("first")).where(
            steps.c.book == self._book, steps.c.node == key.node, steps.c.revision == key.revision,
            steps.c.activity == key.activity.value, steps.c.round == key.round,
        )  # fmt: skip
        return {row.step: row.first for row in self._connection.execute(first.group_by(steps.c.step))}

    def is_under_way(self, node: TaskNode) -> bool:
        """True if the last thing done to a node as it stands is an activity of the walk with steps still to come.

        A change of what it made before is none: whoever began it goes on with it.
        """
        last = self._connection.execute(
            select(steps.c.has_move)
            .where(steps.c.book == self._book, steps.c.node == node.key, steps.c.revision == node.revision)
            .where(steps.c.activity.not_in([activity.value for activity in _LEAVING_NOTHING]))
            .where(or_(steps.c.round < AMENDING_ROUNDS, steps.c.activity == Activity.DIVIDE.value))
            .order_by(steps.c.id.desc())
            .limit(1)
        ).scalar_one_or_none()
        return last is False

    def has_answered(self, model: str) -> bool:
        """True if a model has given this book a result."""
        answered = select(steps.c.id).where(
            steps_of_lineage(self._book), steps.c.model == model, steps.c.failure.is_(None)
        )
        return self._connection.execute(answered.limit(1)).first() is not None

    def by_role(self) -> list[RoleSum]:
        """Return what each role and model has cost, dearest first."""
        rows = self._connection.execute(
            select(
                steps.c.role,
                steps.c.model,
                func.count().label("calls"),
                func.count(func.nullif(steps.c.failure, Failure.TOOL_USE.value)).label("failed"),
                *(func.sum(steps.c[name]).label(name) for name in ("input_tokens", "cached_tokens", "output_tokens")),
                func.coalesce(func.sum(steps.c.cost), 0).label("cost"),
                (func.count() - func.count(steps.c.cost)).label("unpriced"),
            )
            .where(steps.c.book == self._book, steps.c.model != CODE, IS_OWN)
            .group_by(steps.c.role, steps.c.model)
        )
        sums = [RoleSum(**{name: _number(value) for name, value in row._mapping.items()}) for row in rows]
        return sorted(sums, key=lambda item: (-item.cost, -item.input_tokens - item.output_tokens))

    def tokens_of_planning(self, unit: int) -> int:
        """Return what planning one unit has cost so far, its tasks' designs included."""
        served = select(nodes.c.key).where(nodes.c.unit == unit)
        total = select(func.sum(steps.c.input_tokens + steps.c.output_tokens)).where(
            steps.c.book == self._book,
            or_(steps.c.node == unit, steps.c.node.in_(served)),
            steps.c.activity.in_([activity.value for activity in _PLANNING]),
        )
        return int(self._connection.scalar(total) or 0)

    def _lines(self, query: Select[Any]) -> list[StepLine]:
        return [StepLine(**row._mapping) for row in self._connection.execute(query)]

    def _shown(self, hashes: str) -> list[str]:
        found = self._texts.get_many(hashes.split())
        return [found.get(key, NO_LONGER_KEPT) for key in hashes.split()]

    def _column(self, step: int, name: str) -> str:
        value = self._connection.scalar(select(steps.c[name]).where(steps.c.id == step, steps_of_lineage(self._book)))
        if value is None:
            raise no_step(self._book, step)
        return str(value)


def no_step(book: str, step: int) -> NodeNotFound:
    """Return the error of a step that is not there."""
    return NodeNotFound(f"book {book!r} has no step {step}; `bookwright log {book}` lists them")


def _number(value: Any) -> Any:
    return value if isinstance(value, str) else int(value)
