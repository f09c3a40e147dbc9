"""Talk: what an author wants in their own words becomes one command, shown with its cost before it is done."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.commands import Proposal, proposal_of, understand, words_of
from bookwright.app.orders.starting import environment_of
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.talk.command import Unclear
from bookwright.studio.book_request import ThisBook
from bookwright.studio.fields import Fields

router = APIRouter()

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


@router.post("/books/{book}/talk")
def ask(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Begin to have words read; nothing is done by that."""
    words, _ = words_of([fields.get("words", "")]), book.opened  # of a book that cannot be opened nothing is asked

    def work(tell: Callable[[str], None]) -> Answered:
        with book.change() as changing:  # the question is recorded in the book's journal
            understood, _ = understand(changing, words)
            if isinstance(understood.command, Unclear):
                return Answered(words, understood.command.question, None)
            proposal = proposal_of(understood, changing, says_yes=True)
        return Answered(words, "", proposal, proposal.line.always_asks)

    return book.page("answer.html.j2", "talk", job=book.studio.jobs.start(work), said="")


@router.get("/books/{book}/talk/{number}")
def answer(book: ThisBook, number: int) -> HTMLResponse:
    """Return what words came to, once they are read."""
    return book.page("answer.html.j2", "talk", job=book.studio.jobs.get(number, _FORGOTTEN), said="")


@router.post("/books/{book}/talk/{number}/do")
def carry_out(book: ThisBook, number: int) -> HTMLResponse:
    """Do what was shown, as if it had been typed; once."""
    job, _ = book.studio.jobs.get(number, _FORGOTTEN), book.opened  # to one that cannot be opened nothing is done
    found = job.result
    if not isinstance(found, Answered) or found.proposal is None or found.is_own:
        raise InvalidInput("There is nothing to be done about this.")
    job.result = Answered(found.words, found.question, None)
    arguments = found.proposal.arguments
    if arguments[0] in _DETACHED:
        more = ["--no-prefect"] if arguments[0] == "resume" else []
        book.studio.runs.start(book.id, [*arguments, *more])
        return book.page("said.html.j2", "talk", said="", is_started=True)
    return book.page("said.html.j2", "talk", said=_typed(arguments, book.studio.settings), is_started=False)


def _typed(arguments: list[str], settings: Settings) -> str:
    """Run a short command and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "bookwright", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
        env=environment_of(settings), check=False,
    )  # fmt: skip
    told = (done.stdout or done.stderr).decode("utf-8", "replace")
    return clean(told)[:_MOST_SHOWN]
