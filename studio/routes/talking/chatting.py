"""Free talk with an agent about a book: its answer as it comes, kept with the book, never changing it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, StreamingResponse

from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.session import Session, Turn, TurnKind
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

_LOOK_SECONDS = 0.15
_MOST_LISTED, _MOST_WORDS = 30, 20_000
_MOST_USD, _USUAL_USD = 100.0, 0.5
_SPOKEN = (TurnKind.SAY, TurnKind.ANSWER)


@dataclass(frozen=True)
class TalkSight:
    """The talks of a book, and the one that is gone on with."""

    agents: list[tuple[str, str, str]]
    """Name of each agent, what it is for, which model it would ask."""
    past: list[Session]
    chosen: Session | None
    turns: list[Turn]
    usual_usd: float = _USUAL_USD


@router.get("/books/{book}/talk")
def talk(request: Request, here: Here, book: str, session: str = "") -> HTMLResponse:
    """Show the page, with what was said in a talk of before."""
    from bookwright.app.talks.answering import AT_A_PAGE  # brings the agents

    opened = here.look(book)
    settings = here.settings
    agents = [(one.name, one.about, settings.models.get(one.role) or settings.model) for one in AT_A_PAGE]
    with opened.storage.database.read() as connection:
        sessions = SessionRepository(connection)
        past = [one for one in sessions.all(book=book, limit=_MOST_LISTED) if one.initialized]
        chosen = next((one for one in past if one.id == session), None)
        turns = [turn for turn in sessions.history(session).turns if turn.kind in _SPOKEN] if chosen else []
    sight = TalkSight(agents, past, chosen, turns)
    return page(request, "talk.html.j2", crumb_of(opened, "talk"), sight=sight)


@router.post("/books/{book}/chat")
def say(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Begin to have a message answered, for no more than was allowed."""
    from bookwright.app.talks.answering import AT_A_PAGE, Exchange, SpokenAnswer  # brings the agents
    from bookwright.app.talks.opening import SessionWish, open_talk

    words, usd = _words(fields), _usd(fields)
    if fields.get("who") not in {one.name for one in AT_A_PAGE}:
        raise InvalidInput("There is no agent of that name to talk to here.")
    opened = here.look(book)
    database = opened.storage.database
    wish = SessionWish(agent=fields["who"], book=book, session=fields.get("session") or None)
    exchange = Exchange(open_talk(wish, here.settings, database), words, usd)

    def work(tell: Callable[[str], None]) -> SpokenAnswer:
        with here.change(book) as changing:
            return exchange.hold(here.settings, changing.storage.database, tell)

    job = here.talks.start(work, exchange.break_off)
    opening = exchange.opening
    return page(
        request, "chat_begun.html.j2", crumb_of(opened, "talk"), job=job, words=words, who=opening.member.name,
        session=opening.state.id,
    )  # fmt: skip


@router.get("/books/{book}/chat/{number}/live")
async def live(here: Here, number: int) -> StreamingResponse:
    """Tell the words of an answer as they come, as server-sent events, until it has ended."""
    return StreamingResponse(_spoken(_job(here, number)), media_type="text/event-stream")


@router.get("/books/{book}/chat/{number}")
def answer(request: Request, here: Here, book: str, number: int) -> HTMLResponse:
    """Return an answer as it stands at its end."""
    crumb = crumb_of(here.look(book), "talk")
    return page(request, "chat_answer.html.j2", crumb, job=_job(here, number))


@router.post("/books/{book}/chat/{number}/stop")
def stop(request: Request, here: Here, book: str, number: int) -> HTMLResponse:
    """Break an answer off; what had come is kept."""
    _job(here, number).stop()
    return HTMLResponse("")


async def _spoken(job: Job) -> AsyncIterator[str]:
    told = ""
    while not job.is_done:
        if job.line != told:
            told = job.line
            yield f"data: {json.dumps({'text': clean(told)})}\n\n"
        await asyncio.sleep(_LOOK_SECONDS)
    yield f"data: {json.dumps({'done': True})}\n\n"


def _words(fields: dict[str, str]) -> str:
    words = fields.get("words", "").strip()
    if not words or len(words) > _MOST_WORDS:
        raise InvalidInput("Say something, in no more than 20,000 characters.")
    return words


def _usd(fields: dict[str, str]) -> float:
    try:
        usd = float(fields.get("usd") or _USUAL_USD)
    except ValueError:
        usd = -1.0
    if not 0 <= usd <= _MOST_USD:
        raise InvalidInput("What an answer may cost is an amount of dollars from 0 to 100.")
    return usd


def _job(here: Workshop, number: int) -> Job:
    job = here.talks.get(number)
    if job is None:
        raise InvalidInput("This answer was forgotten; the talk itself is kept.")
    return job
