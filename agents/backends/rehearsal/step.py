"""What an answer of the rehearsal author depends on: the step that it is asked for, and how true to life it is.

Its mode says what its lengths miss, and how often an answer is spoiled, and how. The first two tries at a step may be
spoiled, the third never is, so that a rehearsed book never rests for a bad answer.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.rehearsal.voice import Voice, tell, voice_of
from bookwright.models.errors import RequestRejected
from bookwright.models.step import Reply
from bookwright.models.text.language import Language, detect_language
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.prompts.card import BookCard, Card, NodeCard

if TYPE_CHECKING:
    from bookwright.agents.steps.answers import Artefact

_FEW_SENTENCES = 1_000
"""Tokens below which an answer has no room for lists."""
_SPOILED_TRIES = 2
_FOREIGN_LENGTH = 60


@dataclass(frozen=True)
class Step:
    """One step of a walk, read from a request's facts; a call from elsewhere has an empty card."""

    name: str
    template: str
    activity: str
    label: str
    attempt: int
    card: Card
    artefacts: "Sequence[Artefact]"
    """The texts that the desk puts before the step."""
    language: Language
    seed: int
    output: type[BaseModel] | None
    prefill: str
    limit: int
    """Tokens that the answer may have."""

    @classmethod
    def of(cls, request: Request) -> "Step":
        """Read a request."""
        facts: dict[str, Any] = request.facts
        last = request.prompt.blocks[-1] if request.prompt.blocks else ""
        language = Language(facts["language"]) if "language" in facts else detect_language(last)
        return cls(
            name=str(facts.get("step", request.name)),
            template=str(facts.get("template", "")),
            activity=str(facts.get("activity", "")),
            label=str(facts.get("label", "1")),
            attempt=int(facts.get("attempt", 1 + len(request.corrections))),
            card=facts.get("card") or _card_of_nobody(language, last),
            artefacts=facts.get("artefacts", ()),
            language=language,
            seed=int(facts.get("seed", request.sampling.seed)),
            output=request.output,
            prefill=request.prompt.prefill,
            limit=request.sampling.max_output_tokens,
        )

    @property
    def kind(self) -> str:
        """The last part of the template's path, such as `"draft"`."""
        return self.template.rpartition("/")[2]

    @property
    def is_small(self) -> bool:
        """True where an answer may only be a few sentences, as under the profile for small models."""
        return self.limit < _FEW_SENTENCES

    @cached_property
    def voice(self) -> Voice:
        """The voice of the book."""
        return voice_of(self.language, self.seed, self.card.book.premise)

    def texts(self, *tags: str) -> list[str]:
        """Return the artefacts with one of these tags, oldest first."""
        return [artefact.text for artefact in self.artefacts if artefact.tag in tags]

    @cached_property
    def told(self) -> list[str]:
        """The sentences of the text that the step is about."""
        return [sentence for part in paragraphs("\n\n".join(self.texts("text"))) for sentence in sentences(part)]

    def rng(self, purpose: str = "") -> Random:
        """Return chance that depends on what is asked and on nothing else, neither time nor process."""
        return Random(f"{self._identity}|{purpose}")

    @cached_property
    def _identity(self) -> str:
        card = self.card
        before = zlib.crc32(self.artefacts[-1].text.encode("utf-8", "replace")) if self.artefacts else 0
        return (
            f"{self.seed}|{self.label}|{self.activity}|{self.template}|{self.name}|{card.round}|{card.child_index}"
            f"|{card.piece}|{self.attempt}|{before}|{zlib.crc32(self.prefill.encode('utf-8', 'replace'))}"
        )


def _card_of_nobody(language: Language, question: str) -> Card:
    unit = NodeCard(label="1", level="book", task_type="write", title="", goal=question[:200], length=300)
    book = BookCard(
        title="", premise=question[:200], language=language.english_name, length=300,
        length_unit=language.length_unit, length_class="short",
    )  # fmt: skip
    return Card(book=book, unit=unit, task=unit)


@dataclass(frozen=True)
class Mode:
    """One way to rehearse, chosen by the model's name."""

    least_miss: float
    """A prose length misses what was asked by at least this share, either way."""
    most_miss: float
    flaws: float
    """Share of first answers that are no result."""
    wrapped: float
    """Share of JSON answers with a fence or talk around them, which code takes off."""

    def missed(self, length: int, rng: Random) -> int:
        """Return the length that comes of asking for `length`."""
        miss = rng.uniform(self.least_miss, self.most_miss)
        return max(1, round(length * (1 + rng.choice((-1, 1)) * miss)))


MODES = {
    "default": Mode(0.02, 0.15, flaws=0.02, wrapped=0.04),
    "miss": Mode(0.30, 0.50, flaws=0.02, wrapped=0.04),
    "exact": Mode(0.0, 0.0, flaws=0.0, wrapped=0.0),
}


def mode_of(model: str) -> Mode:
    """Return the mode that `rehearsal:NAME` names.

    Raises:
        RequestRejected: There is no such mode.
    """
    name = model.partition(":")[2]
    if name not in MODES:
        raise RequestRejected(f"the rehearsal author knows no mode {name!r}; it has {', '.join(MODES)}")
    return MODES[name]


def spoil(text: str, step: Step, mode: Mode) -> Reply:
    """Give an answer back as it is, or spoiled as often as the mode says."""
    rng = step.rng("flaw")
    if step.attempt <= _SPOILED_TRIES and rng.random() < mode.flaws:
        return _spoiled(text, step, rng)
    return Reply(text=_wrapped(text, rng) if step.output and rng.random() < mode.wrapped else text)


def _spoiled(text: str, step: Step, rng: Random) -> Reply:
    match rng.choice(("truncated", "schema", "empty", "limit") if step.output else ("language", "empty", "limit")):
        case "truncated":
            return Reply(text=text[: len(text) * 3 // 5])
        case "schema":
            fields = json.loads(text).items()  # each is given another type
            wrong = {key: {"value": value} if isinstance(value, str) else str(value) for key, value in fields}
            return Reply(text=json.dumps(wrong, ensure_ascii=False))
        case "language":
            foreign = Language.ZH if step.language is Language.EN else Language.EN
            other = voice_of(foreign, step.seed, step.card.book.premise)
            return Reply(text=tell(other, rng, _FOREIGN_LENGTH, (other.marker,)))
        case "empty":
            return Reply(text="")
        case _:
            return Reply(text=text[: len(text) * 4 // 5], finish_reason="length")


def _wrapped(text: str, rng: Random) -> str:
    if rng.random() < 0.5:
        return f"```json\n{text}\n```"
    return f"Here is the JSON you asked for:\n\n{text}\n\nI hope this helps."
