"""The journal: every question that was asked of a model, with answer and bill; and asking one again, edited."""

from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.asking_again import again_bill, ask_again, other_answers
from bookwright.app.node_lookup import title_of
from bookwright.exports.markup import clean
from bookwright.models.model_name import ROLES
from bookwright.models.step import Activity
from bookwright.storage.steps.pages import StepFilter
from bookwright.storage.steps.queries import NO_LONGER_KEPT
from bookwright.studio.pages import BookRequest, Fields, ThisBook
from bookwright.studio.state import Job

router = APIRouter()

_SHOWN = 60


@router.get("/books/{book}/journal")
def journal(book: ThisBook, activity: str = "", failed: bool = False, before: int | None = None) -> HTMLResponse:
    """List the newest steps, or those before one."""
    wanted = _filter(activity, failed)
    with book.read() as stores:
        lines = stores.step_pages.page(wanted, before=before, limit=_SHOWN + 1)
        names = {line.label: title_of(stores.nodes.by_label(line.label)) for line in lines}
    return book.page(
        "journal.html.j2", "journal", lines=lines[:_SHOWN], names=names, activity=activity, failed=failed,
        activities=list(Activity), older=lines[_SHOWN - 1].id if len(lines) > _SHOWN else None,
        query=_query(activity, failed),
    )  # fmt: skip


@router.get("/books/{book}/journal/{step}")
def one_step(book: ThisBook, step: int, activity: str = "", failed: bool = False) -> HTMLResponse:
    """Show one step with what was asked and answered, and the way to its neighbours within the filter."""
    wanted = _filter(activity, failed)
    with book.read() as stores:
        line = stores.step_pages.line(step)
        older = stores.step_pages.page(wanted, before=step, limit=1)
        newer = stores.step_pages.page(wanted, after=step, limit=1)
        unit = title_of(stores.nodes.by_label(line.label))
        blocks = [clean(block) for block in stores.steps.prompt(step)]
        reply = clean(stores.steps.reply(step))
        others = [(other, clean(text)) for other, text in other_answers(stores, step)]
    return book.page(
        "step.html.j2", "journal", line=line, unit=unit, blocks=blocks, reply=reply, others=others,
        can_be_asked=line.role in ROLES and bool(blocks) and NO_LONGER_KEPT not in blocks,
        previous=older[0].id if older else None, next=newer[0].id if newer else None, query=_query(activity, failed),
    )  # fmt: skip


@router.post("/books/{book}/journal/{step}/again")
def bill(book: ThisBook, step: int, fields: Fields) -> HTMLResponse:
    """Return what asking again takes; nothing is asked by that."""
    wanted = again_bill(book.opened, step, fields.get("words", ""))
    return book.page("again_bill.html.j2", "journal", bill=wanted)


@router.post("/books/{book}/journal/{step}/again/ask")
def ask(book: ThisBook, step: int, fields: Fields) -> HTMLResponse:
    """Begin to ask, if the bill is the one that was shown."""
    wanted = again_bill(book.opened, step, fields.get("words", ""))
    wanted.check(fields.get("bill", ""))
    return _answer(book, step, book.begin(lambda opened: ask_again(opened, wanted)))


@router.get("/books/{book}/journal/{step}/again/{number}")
def answer(book: ThisBook, step: int, number: int) -> HTMLResponse:
    """Return the answer beside the old one, once it is there."""
    return _answer(book, step, book.studio.jobs.get(number, "This answer was forgotten; it stands in the journal."))


def _filter(activity: str, failed: bool) -> StepFilter:
    return StepFilter(activity if activity in tuple(Activity) else "", failed)


def _query(activity: str, failed: bool) -> str:
    chosen = {"activity": activity, "failed": "1" if failed else ""}
    told = urlencode({name: value for name, value in chosen.items() if value})
    return f"?{told}" if told else ""


def _answer(book: BookRequest, step: int, job: Job) -> HTMLResponse:
    with book.read() as stores:
        old = clean(stores.steps.reply(step))
    return book.page("again_answer.html.j2", "journal", job=job, step=step, old=old)
