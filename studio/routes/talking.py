"""The page Talk: free talk with an agent, which never changes a book, and words that become one command."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, StreamingResponse

from bookwright.app.access import OpenBook
from bookwright.app.commands import Proposal, proposal_of, understand, words_of
from bookwright.app.orders.starting import environment_of, going_on_with
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.talk.command import Unclear
from bookwright.models.talk.session import TurnKind
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.studio.pages import Fields, ThisBook
from bookwright.studio.state import Job, ThisStudio

router = APIRouter()

_ANSWER_FORGOTTEN = "This answer was forgotten; the talk itself is kept."
_LOOK_SECONDS = 0.15
_MOST_LISTED, _MOST_WORDS = 30, 20_000
_MOST_USD, _USUAL_USD = 100.0, 0.5
_SPOKEN = (TurnKind.SAY, TurnKind.ANSWER)
_FORGOTTEN = "This talk was forgotten; say it again."
_MOST_SHOWN = 20_000
_DETACHED = ("resume", "refresh", "revise")
"""What takes long: a process of its own does it, and the desk shows how it goes."""


@dataclass(frozen=True)
class Answered:
    """What words came to: a command, or a question back."""

    words: str
    question: str
    proposal: Proposal | None
    is_own: bool = False
    """The author's own word is wanted, on the page that is for it."""


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
async def live(studio: ThisStudio, number: int) -> StreamingResponse:
    """Tell the words of an answer as they come, as server-sent events, until it has ended."""
    return StreamingResponse(_spoken(studio.talks.get(number, _ANSWER_FORGOTTEN)), media_type="text/event-stream")


@router.get("/books/{book}/chat/{number}")
def answer(book: ThisBook, number: int) -> HTMLResponse:
    """Return an answer as it stands at its end."""
    return book.page("chat_answer.html.j2", "talk", job=book.studio.talks.get(number, _ANSWER_FORGOTTEN))


@router.post("/books/{book}/chat/{number}/stop")
def stop(studio: ThisStudio, number: int) -> HTMLResponse:
    """Break an answer off; what had come is kept."""
    studio.talks.get(number, _ANSWER_FORGOTTEN).stop()
    return HTMLResponse("")


@router.post("/books/{book}/talk")
def ask(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Begin to have words read; nothing is done by that."""
    words, _ = words_of([fields.get("words", "")]), book.opened  # of a book that cannot be opened nothing is asked

    def work(opened: OpenBook) -> Answered:  # it is changed: the question is recorded in its journal
        understood, _ = understand(opened, words)
        if isinstance(understood.command, Unclear):
            return Answered(words, understood.command.question, None)
        proposal = proposal_of(understood, opened, says_yes=True)
        return Answered(words, "", proposal, proposal.line.always_asks)

    return book.page("answer.html.j2", "talk", job=book.begin(work), said="")


@router.get("/books/{book}/talk/{number}")
def ask_answer(book: ThisBook, number: int) -> HTMLResponse:
    """Return what words came to, once they are read."""
    return book.page("answer.html.j2", "talk", job=book.studio.jobs.get(number, _FORGOTTEN), said="")


@router.post("/books/{book}/talk/{number}/do")
def carry_out(book: ThisBook, number: int) -> HTMLResponse:
    """Do what was shown, as if it had been typed; once."""
    job, _ = book.studio.jobs.get(number, _FORGOTTEN), book.opened  # to one that cannot be opened nothing is done
    found = job.result
    if not isinstance(found, Answered) or found.proposal is None or found.is_own:
        raise InvalidInput("There is nothing to be done about this.")
    arguments, done = found.proposal.arguments, Answered(found.words, found.question, None)
    if arguments[0] in _DETACHED:
        more = going_on_with(book.opened.book)[2:] if arguments[0] == "resume" else ()
        book.start([*arguments, *more])
        job.result = done
        return book.page("said.html.j2", "talk", said="", is_started=True)
    job.result = done
    return book.page("said.html.j2", "talk", said=_typed(arguments, book.studio.settings), is_started=False)


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


def _typed(arguments: list[str], settings: Settings) -> str:
    """Run a short command and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "bookwright", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
        env=environment_of(settings), check=False,
    )  # fmt: skip
    told = (done.stdout or done.stderr).decode("utf-8", "replace")
    return clean(told)[:_MOST_SHOWN]
