"""The choices among candidates that are on record: the orders of the drafts, what readers said, which was taken."""

from collections.abc import Iterator

from bookwright.exports.report.notes import read_as
from bookwright.models.document import DocumentKind
from bookwright.models.story.candidates import CandidateChoice
from bookwright.models.story.report import ChoiceReport
from bookwright.models.tree.place import order_of
from bookwright.storage.stores import Stores


def choices_of(stores: Stores) -> Iterator[ChoiceReport]:
    """Yield the choices of a book in reading order; what is in a form that this version does not know is left out."""
    found = stores.documents.labelled(DocumentKind.CANDIDATES)
    for label, document in sorted(found, key=lambda one: order_of(one[0])):
        choice = read_as(CandidateChoice, stores.documents.data_of(document))
        if choice is not None:
            unit = stores.nodes.get(document.node)
            yield ChoiceReport(
                label=label, heading=unit.title or "The whole book", judged=choice.summary, reasons=choice.told,
                orders=tuple(one.angle.told for one in choice.candidates), preferred=choice.preferred,
                chosen=choice.chosen, by=choice.by.value,
            )  # fmt: skip
