"""The journal: every question that was asked of a model, its answer and its bill."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.journal.asked_again import other_answers
from bookwright.exports.markup import clean
from bookwright.models.model_name import ROLES
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.pages import StepFilter
from bookwright.storage.steps.queries import NO_LONGER_KEPT, StepLine
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()

_SHOWN = 60


@dataclass(frozen=True)
class StepSight:
    """One step with what was asked and answered, and its neighbours within the filter."""

    line: StepLine
    unit: str
    blocks: Sequence[str]
    reply: str
    previous: int | None
    next: int | None
    others: list[tuple[StepLine, str]]
    """What was answered where it was asked again, with the steps that asked."""

    @property
    def can_be_asked(self) -> bool:
        """A model was asked, and the words are still there."""
        return self.line.role in ROLES and bool(self.blocks) and NO_LONGER_KEPT not in self.blocks


@router.get("/books/{book}/journal")
def journal(
    request: Request, here: Here, book: str, activity: str = "", failed: bool = False, before: int | None = None
) -> HTMLResponse:
    """List the newest steps, or those before one."""
    opened = here.look(book)
    wanted = _filter(activity, failed)
    with opened.storage.read() as stores:
        lines = stores.step_pages.page(wanted, before=before, limit=_SHOWN + 1)
        names = {line.label: _unit(stores.nodes.by_label(line.label)) for line in lines}
    return page(
        request, "journal.html.j2", crumb_of(opened, "journal"), lines=lines[:_SHOWN], names=names, activity=activity,
        failed=failed, activities=list(Activity), older=lines[_SHOWN - 1].id if len(lines) > _SHOWN else None,
        query=_query(activity, failed),
    )  # fmt: skip


@router.get("/books/{book}/journal/{step}")
def one_step(
    request: Request, here: Here, book: str, step: int, activity: str = "", failed: bool = False
) -> HTMLResponse:
    """Show one step."""
    opened = here.look(book)
    wanted = _filter(activity, failed)
    with opened.storage.read() as stores:
        line = stores.step_pages.line(step)
        older, newer = (
            stores.step_pages.page(wanted, before=step, limit=1),
            stores.step_pages.page(wanted, after=step, limit=1),
        )
        sight = StepSight(
            line, _unit(stores.nodes.by_label(line.label)), [clean(block) for block in stores.steps.prompt(step)],
            clean(stores.steps.reply(step)), older[0].id if older else None, newer[0].id if newer else None,
            [(other, clean(text)) for other, text in other_answers(stores, step)],
        )  # fmt: skip
    return page(request, "step.html.j2", crumb_of(opened, "journal"), sight=sight, query=_query(activity, failed))


def _filter(activity: str, failed: bool) -> StepFilter:
    return StepFilter(activity if activity in tuple(Activity) else "", failed)


def _query(activity: str, failed: bool) -> str:
    chosen = {"activity": activity, "failed": "1" if failed else ""}
    told = urlencode({name: value for name, value in chosen.items() if value})
    return f"?{told}" if told else ""


def _unit(node: TaskNode) -> str:
    return node.title or node.goal[:60]
