"""Talk: what an author wants in their own words becomes one command, shown with its cost before it is done."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.commands.asking import Proposal, proposal_of, understand, words_of
from bookwright.app.orders.starting import environment_of
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.talk.command import Unclear
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

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


@router.post("/books/{book}/talk")
def ask(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Begin to have words read; nothing is done by that."""
    words = words_of([fields.get("words", "")])
    opened = here.look(book)

    def work(tell: Callable[[str], None]) -> Answered:
        with here.change(book) as changing:  # the question is recorded in the book's journal
            understood, _ = understand(changing, words)
            if isinstance(understood.command, Unclear):
                return Answered(words, understood.command.question, None)
            proposal = proposal_of(understood, changing, says_yes=True)
        return Answered(words, "", proposal, proposal.line.always_asks)

    return page(request, "answer.html.j2", crumb_of(opened, "talk"), job=here.jobs.start(work), said="")


@router.get("/books/{book}/talk/{number}")
def answer(request: Request, here: Here, book: str, number: int) -> HTMLResponse:
    """Return what words came to, once they are read."""
    crumb = crumb_of(here.look(book), "talk")
    return page(request, "answer.html.j2", crumb, job=_job(here, number), said="")


@router.post("/books/{book}/talk/{number}/do")
def carry_out(request: Request, here: Here, book: str, number: int) -> HTMLResponse:
    """Do what was shown, as if it had been typed; once."""
    job = _job(here, number)
    found = job.result
    if not isinstance(found, Answered) or found.proposal is None or found.is_own:
        raise InvalidInput("There is nothing to be done about this.")
    job.result = Answered(found.words, found.question, None)
    arguments = found.proposal.arguments
    crumb = crumb_of(here.look(book), "talk")
    if arguments[0] in _DETACHED:
        more = ["--no-prefect"] if arguments[0] == "resume" else []
        here.runs.start(book, [*arguments, *more], here.settings)
        return page(request, "said.html.j2", crumb, said="", is_started=True)
    return page(request, "said.html.j2", crumb, said=_typed(arguments, here.settings), is_started=False)


def _typed(arguments: list[str], settings: Settings) -> str:
    """Run a short command and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "bookwright", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
        env=environment_of(settings), check=False,
    )  # fmt: skip
    told = (done.stdout or done.stderr).decode("utf-8", "replace")
    return clean(told)[:_MOST_SHOWN]


def _job(here: Workshop, number: int) -> Job:
    job = here.jobs.get(number)
    if job is None:
        raise InvalidInput("This talk was forgotten; say it again.")
    return job
