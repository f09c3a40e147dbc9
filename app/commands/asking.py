"""An author's own words turned into one command of the closed list, with what it would cost; nothing is done yet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bookwright.app.access import OpenBook, paced_models
from bookwright.app.commands.checks import settled
from bookwright.app.commands.costs import cost_of
from bookwright.app.commands.lines import LINES, CommandLine, arguments_of, typed
from bookwright.models.errors import InvalidInput
from bookwright.models.step import Activity
from bookwright.models.talk.command_values import MAX_WORDS

if TYPE_CHECKING:
    from bookwright.agents.chief_editor import Understood


@dataclass(frozen=True)
class Proposal:
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


def words_of(words: list[str]) -> str:
    """Return an author's words in one line.

    Raises:
        InvalidInput: There are none, or too many.
    """
    asked = " ".join(" ".join(words).split())
    if not asked:
        raise InvalidInput('ask takes what you want in your own words, such as "how far is it?"')
    if len(asked) > MAX_WORDS:
        raise InvalidInput(f"this is {len(asked):,} characters long; say it in {MAX_WORDS:,}")
    return asked


def understand(opened: OpenBook, words: str) -> "tuple[Understood, str]":
    """Have the words read; return what they came to, and who holds the book if nothing could be recorded."""
    from bookwright.agents.backends.endpoints import check_model  # these bring the engine
    from bookwright.agents.backends.windows import found_window
    from bookwright.agents.chief_editor import (
        ANSWER_TOKENS,
        FULL,
        SMALL,
        SMALL_ANSWER_TOKENS,
        ChiefEditor,
        book_facts,
        chief_editor,
    )
    from bookwright.flows.book_models import SMALL_WINDOW, model_of
    from bookwright.flows.talk.side_call import side_call
    from bookwright.flows.tracing.traced import talk_tracing_as_set

    settings, brief = opened.settings, opened.book.brief
    model = model_of(chief_editor.role, brief, settings)
    check_model(model, settings)
    is_small = found_window(model, settings).tokens < SMALL_WINDOW
    with opened.storage.read() as stores:
        facts = book_facts(opened.book, stores, SMALL if is_small else FULL)
    with paced_models(opened.storage.database, settings) as models:
        asked, answering = talk_tracing_as_set(models, opened.book.id)
        with (
            side_call(opened.storage, settings, Activity.ASK, models.cancel) as call,
            answering(chief_editor.name),
        ):
            editor = ChiefEditor(
                models=asked, model=model, key=call.key, keep=call.keep, budget=call.budget,
                fallbacks=settings.fallbacks.get(chief_editor.role) or settings.fallbacks.get("default") or (),
                answer_tokens=SMALL_ANSWER_TOKENS if is_small else ANSWER_TOKENS,
                stores_prompts=settings.keep_prompts, locale=(brief.prompt_language or brief.language).value,
            )  # fmt: skip
            return editor.read(words, facts, tuple(LINES), lambda command: settled(command, opened)), call.holder


def proposal_of(understood: "Understood", opened: OpenBook, *, says_yes: bool) -> Proposal:
    """Return the command that words came to as it is shown before it is done; `says_yes` gives it its own yes."""
    command = understood.command
    line = LINES[command.verb]
    cost = cost_of(command, opened) if line.costs else ""
    own_yes = [line.yes] if says_yes and line.yes else []
    return Proposal(understood, line, [*arguments_of(command, opened.book.id), *own_yes], cost)
