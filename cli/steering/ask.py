"""`ask`: an author's own words become one command, which is shown before it is done."""

import io
import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook
from bookwright.app.commands.checks import settled
from bookwright.app.commands.costs import cost_of
from bookwright.app.commands.lines import LINES, CommandLine, arguments_of, typed
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import note, print_json, print_text
from bookwright.cli.steering.deciding import can_ask
from bookwright.models.errors import InvalidInput
from bookwright.models.step import Activity
from bookwright.models.talk.command import Unclear
from bookwright.models.talk.command_values import MAX_WORDS

if TYPE_CHECKING:
    from bookwright.agents.chief_editor import Understood

NOTHING_DONE = 6
"""The exit code where a command was only shown, declined, or asked back about."""


@dataclass(frozen=True)
class _Proposal:
    """A command as it is shown."""

    understood: "Understood"
    line: CommandLine
    arguments: list[str]
    cost: str
    """In words; empty where it costs nothing."""

    @property
    def typed(self) -> str:
        """The line that it stands for."""
        return typed(self.arguments)


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
    asked = _asked(words)
    program = context.find_root().command
    with open_book(book) as opened:
        understood, holder = _understand(opened, asked, tuple(LINES))
        command, identity = understood.command, opened.book.id
        proposal = None if isinstance(command, Unclear) else _proposal(understood, opened, says_yes=is_agreed)
    facts: dict[str, Any] = {"book": identity, "words": asked, "is_recorded": not holder}
    if holder:
        note(f"{holder} writes {identity}: this question is in no journal and on no bill of the book")
    if proposal is None:
        assert isinstance(command, Unclear)
        _end(facts | {"verb": "unclear", "question": command.question, "is_done": False}, command.question, as_json)
        raise typer.Exit(NOTHING_DONE)
    facts |= _facts_of(proposal)
    if not as_json:
        print_text(proposal.typed)
    if proposal.cost:
        note(f"it asks models: {proposal.cost}")
    if not _is_agreed(proposal, says_yes=is_agreed, as_json=as_json):
        note("nothing is done" + ("" if can_ask() else f"; {_how_to_say_yes(proposal)}"))
        _end(facts | {"is_done": False}, "", as_json)
        raise typer.Exit(NOTHING_DONE)
    _do(program, proposal, facts, as_json)


def _asked(words: list[str]) -> str:
    asked = " ".join(" ".join(words).split())
    if not asked:
        raise InvalidInput('ask takes what you want in your own words, such as "how far is it?"')
    if len(asked) > MAX_WORDS:
        raise InvalidInput(f"this is {len(asked):,} characters long; say it in {MAX_WORDS:,}")
    return asked


def _understand(opened: OpenBook, words: str, verbs: tuple[str, ...]) -> "tuple[Understood, str]":
    """Have the words read; return what they came to, and who holds the book if nothing could be recorded."""
    from bookwright.agents.backends.endpoints import check_model  # these bring the engine
    from bookwright.agents.backends.service import ModelService
    from bookwright.agents.backends.spending.pace import DatabasePacer
    from bookwright.agents.backends.windows import found_window
    from bookwright.agents.book_facts import FULL, SMALL, book_facts
    from bookwright.agents.chief_editor import ANSWER_TOKENS, SMALL_ANSWER_TOKENS, ChiefEditor, chief_editor
    from bookwright.flows.book_models import SMALL_WINDOW, model_of
    from bookwright.flows.talk.side_call import sitting

    settings, brief = opened.settings, opened.book.brief
    model = model_of(chief_editor.role, brief, settings)
    check_model(model, settings)
    is_small = found_window(model, settings).tokens < SMALL_WINDOW
    with opened.storage.read() as stores:
        facts = book_facts(opened.book, stores, SMALL if is_small else FULL)
    models = ModelService(settings, pacer=DatabasePacer(opened.storage.database, settings))
    try:
        with sitting(opened.storage, settings, Activity.ASK, models.cancel) as seat:
            editor = ChiefEditor(
                models=models, model=model, key=seat.key, keep=seat.keep, budget=seat.budget,
                fallbacks=settings.fallbacks.get(chief_editor.role) or settings.fallbacks.get("default") or (),
                answer_tokens=SMALL_ANSWER_TOKENS if is_small else ANSWER_TOKENS,
                stores_prompts=settings.keep_prompts, locale=(brief.prompt_language or brief.language).value,
            )  # fmt: skip
            return editor.read(words, facts, verbs, lambda command: settled(command, opened)), seat.holder
    finally:
        models.close()


def _proposal(understood: "Understood", opened: OpenBook, *, says_yes: bool) -> _Proposal:
    command = understood.command
    line = LINES[command.verb]
    cost = cost_of(command, opened) if line.costs else ""
    own_yes = [line.yes] if says_yes and line.yes else []
    return _Proposal(understood, line, [*arguments_of(command, opened.book.id), *own_yes], cost)


def _facts_of(proposal: _Proposal) -> dict[str, Any]:
    return {
        "verb": proposal.understood.command.verb, "quote": proposal.understood.quote, "command": proposal.typed,
        "arguments": proposal.arguments, "cost": proposal.cost or None,
    }  # fmt: skip


def _is_agreed(proposal: _Proposal, *, says_yes: bool, as_json: bool) -> bool:
    """Return the author's yes; where nobody can be asked, only the option stands for one."""
    if says_yes and not proposal.line.always_asks:
        return True
    if not can_ask():
        return False
    if as_json:
        note(proposal.typed)
    return typer.confirm("do it?", default=proposal.line.is_look, err=True)


def _how_to_say_yes(proposal: _Proposal) -> str:
    if proposal.line.always_asks:
        return "this wants your own yes: type the command, or ask in a terminal"
    return "--yes does it without a terminal"


def _do(program: Any, proposal: _Proposal, facts: dict[str, Any], as_json: bool) -> None:
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


def _end(facts: dict[str, Any], told: str, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    elif told:
        print_text(told)
