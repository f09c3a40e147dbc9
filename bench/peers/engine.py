"""This engine: its own walk over its own storage, as many steps as the others make."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bench.parts import EnoughAsked, NullAsker, walk_null_book
from bench.peers.ledger import Ledger, read
from bookwright import garbage
from bookwright.agents.backends.protocol import Request
from bookwright.models.errors import BookHeld

LEASE_SECONDS = 2.0
"""After a kill, the next worker may take the book over when this has passed."""

garbage.spare_start()  # as the program `bookwright` does before it loads anything


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Walk a book until it has as many steps as there are keys; a book that another holds is left alone."""
    known = {paid.key for paid in read(ledger.path)}

    def pay(request: Request) -> None:
        # The seed is made of the step's whole identity and the attempt; the label alone comes back in later rounds.
        key = f"{request.facts['label']}/{request.facts['step']}/{request.sampling.seed}"
        if key not in known and len(known) == len(keys):
            raise EnoughAsked
        known.add(key)
        ledger.own_cpu = asker.own_cpu
        ledger.pay(key)

    asker = NullAsker(on_call=pay)
    with suppress(BookHeld):
        walk_null_book(home, asker, lease_seconds=LEASE_SECONDS)
    ledger.text_bytes = asker.text_bytes
