"""What the rehearsal author knows of the step it is asked for."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.rehearsal.voice import Voice, voice_of
from bookwright.models.text.language import Language, detect_language
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.prompts.card import BookCard, Card, NodeCard

if TYPE_CHECKING:
    from bookwright.agents.steps.answers import Artefact

_FEW_SENTENCES = 1_000
"""Tokens below which an answer has no room for lists."""


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
