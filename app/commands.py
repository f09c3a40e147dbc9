"""An author's own words turned into one command of the closed list; nothing is done yet.

The book is looked at for whether it can carry the command out, and what that is likely to cost is told.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bookwright.app.access import OpenBook, paced_models
from bookwright.app.command_lines import LINES, CommandLine, arguments_of, typed
from bookwright.app.node_lookup import find_node
from bookwright.app.orders.briefs import merged
from bookwright.models.book import Book
from bookwright.models.codex.entries import folded
from bookwright.models.codex.record import RecordKind, neutral_names
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.command import ChangeBrief, Command, EditEntry, EditSecret, EditThread, Refresh, Resume
from bookwright.models.talk.command_values import MAX_WORDS
from bookwright.models.talk.trying_commands import CompareBranch
from bookwright.models.tree.task import TaskNode
from bookwright.models.wording import dollars, money
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.stores import Stores

if TYPE_CHECKING:
    from bookwright.agents.chief_editor import Understood

_RECORDS: dict[type[Any], tuple[RecordKind, str]] = {
    EditEntry: (RecordKind.ENTRY, "entry"),
    EditSecret: (RecordKind.SECRET, "secret"),
    EditThread: (RecordKind.FORESHADOWING, "thread"),
}


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
    from bookwright.agents import chief_editor as editing  # these bring the engine
    from bookwright.agents.backends.endpoints import check_model
    from bookwright.agents.backends.windows import found_window
    from bookwright.flows.book_models import SMALL_WINDOW, model_of
    from bookwright.flows.open_book import side_call
    from bookwright.flows.tracing import talk_tracing_as_set

    settings, brief, member = opened.settings, opened.book.brief, editing.chief_editor
    model = model_of(member.role, brief, settings)
    check_model(model, settings)
    is_small = found_window(model, settings).tokens < SMALL_WINDOW
    with opened.storage.read() as stores:
        facts = editing.book_facts(opened.book, stores, editing.SMALL if is_small else editing.FULL)
    with paced_models(opened.storage.database, settings) as models:
        asked, answering = talk_tracing_as_set(models, opened.book.id)
        with side_call(opened.storage, settings, models.cancel) as call, answering(member.name):
            editor = editing.ChiefEditor(
                models=asked, model=model, key=call.key, keep=call.keep, budget=call.budget,
                fallbacks=settings.fallbacks.get(member.role) or settings.fallbacks.get("default") or (),
                answer_tokens=editing.SMALL_ANSWER_TOKENS if is_small else editing.ANSWER_TOKENS,
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


def settled(command: Command, opened: OpenBook) -> Command:
    """Return a command with its node looked up.

    Raises:
        ValueError: The book cannot carry it out as it is; the message is for whoever named it.
    """
    try:
        with opened.storage.read() as stores:
            return _settled(command, opened, stores)
    except InvalidInput as error:
        raise ValueError(str(error)) from None


def _settled(command: Command, opened: OpenBook, stores: Stores) -> Command:
    if isinstance(command, ChangeBrief):
        merged(opened.book.brief, [command.assignment], None)
    if isinstance(command, Resume) and (command.until_level is None) != (command.until_count is None):
        raise ValueError("until_level and until_count go together")
    if type(command) in _RECORDS:
        kind, field = _RECORDS[type(command)]
        if isinstance(command, EditSecret):
            command = command.model_copy(update={"secret": _secret(command.secret, stores)})
        stores.codex.get(kind, getattr(command, field))
        _check_changes(command, field)
    if isinstance(command, CompareBranch):
        command = command.model_copy(update={"branch": _branch(command.branch, opened.book.id, stores)})
    if (gate := getattr(command, "gate", None)) is not None:
        _check_gate(gate, stores)
    node = getattr(command, "node", None)
    return command if node is None else command.model_copy(update={"node": find_node(node, stores).label})


def _secret(named: str, stores: Stores) -> str:
    """Return the id of a secret that is called by it or by its neutral name; the message tells no id."""
    names = neutral_names(stores.codex.secrets())
    shown = {folded(name): identity for identity, name in names.items()}
    wanted = folded(f"secret-{named}" if named.isdecimal() else named)
    found = stores.codex.find(RecordKind.SECRET, named)
    identity = found.record.id if found else shown.get(wanted)
    if identity is None:
        those = f"the book has {', '.join(names.values())}" if names else "the book has none"
        raise ValueError(f"secret: there is no such secret; {those}")
    return identity


def _branch(named: str, book: str, stores: Stores) -> str:
    """Return the id of a branch of the same book that is called by its name or its id."""
    there = BranchRepository(stores.connection).family(book)
    wanted = folded(named)
    found = next((one.book for one in there if wanted in (folded(one.name), folded(one.book))), None)
    if found is None and named in {one.origin for one in there}:
        return named
    if found is None:
        those = f"it has {', '.join(repr(one.name) for one in there)}" if there else "it has none"
        raise ValueError(f"branch: the book has no such branch; {those}")
    return found


def _check_changes(command: Command, field: str) -> None:
    """Make sure that something is to change; an edit without a change would open an editor."""
    given = command.model_dump(exclude_none=True, exclude={"verb", field})
    if ("section" in given) != ("text" in given):
        raise ValueError("section and text go together")
    if not given:
        raise ValueError("it names nothing to change")


def _check_gate(number: int, stores: Stores) -> None:
    waiting = [gate.id for gate in stores.gates.all() if gate.is_waiting]
    if number not in waiting:
        those = f"those that wait are {', '.join(map(str, waiting))}" if waiting else "none waits"
        raise ValueError(f"gate: no gate {number} of this book waits; {those}")


def cost_of(command: Command, opened: OpenBook) -> str:
    """Say what a command would cost, in words, with what the budget leaves."""
    book = opened.book
    with opened.storage.read() as stores:
        match command:
            case Resume():
                root = stores.nodes.root()
                left = max(root.remaining, 0)
                told = _of_writing(book, root, min(left, command.words_today or left))
            case Refresh():
                from bookwright.app.changes.refreshing import refresh_preview  # brings the engine
                from bookwright.flows.revision.refresh import RefreshScope

                told = str(refresh_preview(stores, book.brief, RefreshScope(command.node or "1")).bill)
            case _:
                told = "a model makes one document anew"
    return told + _left(book)


def _of_writing(book: Book, root: TaskNode, length: int) -> str:
    told = f"up to {length:,} {book.brief.length_unit}"
    if not root.written or book.unpriced_calls:
        return f"{told}; `bookwright estimate --book {book.id}` tells what the whole book would take"
    if not book.cost:
        return f"{told}; the book has cost nothing so far"
    return (
        f"{told}, about {money(round(book.cost * length / root.written))} at the rate so far "
        f"({money(book.cost)} for {root.written:,})"
    )


def _left(book: Book) -> str:
    caps = book.brief.budget
    if caps.usd is not None:
        return f"; {dollars(max(caps.usd - book.dollars, 0))} of the budget are left"
    if caps.tokens is not None:
        return f"; {max(caps.tokens - book.tokens, 0):,} tokens of the budget are left"
    return ""
