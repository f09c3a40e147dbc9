"""The budget: held before a call at its worst, settled after it at what it was."""

from dataclasses import dataclass
from threading import RLock
from typing import Self

from bookwright.agents.backends.prices import MICROS
from bookwright.models.errors import BudgetExceeded


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


class BudgetLedger:
    """A cap in money and in tokens that holds however many calls are in flight. Thread-safe.

    A subtree's ledger has the book's as its parent: what it holds and spends counts in both, and
    both caps hold. The family shares one lock.
    """

    def __init__(
        self,
        cap_usd: float | None = None,
        cap_tokens: int | None = None,
        *,
        spent_cost: int = 0,
        spent_tokens: int = 0,
        parent: Self | None = None,
        title: str = "the budget",
    ) -> None:
        """Open a ledger.

        Args:
            cap_usd: US dollars in all; None for no cap.
            cap_tokens: Prompt and output tokens in all; None for no cap.
            spent_cost: What was spent before, in millionths of a US dollar.
            title: What messages call it.
        """
        self._cap_cost = None if cap_usd is None else round(cap_usd * MICROS)
        self._cap_tokens = cap_tokens
        self._spent = Amount(spent_cost, spent_tokens)
        self._held = Amount()
        self._parent = parent
        self._title = title
        self._lock: RLock = parent._lock if parent else RLock()

    @property
    def is_capped(self) -> bool:
        """Whether this ledger or one above it can refuse a call."""
        own = self._cap_cost is not None or self._cap_tokens is not None
        return own or (self._parent is not None and self._parent.is_capped)

    @property
    def spent(self) -> Amount:
        """What was settled, and spent before."""
        with self._lock:
            return self._spent

    @property
    def held(self) -> Amount:
        """What calls in flight may yet cost."""
        with self._lock:
            return self._held

    def reserve(self, cost: int | None, tokens: int) -> "Reservation":
        """Hold the worst that a call can cost, in millionths of a US dollar (None: unknown) and tokens.

        Raises:
            BudgetExceeded: It is more than is left, or its price is unknown and money is capped.
        """
        with self._lock:
            self._check(cost, tokens)
            amount = Amount(cost or 0, tokens)
            self._hold(amount)
            return Reservation(self, amount)

    def _check(self, cost: int | None, tokens: int) -> None:
        used = self._spent + self._held
        if self._cap_cost is not None:
            if cost is None:
                raise BudgetExceeded(
                    f"{self._title} caps money and the model's price is unknown; "
                    "give its price under [prices] in config.toml, 0 if it is free"
                )
            if used.cost + cost > self._cap_cost:
                raise BudgetExceeded(
                    f"the next call may cost up to ${cost / MICROS:.4f} and {self._title} has "
                    f"${max(self._cap_cost - used.cost, 0) / MICROS:.4f} of ${self._cap_cost / MICROS:.2f} left"
                )
        if self._cap_tokens is not None and used.tokens + tokens > self._cap_tokens:
            raise BudgetExceeded(
                f"the next call may take up to {tokens:,} tokens and {self._title} has "
                f"{max(self._cap_tokens - used.tokens, 0):,} of {self._cap_tokens:,} left"
            )
        if self._parent:
            self._parent._check(cost, tokens)

    def _hold(self, amount: Amount) -> None:
        self._held += amount
        if self._parent:
            self._parent._hold(amount)

    def _settle(self, held: Amount, actual: Amount) -> None:
        self._held -= held
        self._spent += actual
        if self._parent:
            self._parent._settle(held, actual)


class Reservation:
    """What one call holds. Settled or released once; a second time changes nothing."""

    def __init__(self, ledger: BudgetLedger, amount: Amount) -> None:
        self._ledger = ledger
        self._amount = amount
        self._is_open = True

    def settle(self, cost: int | None, tokens: int) -> None:
        """Give the hold back and book what the call took; an unknown price (None) books no money."""
        self._close(Amount(cost or 0, tokens))

    def release(self) -> None:
        """Give the hold back: the call took nothing."""
        self._close(Amount())

    def _close(self, actual: Amount) -> None:
        with self._ledger._lock:
            if self._is_open:
                self._is_open = False
                self._ledger._settle(self._amount, actual)
