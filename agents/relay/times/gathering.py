"""Gathers from a book's records all that its times are checked by."""

from pydantic import ValidationError

from bookwright.agents.relay.times.people import lives_of
from bookwright.agents.relay.times.slips import Timeframe, ToldTimes
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.document import DocumentKind
from bookwright.models.text.language import Language
from bookwright.models.tree.place import order_of
from bookwright.storage.stores import Stores


def timeframe(stores: Stores, language: Language, *, now: ToldTimes | None = None) -> Timeframe:
    """Return what the records of a book say of its times; `now` is told by a chapter that has no record yet.

    A book in which no unit has a time has nothing to be checked, and nothing is read of it.
    """
    reading = stores.codex.reading_order()
    if reading.clock.is_empty:
        return Timeframe(reading)
    told = {own.label: own for own in _told(stores)} | ({now.label: now} if now else {})
    ordered = sorted(told.values(), key=lambda own: order_of(own.label))
    return Timeframe(reading, ordered, lives_of(stores.codex.entries(), reading), stores.codex.secrets(), language)


def _told(stores: Stores) -> list[ToldTimes]:
    found = stores.documents.labelled(DocumentKind.CONSISTENCY)
    reports = stores.documents.data_of_all([document for _, document in found])
    told = []
    for (label, _), data in zip(found, reports, strict=True):
        try:
            report = ConsistencyReport.model_validate_json(data)
        except ValidationError:  # in a form that this version does not know
            continue
        told.append(ToldTimes(label, report.when, report.people))
    return told
