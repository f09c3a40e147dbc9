"""Money and tokens: what was spent, and the most that may be."""

from dataclasses import dataclass, field

MICROS = 1_000_000
"""Millionths in a dollar. A price for a million tokens in dollars is a price for one token in millionths."""


@dataclass(frozen=True)
class Amount:
    """Money and tokens together."""

    cost: int = 0
    """Millionths of a US dollar."""
    tokens: int = 0
    """Prompt and output tokens together."""

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.cost + other.cost, self.tokens + other.tokens)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.cost - other.cost, self.tokens - other.tokens)


@dataclass(frozen=True)
class Cap:
    """The most that may be spent of each; None where nothing bounds it."""

    cost: int | None = None
    """Millionths of a US dollar."""
    tokens: int | None = None
    usd: float = field(default=0, compare=False)
    """The cost as it was given: what is shown of a cap."""

    @classmethod
    def of(cls, usd: float | None, tokens: int | None) -> "Cap":
        """Return the cap of so many US dollars and tokens."""
        return cls(None if usd is None else round(usd * MICROS), tokens, usd or 0)

    @property
    def is_set(self) -> bool:
        """Whether there is any."""
        return self.cost is not None or self.tokens is not None

    def less(self, used: Amount) -> "Cap":
        """Return what is left, negative where more was used."""
        return Cap(
            None if self.cost is None else self.cost - used.cost,
            None if self.tokens is None else self.tokens - used.tokens,
        )

    def covers(self, amount: Amount) -> bool:
        """Tell whether so much may be spent."""
        return (self.cost is None or amount.cost <= self.cost) and (self.tokens is None or amount.tokens <= self.tokens)
