"""What of a book is stale, what making it anew takes, and the hash by which that bill is confirmed."""

from collections.abc import Sequence
from dataclasses import dataclass

from bookwright.app.confirming import Confirmable
from bookwright.app.estimates.stale_bill import RefreshBill, bill_of
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.brief import Brief
from bookwright.models.staleness import StaleDocument
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class RefreshPreview(Confirmable):
    """What a refresh would do, with its bill."""

    subject = "What is stale"

    wanted: RefreshScope
    found: Sequence[StaleDocument]
    bill: RefreshBill

    @property
    def direct(self) -> list[StaleDocument]:
        """What is directly stale."""
        return [one for one in self.found if one.is_direct]

    def shown(self) -> tuple[object, ...]:
        """Return the scope, the list and the bill."""
        listed = [(one.document.id, one.is_direct) for one in self.found]
        return self.wanted.label, self.wanted.is_anew, listed, self.bill.facts()


def refresh_preview(stores: Stores, brief: Brief, wanted: RefreshScope) -> RefreshPreview:
    """Look what is stale within a scope, and what making it anew would take.

    Raises:
        NodeNotFound: The scope's node is none of the book.
    """
    stores.nodes.by_label(wanted.label)
    found = [one for one in Staleness(brief).all(stores) if wanted.holds(one)]
    return RefreshPreview(wanted, found, bill_of(found, stores))
