"""What readers were led to wait for over a book, and where it was paid: promises and the register of foreshadowing."""

from collections.abc import Callable, Iterator

from bookwright.exports.report.notes import read_as
from bookwright.exports.report.verdict import is_over
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType, ThreadStatus
from bookwright.models.document import DocumentKind
from bookwright.models.story.report import Thread
from bookwright.models.story.state import GlobalState
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.storage.stores import Stores

Numbering = Callable[[str], int | None]
"""Gives the number of the chapter that a label lies in."""


def threads_of(stores: Stores, number: Numbering) -> tuple[Thread, ...]:
    """Return all threads, those opened first first."""
    reading, is_finished = stores.codex.reading_order(), is_over(stores)
    own = (_registered(thread, number, reading, is_finished=is_finished) for thread in stores.codex.threads())
    threads = [*_promises(stores, number), *own]
    return tuple(sorted(threads, key=lambda thread: (thread.opened is None, thread.opened or 0)))


def _promises(stores: Stores, number: Numbering) -> list[Thread]:
    """Follow each promise through all versions of the story's state."""
    found: dict[str, Thread] = {}
    for state, label in _states(stores):
        here = number(label)
        for promise in state.promises:
            before = found.get(promise.id)
            found[promise.id] = Thread(
                title=promise.promise, source="promise",
                opened=before.opened if before else _first(promise.born, here, number),
                touched=_first(promise.touched, None, number), ending="overdue" if promise.is_overdue else "open",
            )  # fmt: skip
        for gone in state.settled:
            if gone.id in found:
                end = {"closed": _first(gone.where, here, number), "ending": gone.ending.value}
                found[gone.id] = found[gone.id].model_copy(update=end)
    return list(found.values())


def _states(stores: Stores) -> Iterator[tuple[GlobalState, str]]:
    """Yield each version of the state with the label of the unit that it took in last."""
    newest = stores.documents.latest(DocumentKind.GLOBAL_STATE)
    if newest is None:
        return
    news = dict(stores.documents.news_of(newest.node, DocumentKind.GLOBAL_STATE, DocumentKind.SUMMARY))
    for version in stores.documents.versions(newest.node, DocumentKind.GLOBAL_STATE):
        state = read_as(GlobalState, stores.documents.data_of(version))  # an old one is only text, and tells nothing
        if state is not None:
            yield state, news.get(version.id, "")


def _registered(thread: Foreshadowing, number: Numbering, reading: ReadingOrder, *, is_finished: bool) -> Thread:
    places = {event.type: event.place for event in thread.timeline.events}
    is_missed = is_finished and thread.status is ThreadStatus.REGISTERED
    planned = None if is_missed else thread.seed.planned_at
    planted = next((e.place for e in thread.timeline.events if e.type is ThreadEventType.PLANT), planned)
    meant = [str(place) for place in (thread.seed.planned_at, thread.payoff.planned_at) if place]
    last = thread.timeline.events[-1].place if thread.timeline.events else None
    return Thread(
        title=thread.title, source="foreshadowing", opened=_at(planted, number, reading),
        touched=_at(last, number, reading), closed=_at(places.get(ThreadEventType.REVEAL), number, reading),
        planned=" to ".join(meant), ending=_ending(thread, is_finished=is_finished),
    )  # fmt: skip


def _ending(thread: Foreshadowing, *, is_finished: bool) -> str:
    if is_finished and thread.status is ThreadStatus.REGISTERED:
        return "never planted"
    return "never paid off" if is_finished and thread.is_open else thread.status.value


def _at(place: Place | None, number: Numbering, reading: ReadingOrder) -> int | None:
    if place is None:
        return None
    return reading.number(place) if place.label is None else number(place.label)


def _first(label: str, otherwise: int | None, number: Numbering) -> int | None:
    """Return the chapter of a label; models also write "the ending" there, which is no place."""
    return number(label.strip()) or otherwise if label.strip() else otherwise
