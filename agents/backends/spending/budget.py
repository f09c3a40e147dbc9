"""The budget: held before a call at its worst, settled after it at what it was.

Of the studio's cap a running book has an allowance: asked for in slices, spent without asking.
"""

from threading import RLock
from typing import Self

from bookwright.failpoints import Failpoint
from bookwright.models.amount import MICROS, Amount, Cap
from bookwright.models.errors import BudgetExceeded, DatabaseUnreachable
from bookwright.models.wording import dollars
from bookwright.storage.steps.journal import Journal
from bookwright.storage.studio import Studio


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
        slices: "Allowance | None" = None,
        title: str = "the budget",
        remedy: str = "",
    ) -> None:
        """Open a ledger.

        Args:
            cap_usd: US dollars in all; None for no cap.
            cap_tokens: Prompt and output tokens in all; None for no cap.
            spent_cost: What was spent before, in millionths of a US dollar.
            slices: Where to ask for a part of the cap over all books, if there is one.
            title: What messages call it.
            remedy: What they say to do when it is used up.
        """
        self._cap = Cap.of(cap_usd, cap_tokens)
        self._spent = Amount(spent_cost, spent_tokens)
        self._held = Amount()
        self._family: tuple[BudgetLedger, ...] = (self, *(parent._family if parent else ()))
        self._slices = slices
        self._title = title
        self._remedy = remedy
        self._lock: RLock = parent._lock if parent else RLock()

    @property
    def is_capped(self) -> bool:
        """Whether this ledger or one above it can refuse a call."""
        return any(own._cap.is_set or own._slices is not None for own in self._family)

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

    def has_slice(self, cost: int | None, tokens: int) -> bool:
        """Tell whether a call of this worst can be reserved without asking for a slice before."""
        with self._lock:
            is_sure = all(own._slices is None or not own._slices.is_doubtful for own in self._family)
            return is_sure and self._is_covered(cost, tokens)

    def ask_for_slice(self, cost: int | None, tokens: int) -> None:
        """Ask for the slice that a call of this worst needs. Waits for the database: not for the event loop.

        Raises:
            BudgetExceeded: A cap of this family leaves no room for it, so no slice was taken; or there is none.
        """
        with self._lock:
            self._check(cost, tokens)
        for own in self._family:
            slices, used = own._slices, own._used
            if slices is not None and (slices.is_doubtful or not slices.covers(used, cost, tokens)):
                slices.extend(used, cost, tokens)

    def reserve(self, cost: int | None, tokens: int) -> "Reservation":
        """Hold the worst that a call can cost, in millionths of a US dollar (None: unknown) and tokens.

        Raises:
            BudgetExceeded: It is more than is left, or its price is unknown and money is capped.
        """
        with self._lock:
            self._check(cost, tokens)
            if not self._is_covered(cost, tokens):
                raise BudgetExceeded(f"{self._title} holds no slice for a call of {tokens:,} tokens", "resume the book")
            amount = Amount(cost or 0, tokens)
            for own in self._family:
                own._held += amount
            return Reservation(self, amount)

    @property
    def _used(self) -> Amount:
        with self._lock:
            return self._spent + self._held

    def _is_covered(self, cost: int | None, tokens: int) -> bool:
        return all(own._slices is None or own._slices.covers(own._used, cost, tokens) for own in self._family)

    def _check(self, cost: int | None, tokens: int) -> None:
        for own in self._family:
            own._require_room(cost, tokens)

    def _require_room(self, cost: int | None, tokens: int) -> None:
        left = self._cap.less(self._used)
        if left.cost is not None:
            if cost is None:
                raise BudgetExceeded(
                    f"{self._title} caps money and the model's price is unknown; "
                    "give its price under [prices] in config.toml, 0 if it is free"
                )
            if cost > left.cost:
                raise BudgetExceeded(
                    f"the next call may cost up to ${cost / MICROS:.4f} and {self._title} has "
                    f"${max(left.cost, 0) / MICROS:.4f} of {dollars(self._cap.usd)} left",
                    self._remedy,
                )
        if left.tokens is not None and tokens > left.tokens:
            raise BudgetExceeded(
                f"the next call may take up to {tokens:,} tokens and {self._title} has "
                f"{max(left.tokens, 0):,} of {self._cap.tokens:,} left",
                self._remedy,
            )


class Reservation:
    """What one call holds. Settled once; a second time changes nothing."""

    def __init__(self, ledger: BudgetLedger, amount: Amount) -> None:
        self._ledger = ledger
        self._amount = amount
        self._is_open = True

    def settle(self, cost: int | None, tokens: int) -> None:
        """Give the hold back and book what the call took; an unknown price (None) books no money."""
        with self._ledger._lock:
            if self._is_open:
                self._is_open = False
                for own in self._ledger._family:
                    own._held -= self._amount
                    own._spent += Amount(cost or 0, tokens)


class Allowance:
    """How far one book may spend before it has to ask the database again."""

    def __init__(self, book: str, cap: Cap, journal: Journal, lease_seconds: float) -> None:
        """Begin with nothing of `cap`, which is the studio's, over all books."""
        self._book = book
        self._cap = cap
        self._journal = journal
        self._longest_silence = lease_seconds / 2
        self._limit = Cap(0, 0)

    def covers(self, used: Amount, cost: int | None, tokens: int) -> bool:
        """Tell whether what was handed out is enough for a call of this worst."""
        return self._knows_price(cost) and self._limit.covers(used + Amount(cost or 0, tokens))

    @property
    def is_doubtful(self) -> bool:
        """True after a silence in which the lease may have run out: another book may have been handed our slice."""
        return self._journal.silence > self._longest_silence

    def extend(self, used: Amount, cost: int | None, tokens: int) -> None:
        """Ask for a slice that covers a call of this worst; one short transaction.

        Raises:
            BudgetExceeded: The studio has not that much left.
            LeaseLost: The book is another worker's.
            StorageError: The database could not be asked.
        """
        if not self._knows_price(cost):
            raise BudgetExceeded(
                "studio_usd caps money and the model's price is unknown",
                "give its price under [prices] in config.toml, 0 if it is free",
            )
        need = Amount(cost or 0, tokens)
        try:
            self._ask(used, need)
        except DatabaseUnreachable:
            self._ask(used, need)  # to have been handed it already is no harm: it is handed out anew
        self._journal.forget_silence()

    def _ask(self, used: Amount, need: Amount) -> None:
        with self._journal.fenced(Failpoint.TAKE_ALLOWANCE) as connection:
            limit = Studio(connection).extend(self._book, used, need, self._cap)
        self._limit = limit

    def _knows_price(self, cost: int | None) -> bool:
        return cost is not None or self._cap.cost is None
