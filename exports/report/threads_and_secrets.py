"""What became of each thread and secret of a book: whether it was done, where, and which want looking after."""

from collections.abc import Callable, Iterator

from bookwright.agents.relay.scene import climax_ahead
from bookwright.agents.relay.secrets.coming_out import told_in
from bookwright.agents.relay.threads.alerts import Alert, Pacing, generate_alerts
from bookwright.exports.report.judgements import read_as
from bookwright.exports.report.verdict import is_over
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType, ThreadStatus
from bookwright.models.document import DocumentKind
from bookwright.models.story.report import SecretReport, Thread
from bookwright.models.story.state import GlobalState
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.models.tree.task import TaskNode
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
    standing = "never paid off" if is_finished and thread.is_open else thread.status.value
    planned = None if is_missed else thread.seed.planned_at
    planted = next((e.place for e in thread.timeline.events if e.type is ThreadEventType.PLANT), planned)
    meant = [str(place) for place in (thread.seed.planned_at, thread.payoff.planned_at) if place]
    last = thread.timeline.events[-1].place if thread.timeline.events else None
    return Thread(
        title=thread.title, source="foreshadowing", opened=_at(planted, number, reading),
        touched=_at(last, number, reading), closed=_at(places.get(ThreadEventType.REVEAL), number, reading),
        planned=" to ".join(meant), ending="never planted" if is_missed else standing,
    )  # fmt: skip


def _at(place: Place | None, number: Numbering, reading: ReadingOrder) -> int | None:
    if place is None:
        return None
    return reading.number(place) if place.label is None else number(place.label)


def _first(label: str, otherwise: int | None, number: Numbering) -> int | None:
    """Return the chapter of a label; models also write "the ending" there, which is no place."""
    return number(label.strip()) or otherwise if label.strip() else otherwise


def last_written(stores: Stores) -> TaskNode | None:
    """Return the last unit with prose of its own; None where nothing is written."""
    root = stores.nodes.root()
    written = stores.nodes.units_before(root, 1, with_own=True) or ([root] if root.written else [])
    return written[-1] if written else None


def alerts_of(stores: Stores, pacing: Pacing) -> list[Alert]:
    """Return the alerts of a book where its prose ends."""
    last, reading = last_written(stores), stores.codex.reading_order()
    climax = climax_ahead(_chapter_of(last, stores), stores, reading) if last else None
    return generate_alerts(
        stores.codex.threads(), last.label if last else "1", reading, pacing, climax=climax,
        is_finished=is_over(stores), secrets=stores.codex.secrets(),
    )  # fmt: skip


def _chapter_of(leaf: TaskNode, stores: Stores) -> TaskNode:
    above = stores.nodes.ancestors(leaf)
    return next((node for node in (leaf, *above) if node.level is Level.CHAPTER), leaf)


_QUOTED = 80
"""Letters of a quotation in a line."""


def secrets_of(stores: Stores) -> tuple[SecretReport, ...]:
    """Return what became of each secret."""
    reading, is_finished = stores.codex.reading_order(), is_over(stores)
    return tuple(_secret(secret, reading, is_finished=is_finished) for secret in stores.codex.secrets())


def register_lines(stores: Stores) -> tuple[str, ...]:
    """Return a line for each secret and thread, what was not done first."""
    reading = stores.codex.reading_order()
    secrets = [(own.ending in ("told", "kept"), _secret_line(own)) for own in secrets_of(stores)]
    living = [own for own in stores.codex.threads() if own.status is not ThreadStatus.ABANDONED]
    threads = [
        (own.status is ThreadStatus.REVEALED, f"thread {own.title}: {', '.join(_stages(own, reading))}")
        for own in living
    ]
    return tuple(line for _, line in sorted([*secrets, *threads], key=lambda pair: pair[0]))


def _secret(secret: Secret, reading: ReadingOrder, *, is_finished: bool) -> SecretReport:
    telling, ending = told_in(secret), _ending_of_secret(secret, reading, is_finished=is_finished)
    return SecretReport(
        id=secret.id, content=secret.content, planned=str(secret.revealed_at or "never"),
        told=reading.number(telling.place) if telling else None, ending=ending,
        claimed="" if telling else next((event.expression for event in secret.events if event.expression), ""),
    )  # fmt: skip


def _ending_of_secret(secret: Secret, reading: ReadingOrder, *, is_finished: bool) -> str:
    if told_in(secret) is not None:
        return "told"
    if secret.revealed_at is None:
        return "kept"
    is_beyond = reading.number(secret.revealed_at) > max(len(reading.chapters), 1)
    if secret.events or (is_beyond and is_finished):
        return "not told"
    return "not looked for" if is_finished else "kept"


def _secret_line(own: SecretReport) -> str:
    what = f"secret {own.id}"
    match own.ending:
        case "told":
            return f"{what}: came out in chapter {own.told}"
        case "kept":
            return f"{what}: kept"
        case "not told":
            said = f"; a model said so of words that do not tell it: {own.claimed[:_QUOTED]!r}"
            return f"{what}: was to come out ({own.planned}) and has not{said if own.claimed else ''}"
    return f"{what}: was to come out ({own.planned}); nobody has looked whether it did"


def _stages(thread: Foreshadowing, reading: ReadingOrder) -> Iterator[str]:
    places = {event.type: event.place for event in reversed(thread.timeline.events)}
    if thread.status is ThreadStatus.REGISTERED:
        yield f"never planted{_planned(thread.seed.planned_at)}"
    elif ThreadEventType.PLANT in places:
        yield f"planted in chapter {reading.number(places[ThreadEventType.PLANT])}"
    else:
        yield "planted"
    if thread.status is ThreadStatus.REVEALED:
        paid = places.get(ThreadEventType.REVEAL)
        yield f"paid off in chapter {reading.number(paid)}" if paid else "paid off"
    else:
        yield f"never paid off{_planned(thread.payoff.planned_at)}"


def _planned(place: Place | None) -> str:
    return f" (planned for {place})" if place else ""
