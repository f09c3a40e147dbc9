"""What all books of a database share: the studio's cap, and the rate limit of each provider.

The cap is what they may spend together, handed to running books in slices. A book that runs has an allowance: how far
its own spending may go. What a book counts for is what it has spent, by the sums that its journal keeps, or its
allowance while that is more and its lease runs. So nothing has to be told per call, and an allowance comes back by
itself: when the book rests, or, of a worker that died, when its lease has run out and the next book asks.
Source: DESIGN section 16.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, case, delete, func, insert, select, update

from bookwright.models.amount import MICROS, Amount, Cap
from bookwright.models.errors import BudgetExceeded
from bookwright.models.wording import dollars
from bookwright.storage.engine.database import database_now
from bookwright.storage.lease import IS_HELD
from bookwright.storage.tables import allowances, books, paces, studio

_SHARE = 20
"""A slice is this part of what is left, so that slices shrink as the cap comes near ..."""
_CALLS = 4
"""... but not below so many of the next call at its worst, so that a slice is not asked for at every call."""

_tokens = books.c.input_tokens + books.c.output_tokens
_ahead_cost = case((IS_HELD & (allowances.c.cost > books.c.cost), allowances.c.cost - books.c.cost), else_=0)
_ahead_tokens = case((IS_HELD & (allowances.c.tokens > _tokens), allowances.c.tokens - _tokens), else_=0)
_STANDING = select(
    func.coalesce(func.sum(books.c.cost), 0),
    func.coalesce(func.sum(_tokens), 0),
    func.coalesce(func.sum(_ahead_cost), 0),
    func.coalesce(func.sum(_ahead_tokens), 0),
).select_from(books.outerjoin(allowances, allowances.c.book == books.c.id))
_LOCK = select(studio.c.id).with_for_update()
"""Lets one transaction at a time go on; on SQLite only one writes anyway."""
_DELETED = select(studio.c.deleted_cost, studio.c.deleted_tokens)


@dataclass(frozen=True)
class StudioStanding:
    """Where the studio stands."""

    spent: Amount
    """By all books, deleted ones included."""
    handed_out: Amount
    """What running books may still spend without asking."""

    @property
    def total(self) -> Amount:
        """What is no longer there to be handed out."""
        return self.spent + self.handed_out


class Studio:
    """What all books spend, and when they may ask a provider, in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def standing(self, without: str = "") -> StudioStanding:
        """Return what is spent and handed out, by all books or by all but one."""
        row = self._connection.execute(_STANDING.where(books.c.id != without)).one()
        deleted = self._connection.execute(_DELETED).one()
        spent = Amount(int(row[0]) + deleted.deleted_cost, int(row[1]) + deleted.deleted_tokens)
        return StudioStanding(spent, Amount(int(row[2]), int(row[3])))

    def extend(self, book: str, used: Amount, need: Amount, cap: Cap) -> Cap:
        """Hand a book a slice of what is left; return how far it may spend in all from now on.

        `used` is what the book has spent and holds for calls in flight, `need` the worst that its next call can take.
        The book's own row must be fenced before, in the same transaction; whoever else asks waits for this one's end.

        Raises:
            BudgetExceeded: Less than that is left.
        """
        self._connection.execute(_LOCK)
        # What dead workers hold is void for good: one that was only asleep finds out and asks again.
        self._connection.execute(delete(allowances).where(allowances.c.book.in_(select(books.c.id).where(~IS_HELD))))
        standing = self.standing(without=book)
        left = cap.less(standing.total + used)
        if not left.covers(need):
            raise _refusal(need, left, cap, standing)
        allowance = used + Amount(_slice(left.cost, need.cost), _slice(left.tokens, need.tokens))
        self.give_back(book)
        self._connection.execute(insert(allowances).values(book=book, cost=allowance.cost, tokens=allowance.tokens))
        return Cap(None if cap.cost is None else allowance.cost, None if cap.tokens is None else allowance.tokens)

    def give_back(self, book: str) -> None:
        """Void a book's allowance: it counts for what it has spent and no more."""
        self._connection.execute(delete(allowances).where(allowances.c.book == book))

    def keep_spent(self, book: str) -> None:
        """Go on counting what a book has spent that is about to be deleted."""
        spent = self._connection.execute(select(books.c.cost, _tokens.label("tokens")).where(books.c.id == book)).one()
        self._connection.execute(
            update(studio).values(
                deleted_cost=studio.c.deleted_cost + spent.cost, deleted_tokens=studio.c.deleted_tokens + spent.tokens
            )
        )

    def take_turn(self, provider: str, interval: float) -> float:
        """Take the next free turn at a provider, turns being `interval` seconds apart, by the database's clock.

        Return in how many seconds it comes.
        """
        self._connection.execute(_LOCK)  # also before there is a row
        now = float(self._connection.execute(select(database_now())).scalar_one())
        free = self._connection.execute(select(paces.c.next_free).where(paces.c.provider == provider)).scalar()
        turn = max(now, free or 0.0)
        if free is None:
            self._connection.execute(insert(paces).values(provider=provider, next_free=turn + interval))
        else:
            here = paces.c.provider == provider
            self._connection.execute(update(paces).where(here).values(next_free=turn + interval))
        return turn - now


def _slice(left: int | None, need: int) -> int:
    return 0 if left is None else min(left, max(_CALLS * need, left // _SHARE))


def _refusal(need: Amount, left: Cap, cap: Cap, standing: StudioStanding) -> BudgetExceeded:
    if left.cost is not None and need.cost > left.cost:
        name, told = "studio_usd", (
            f"the next call may cost up to ${need.cost / MICROS:.4f} and the studio has "
            f"${max(left.cost, 0) / MICROS:.4f} of studio_usd {dollars(cap.usd)} left "
            f"(other running books hold ${standing.handed_out.cost / MICROS:.4f})"
        )  # fmt: skip
    else:
        name, told = "studio_tokens", (
            f"the next call may take up to {need.tokens:,} tokens and the studio has "
            f"{max(left.tokens or 0, 0):,} of studio_tokens {cap.tokens or 0:,} left "
            f"(other running books hold {standing.handed_out.tokens:,})"
        )  # fmt: skip
    return BudgetExceeded(told, f"raise {name} in config.toml (or BOOKWRIGHT_{name.upper()}) on every worker")
