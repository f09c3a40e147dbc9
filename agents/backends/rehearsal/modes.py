"""How true to life a rehearsal is: what its lengths miss, and how often an answer is spoiled, and how.

The first two tries at a step may be spoiled, the third never is, so that a rehearsed book never
rests for a bad answer.
"""

import json
from dataclasses import dataclass
from random import Random

from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.rehearsal.voice import tell, voice_of
from bookwright.models.errors import RequestRejected
from bookwright.models.step import Reply
from bookwright.models.text.language import Language

_SPOILED_TRIES = 2
_FOREIGN_LENGTH = 60


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
    if step.output and rng.random() < mode.wrapped:
        return Reply(text=_wrapped(text, rng))
    return Reply(text=text)


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
