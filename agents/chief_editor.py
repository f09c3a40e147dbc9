"""The Chief Editor: turns an author's free words into one command of the closed list. It does nothing itself.

A model answers flat, and code makes the typed command of it. Of the book it is told enough to name its parts, bounded
however large the book is.

Source: DESIGN section 10, item 7; REQUIREMENTS S2-005 to S2-007, conflict C-08.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Annotated, Any, get_args

from pydantic import Field, TypeAdapter, ValidationError

from bookwright.agents.agent import CLASSIFICATION, Agent
from bookwright.agents.backends.protocol import Correction, FailedAttempt, Prompt, Request, Sampling
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.steps.answers import Artefact, Parsed, parse
from bookwright.agents.steps.desk import Asker
from bookwright.models.book import Book
from bookwright.models.codex.record import RecordKind, neutral_names
from bookwright.models.errors import NotUnderstood
from bookwright.models.frozen import FrozenModel
from bookwright.models.step import Failure, Reply, StepKey
from bookwright.models.talk.command import Command, Unclear
from bookwright.models.text.plain import plain
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_agent, render_part
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.stores import Stores

VERBS: tuple[str, ...] = tuple(
    verb for command in get_args(Command) for verb in get_args(command.model_fields["verb"].annotation)
)
"""The closed list by name."""

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="verb")])

TRIES = 3
"""The first answer, and two more after one that is no command."""

ANSWER_TOKENS, SMALL_ANSWER_TOKENS = 3_200, 600
"""Room for a thought and for the longest note; and what a small window has for one."""
_SHOWN_CHARACTERS = 4_000

Check = Callable[[Command], Command]
"""Returns the command as the book can carry it out; raises `ValueError`, in words for the model, where it cannot."""


class Argument(FrozenModel):
    """One value of a command."""

    name: str
    value: str


class CommandAnswer(FrozenModel):
    """How a model answers: flat, so that every provider and a weak model's grammar can hold it to its shape."""

    quote: str
    """The author's words that the command rests on, as they stand there; empty only with `unclear`."""
    verb: str = Field(json_schema_extra={"enum": list(VERBS)})
    """One of `VERBS`; a reply that names none is read all the same, so that it can be told what is wrong."""
    arguments: tuple[Argument, ...] = ()

    @property
    def command(self) -> Command:
        """The one command that it names; `ValueError` tells the model which value does not fit, or that it is none."""
        named = {argument.name: argument.value for argument in self.arguments if argument.value.strip()}
        try:
            return _COMMANDS.validate_python({**named, "verb": self.verb})
        except ValidationError as error:
            faults = [
                f"{'.'.join(map(str, item['loc'])) or 'verb'}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors(include_url=False, include_input=False)[:4]
            ]
            raise ValueError("; ".join(faults)[:600]) from None


chief_editor = Agent(
    name="chief_editor", prompt="agents/chief_editor", role="judge", temperature=CLASSIFICATION, context="questions",
    output=CommandAnswer,
)  # fmt: skip


@dataclass(frozen=True)
class Understood:
    """The command that an author's words were read as."""

    command: Command
    quote: str
    """Those of them that it rests on."""


@dataclass(frozen=True)
class ChiefEditor:
    """Reads an author's words with one request to one model, and further tries if an answer is unusable."""

    models: Asker
    model: str
    fallbacks: tuple[str, ...]
    key: StepKey
    """Under which its tries are recorded."""
    keep: Callable[[Attempt], None]
    """Records each try, or says nothing where none can be recorded."""
    budget: BudgetLedger | None
    answer_tokens: int = ANSWER_TOKENS
    stores_prompts: bool = True
    locale: str = "en"

    def read(self, words: str, facts: dict[str, Any], verbs: tuple[str, ...], check: Check) -> Understood:
        """Return the command that the words ask for.

        Args:
            facts: What the book is and where it stands; bounded by whoever gathers it.
            verbs: The commands that can be done here; `unclear` always can be.

        Raises:
            NotUnderstood: No answer was one of them.
            BackendError: Nothing was delivered.
        """
        system = render_agent("chief_editor", self.locale)
        parts = (Artefact("book_facts", _sealed(facts)), Artefact("words", words))
        commands = render_part("agents/chief_editor_commands", self.locale, verbs=verbs)
        blocks = (commands, *(part.block for part in parts))
        corrections: tuple[Correction, ...] = ()
        parsed, attempts = Parsed(), count(1)
        for number in range(1, TRIES + 1):
            request = self._request(Prompt(system, blocks, 1), corrections, parts, verbs, number)
            reply = self.models.ask(request, self.budget, lambda _: None, partial(self._keep_failed, request, attempts))
            parsed = _understood(reply, words, verbs, check)
            self.keep(self._attempt(request, next(attempts), reply, parsed.failure, parsed.detail))
            if isinstance(parsed.value, Understood):
                return parsed.value
            corrections = (*corrections, Correction(plain(reply.text[:_SHOWN_CHARACTERS]), parsed.detail))
        raise NotUnderstood(
            f"{TRIES} answers of {self.model} in a row were no command (the last: {parsed.detail[:200]}); "
            "say it in other words, type the command itself, or name another model for the role `judge`"
        )

    def _request(
        self, prompt: Prompt, corrections: tuple[Correction, ...], parts: tuple[Artefact, ...], verbs: tuple[str, ...],
        number: int,
    ) -> Request:  # fmt: skip
        return Request(
            model=self.model, role=chief_editor.role, name=f"1 {self.key.activity}/{chief_editor.name}", prompt=prompt,
            sampling=Sampling(chief_editor.temperature, self.answer_tokens, self.key.round * 10 + number),
            output=CommandAnswer, corrections=corrections, fallbacks=self.fallbacks, cache_key=self.key.book,
            facts={"template": chief_editor.prompt, "artefacts": parts, "attempt": number, "verbs": verbs},
            locale=self.locale,
        )  # fmt: skip

    def _attempt(self, request: Request, number: int, reply: Reply, failure: Failure | None, detail: str) -> Attempt:
        prompt = (request.prompt.system, *request.prompt.blocks)
        return Attempt(
            self.key, number, chief_editor.role, chief_editor.prompt, prompt, reply, failure, detail,
            self.stores_prompts,
        )  # fmt: skip

    def _keep_failed(self, request: Request, attempts: Iterator[int], failed: FailedAttempt) -> None:
        failure = Failure.BROKEN_STREAM if failed.reply.text else Failure.UNAVAILABLE
        self.keep(self._attempt(request, next(attempts), failed.reply, failure, str(failed.error)[:500]))


def _understood(reply: Reply, words: str, verbs: tuple[str, ...], check: Check) -> Parsed:
    """Return the command that a reply holds, or which failure it is and why, in words for the model."""
    parsed = parse(chief_editor, reply, None, "")
    try:
        return parsed if parsed.failure else Parsed(_checked(parsed.value, words, verbs, check))
    except ValueError as error:
        return Parsed(failure=Failure.UNPARSABLE, detail=str(error))


def _checked(reading: CommandAnswer, words: str, verbs: tuple[str, ...], check: Check) -> Understood:
    """Hold a reading to what the author said and to what can be done.

    Raises:
        ValueError: It rests on words that are not the author's, or cannot be done.
    """
    if reading.verb != "unclear" and reading.verb not in verbs:
        raise ValueError(f"verb: {reading.verb[:40]!r} is none of the list")
    command = reading.command
    if isinstance(command, Unclear):
        return Understood(command, "")
    quote = reading.quote.strip()
    if not quote or _folded(quote) not in _folded(words):
        raise ValueError("quote: these are not the author's words; quote from <words> what the command rests on")
    return Understood(check(command), quote)


def _folded(text: str) -> str:
    """Return only letters and figures: models tidy spaces and marks when they quote."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _sealed(facts: dict[str, Any]) -> str:
    """Write facts as JSON in which no text of the book can end a line or a tag."""
    return json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")


_REASON = 200
_GATES = 10


@dataclass(frozen=True)
class FactBounds:
    """How much of a book is told."""

    title: int
    """Characters of each title."""
    units: int
    records: int
    """Of each register, the newest ones."""


FULL = FactBounds(title=80, units=40, records=30)
"""Some 12 000 characters at most."""
SMALL = FactBounds(title=30, units=10, records=6)
"""Some 2 000, for a model with a small window."""


def book_facts(book: Book, stores: Stores, bounds: FactBounds = FULL) -> dict[str, Any]:
    """Gather a book's title, state, the top of its tree, the ids of its records and what waits.

    No text of the story is among them, and of a secret no more than a number: an id may tell what it is.
    """
    root, family = stores.nodes.root(), BranchRepository(stores.connection).family(book.id)
    return {
        "title": _short(book.title, bounds.title),
        "state": book.state.value,
        "reason": _short(book.reason, _REASON),
        "language": book.brief.language.english_name,
        "written": root.written,
        "length": book.brief.length,
        "unit": book.brief.length_unit,
        "parts": _parts(root, stores, bounds),
        "codex": _records(RecordKind.ENTRY, stores, bounds),
        "secrets": list(neutral_names(stores.codex.secrets()).values())[-bounds.records :],
        "threads": _records(RecordKind.FORESHADOWING, stores, bounds),
        "branches": [_short(fork.name, bounds.title) for fork in family[-bounds.records :]],
        "gates_waiting": [
            {"gate": gate.id, "kind": gate.kind.value, "node": gate.label} for gate in stores.gates.waiting()[:_GATES]
        ],
    }


def _parts(root: TaskNode, stores: Stores, bounds: FactBounds) -> list[dict[str, Any]]:
    """The units of the two levels below the book: all of a small book, the highest and last ones of a large one."""
    numbers = {label: number for number, label in enumerate(stores.codex.reading_order().chapters, 1)}
    units: list[TaskNode] = []
    for unit in stores.nodes.child_units(root.key)[-bounds.units :]:
        units += [unit, *stores.nodes.child_units(unit.key)[-bounds.units :]]
    shown = sorted(units, key=lambda unit: unit.depth) if len(units) > bounds.units else units
    return [_part(unit, numbers.get(unit.label), bounds) for unit in shown[: bounds.units]]


def _part(unit: TaskNode, chapter: int | None, bounds: FactBounds) -> dict[str, Any]:
    facts = {
        "node": unit.label, "level": unit.level.value, "title": _short(unit.title, bounds.title),
        "status": unit.status.value,
    }  # fmt: skip
    return facts if chapter is None else {"chapter": chapter, **facts}


def _records(kind: RecordKind, stores: Stores, bounds: FactBounds) -> list[dict[str, str]]:
    records = [stored.record for stored in stores.codex.current(kind)[-bounds.records :]]
    return [
        {"id": record.id, "name": _short(getattr(record, "name", "") or getattr(record, "title", ""), bounds.title)}
        for record in records
    ]


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 2] + " …"
