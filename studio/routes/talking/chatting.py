"""Free talk with an agent about a book: its answer as it comes, kept with the book, never changing it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, StreamingResponse

from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.session import TurnKind
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.studio.book_request import ThisBook
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.workshop import Here

router = APIRouter()

_FORGOTTEN = "This answer was forgotten; the talk itself is kept."
_LOOK_SECONDS = 0.15
_MOST_LISTED, _MOST_WORDS = 30, 20_000
_MOST_USD, _USUAL_USD = 100.0, 0.5
_SPOKEN = (TurnKind.SAY, TurnKind.ANSWER)


@router.get("/books/{book}/talk")
def talk(book: ThisBook, session: str = "") -> HTMLResponse:
    """Show the page, with what was said in a talk of before."""
    from bookwright.app.talks.answering import AT_A_PAGE  # brings the agents

    settings = book.studio.settings
    # the name of each agent, what it is for, which model it would ask
    agents = [(one.name, one.about, settings.models.get(one.role) or settings.model) for one in AT_A_PAGE]
    with book.opened.storage.database.read() as connection:
        sessions = SessionRepository(connection)
        past = [one for one in sessions.all(book=book.id, limit=_MOST_LISTED) if one.initialized]
        chosen = next((one for one in past if one.id == session), None)
        turns = [turn for turn in sessions.history(session).turns if turn.kind in _SPOKEN] if chosen else []
    return book.page("talk.html.j2", "talk", agents=agents, past=past, chosen=chosen, turns=turns, usual_usd=_USUAL_USD)


@router.post("/books/{book}/chat")
def say(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Begin to have a message answered, for no more than was allowed."""
    from bookwright.app.talks.answering import AT_A_PAGE, Exchange, SpokenAnswer  # brings the agents
    from bookwright.app.talks.opening import SessionWish, open_talk

    words, usd = _words(fields), _usd(fields)
    if fields.get("who") not in {one.name for one in AT_A_PAGE}:
        raise InvalidInput("There is no agent of that name to talk to here.")
    settings = book.studio.settings
    wish = SessionWish(agent=fields["who"], book=book.id, session=fields.get("session") or None)
    exchange = Exchange(open_talk(wish, settings, book.opened.storage.database), words, usd)

    def work(tell: Callable[[str], None]) -> SpokenAnswer:
        with book.change() as changing:
            return exchange.hold(settings, changing.storage.database, tell)

    job = book.studio.talks.start(work, exchange.break_off)
    opening = exchange.opening
    return book.page(
        "chat_begun.html.j2", "talk", job=job, words=words, who=opening.member.name, session=opening.state.id
    )


@router.get("/books/{book}/chat/{number}/live")
async def live(here: Here, number: int) -> StreamingResponse:
    """Tell the words of an answer as they come, as server-sent events, until it has ended."""
    return StreamingResponse(_spoken(here.talks.get(number, _FORGOTTEN)), media_type="text/event-stream")


@router.get("/books/{book}/chat/{number}")
def answer(book: ThisBook, number: int) -> HTMLResponse:
    """Return an answer as it stands at its end."""
    return book.page("chat_answer.html.j2", "talk", job=book.studio.talks.get(number, _FORGOTTEN))


@router.post("/books/{book}/chat/{number}/stop")
def stop(here: Here, number: int) -> HTMLResponse:
    """Break an answer off; what had come is kept."""
    here.talks.get(number, _FORGOTTEN).stop()
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
