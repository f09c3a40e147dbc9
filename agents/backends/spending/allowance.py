"""A running book's allowance of the studio's cap: asked for in slices, spent without asking."""

from bookwright.failpoints import Failpoint
from bookwright.models.amount import Amount, Cap
from bookwright.models.errors import BudgetExceeded, DatabaseUnreachable
from bookwright.storage.steps.journal import Journal
from bookwright.storage.studio import Studio


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
