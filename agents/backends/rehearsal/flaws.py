"""Answers as models spoil them: cut off, of the wrong shape, in the wrong language, empty, wrapped.

The first two tries at a step may be spoiled, the third never is, so that a rehearsed book never
rests for a bad answer.
"""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.modes import Mode
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.rehearsal.telling import tell
from bookwright.agents.backends.rehearsal.voice import voice_of
from bookwright.models.text.language import Language

_SPOILED_TRIES = 2
_FOREIGN_LENGTH = 60


@dataclass(frozen=True)
class Answer:
    """A text and how it ended."""

    text: str
    finish_reason: str = "stop"


def spoil(text: str, step: Step, mode: Mode) -> Answer:
    """Give an answer back as it is, or spoiled as often as the mode says."""
    rng = step.rng("flaw")
    if step.attempt <= _SPOILED_TRIES and rng.random() < mode.flaws:
        return _spoiled_json(text, rng) if step.output else _spoiled_text(text, step, rng)
    if step.output and rng.random() < mode.wrapped:
        return Answer(_wrapped(text, rng))
    return Answer(text)


def _spoiled_json(text: str, rng: Random) -> Answer:
    match rng.choice(("truncated", "schema", "empty", "limit")):
        case "truncated":
            return Answer(text[: len(text) * 3 // 5])
        case "schema":
            wrong = {key: _of_another_type(value) for key, value in json.loads(text).items()}
            return Answer(json.dumps(wrong, ensure_ascii=False))
        case "empty":
            return Answer("")
        case _:
            return Answer(text[: len(text) * 4 // 5], "length")


def _spoiled_text(text: str, step: Step, rng: Random) -> Answer:
    match rng.choice(("language", "empty", "limit")):
        case "language":
            foreign = Language.ZH if step.language is Language.EN else Language.EN
            other = voice_of(foreign, step.seed, step.card.book.premise)
            return Answer(tell(other, rng, _FOREIGN_LENGTH, (other.marker,)))
        case "empty":
            return Answer("")
        case _:
            return Answer(text[: len(text) * 4 // 5], "length")


def _of_another_type(value: Any) -> Any:
    return {"value": value} if isinstance(value, str) else str(value)


def _wrapped(text: str, rng: Random) -> str:
    if rng.random() < 0.5:
        return f"```json\n{text}\n```"
    return f"Here is the JSON you asked for:\n\n{text}\n\nI hope this helps."
