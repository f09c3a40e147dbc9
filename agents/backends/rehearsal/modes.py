"""How true to life a rehearsal is: what its lengths miss, how often an answer is no result."""

from dataclasses import dataclass
from random import Random

from bookwright.models.errors import RequestRejected


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
