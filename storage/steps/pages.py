"""The journal as a person leafs through it: page by page within a filter, and what hours and chapters have cost."""

from dataclasses import dataclass

from sqlalchemy import Integer, cast, func, or_, select

from bookwright.models.step import Failure
from bookwright.storage.repositories import Repository
from bookwright.storage.steps.queries import IS_OWN, StepLine, lines_query, no_step
from bookwright.storage.tables import nodes, steps


@dataclass(frozen=True)
class StepFilter:
    """Which steps a person wants to see."""

    activity: str = ""
    """Empty for all."""
    is_failed: bool = False
    """Only attempts that were no result."""


class StepPages(Repository):
    """The journal of one book, leafed through; `NodeNotFound` is raised for a step that it has not."""

    def page(
        self, wanted: StepFilter, *, before: int | None = None, after: int | None = None, limit: int = 60
    ) -> list[StepLine]:
        """Return steps within a filter, newest first: those before a step id, or the nearest ones after it."""
        query = lines_query(self._book)
        if wanted.activity:
            query = query.where(steps.c.activity == wanted.activity)
        if wanted.is_failed:
            query = query.where(steps.c.failure.is_not(None), steps.c.failure != Failure.TOOL_USE.value)
        if before is not None:
            query = query.where(steps.c.id < before)
        order = steps.c.id.desc()
        if after is not None:
            query, order = query.where(steps.c.id > after), steps.c.id.asc()
        rows = self._connection.execute(query.order_by(order).limit(limit)).all()
        found = [StepLine(**row._mapping) for row in rows]
        return found if after is None else found[::-1]

    def line(self, step: int) -> StepLine:
        """Return one recorded attempt as a line."""
        row = self._connection.execute(lines_query(self._book).where(steps.c.id == step)).one_or_none()
        if row is None:
            raise no_step(self._book, step)
        return StepLine(**row._mapping)

    def by_hour(self) -> list[int]:
        """Return what each hour with calls in it has cost, in millionths of a dollar, in order."""
        hour = cast(steps.c.recorded_at / 3_600, Integer).label("hour")
        query = select(hour, func.coalesce(func.sum(steps.c.cost), 0)).where(steps.c.book == self._book, IS_OWN)
        return [int(micros) for _, micros in self._connection.execute(query.group_by(hour).order_by(hour))]

    def cost_below(self, label: str) -> int:
        """Return what a node and all below it has cost, in millionths of a dollar."""
        below = or_(nodes.c.label == label, nodes.c.label.startswith(f"{label}.", autoescape=True))
        query = select(func.coalesce(func.sum(steps.c.cost), 0)).join(nodes, nodes.c.key == steps.c.node)
        return int(self._connection.execute(query.where(steps.c.book == self._book, below, IS_OWN)).scalar_one())
