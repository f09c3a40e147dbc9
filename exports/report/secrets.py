"""What became of each secret and each thread of a book: whether it was done, and where."""

from collections.abc import Iterator

from bookwright.agents.relay.secrets.coming_out import told_in
from bookwright.exports.report.verdict import is_over
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType, ThreadStatus
from bookwright.models.story.report import SecretReport
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.storage.stores import Stores

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
    telling, ending = told_in(secret), _ending(secret, reading, is_finished=is_finished)
    return SecretReport(
        id=secret.id, content=secret.content, planned=str(secret.revealed_at or "never"),
        told=reading.number(telling.place) if telling else None, ending=ending,
        claimed="" if telling else next((event.expression for event in secret.events if event.expression), ""),
    )  # fmt: skip


def _ending(secret: Secret, reading: ReadingOrder, *, is_finished: bool) -> str:
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
