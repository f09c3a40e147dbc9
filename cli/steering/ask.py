"""`ask`: an author's own words become one command, which is shown before it is done."""

import io
import json
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from bookwright.app.commands import Proposal, proposal_of, understand, words_of
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import can_ask, emit, note, print_json, print_text
from bookwright.models.talk.command import Unclear

NOTHING_DONE = 6
"""The exit code where a command was only shown, declined, or asked back about."""


def ask(
    context: typer.Context,
    book: BookArgument,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What you want, in your own words.")],
    is_agreed: Annotated[
        bool, typer.Option("--yes", help="Do it without asking; never for delete, approve and reject.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Turn your own words into one command, show it, and do it at your yes; without a terminal only show it."""
    asked = words_of(words)
    program = context.find_root().command
    with open_book(book) as opened:
        understood, holder = understand(opened, asked)
        command, identity = understood.command, opened.book.id
        proposal = None if isinstance(command, Unclear) else proposal_of(understood, opened, says_yes=is_agreed)
    facts: dict[str, Any] = {"book": identity, "words": asked, "is_recorded": not holder}
    if holder:
        note(f"{holder} writes {identity}: this question is in no journal and on no bill of the book")
    if proposal is None:
        assert isinstance(command, Unclear)
        question = command.question
        facts |= {"verb": "unclear", "question": question, "is_done": False}
        emit(lambda: facts, lambda: print_text(question), as_json=as_json)
        raise typer.Exit(NOTHING_DONE)
    facts |= {
        "verb": command.verb, "quote": understood.quote, "command": proposal.typed,
        "arguments": proposal.arguments, "cost": proposal.cost or None,
    }  # fmt: skip
    if not as_json:
        print_text(proposal.typed)
    if proposal.cost:
        note(f"it asks models: {proposal.cost}")
    if not _is_agreed(proposal, says_yes=is_agreed, as_json=as_json):
        note("nothing is done" + ("" if can_ask() else f"; {_how_to_say_yes(proposal)}"))
        if as_json:
            print_json(facts | {"is_done": False})
        raise typer.Exit(NOTHING_DONE)
    _do(program, proposal, facts, as_json)


def _is_agreed(proposal: Proposal, *, says_yes: bool, as_json: bool) -> bool:
    """Return the author's yes; where nobody can be asked, only the option stands for one."""
    if says_yes and not proposal.line.always_asks:
        return True
    if not can_ask():
        return False
    if as_json:
        note(proposal.typed)
    return typer.confirm("do it?", default=proposal.line.is_look, err=True)


def _how_to_say_yes(proposal: Proposal) -> str:
    if proposal.line.always_asks:
        return "this wants your own yes: type the command, or ask in a terminal"
    return "--yes does it without a terminal"


def _do(program: Any, proposal: Proposal, facts: dict[str, Any], as_json: bool) -> None:
    """Carry the command out as if it had been typed; its exit code is ours."""
    arguments, path = proposal.arguments, len(proposal.line.path)
    if not as_json:
        raise typer.Exit(_run(program, arguments))
    said = io.StringIO()
    with redirect_stdout(said):
        code = _run(program, [*arguments[:path], "--json", *arguments[path:]])
    print_json(facts | {"is_done": True, "exit_code": code, "result": _read(said.getvalue())})
    raise typer.Exit(code)


def _run(program: Any, arguments: list[str]) -> int:
    outcome = program.main(args=list(arguments), prog_name="bookwright", standalone_mode=False)
    return outcome if isinstance(outcome, int) else 0


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
