"""One book as a whole: its state, its sums, who holds it."""

import re
from enum import StrEnum

from pydantic import Field

from bookwright.models.brief import Brief
from bookwright.models.frozen import FrozenModel

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def is_book_id(name: str) -> bool:
    """True if a book may be called so: files and folders are named after it."""
    return _ID.fullmatch(name) is not None


class BookState(StrEnum):
    """Where a book stands. Source: DESIGN section 5, rule 10."""

    WRITING = "writing"
    PAUSED = "paused"
    WAITING = "waiting"
    """A gate is open: a human decides."""
    FINISHED = "finished"
    CANCELLED = "cancelled"


RESTING = ("paused", "interrupted")
"""Where a book stands that somebody may go on with."""


def standing_of(state: BookState, *, is_held: bool, is_to_rest: bool, is_queued: bool = False) -> str:
    """Say in one word where a book stands; one that nobody writes any more was interrupted, or waits for a worker."""
    if is_held:
        return "stopping" if is_to_rest else state.value
    standing = "interrupted" if state is BookState.WRITING else state.value
    return "queued" if is_queued and standing in RESTING else standing


class Book(FrozenModel):
    """A book's row with its current brief."""

    id: str
    title: str
    brief: Brief
    brief_version: int = 1
    state: BookState
    reason: str = ""
    """Why the book rests; empty while it does not."""
    advice: str = ""
    """What to do about it."""
    has_failed: bool = False
    """It rests because something of it failed, and not because somebody wanted it to."""
    is_archived: bool = False
    stop_requested: bool = False
    stop_requested_at: float = 0.0
    """When that was asked for last, also once it is met."""
    created_at: float
    """Seconds since 1970, by the database's clock, as all times here."""
    updated_at: float
    lease_owner: str | None = None
    lease_expires: float = 0.0
    intent: str = ""
    """The step that was about to be asked when the last one was recorded."""
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: int = 0
    """Millionths of a US dollar."""
    unpriced_calls: int = 0
    length_ratio: float = 1.0
    windows: dict[str, int] = Field(default_factory=dict)
    """Tokens that the servers of its models said these take, by `provider:model`."""

    @property
    def tokens(self) -> int:
        """Prompt and output together, as the budget counts them."""
        return self.input_tokens + self.output_tokens

    @property
    def dollars(self) -> float:
        """What was paid, in US dollars."""
        return self.cost / 1_000_000
