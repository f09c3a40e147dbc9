"""Codex, threads and secrets as whoever plans or checks is shown them: all there is, nothing kept back.

Planners read what is to be done where they plan; a text is checked against the entries that it names, each
with its phase, each fact with its place and time.

Source: DESIGN section 10, items 2 and 6; REQUIREMENTS C-13, S2-057.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bookwright.agents.relay.codex_texts import section_level
from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.secrets import coming_out
from bookwright.agents.relay.secrets.coming_out import SecretState
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.threads.foreshadowing import as_before
from bookwright.agents.relay.threads.instructions import GRAVEST, ORDERS, ForeshadowInstruction, comes_out_in, instruct
from bookwright.models.codex.entries import EntryKind, Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEvent, ThreadStatus
from bookwright.models.codex.sight import SeenEntry, SeenSection
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.prompts.render import render_no_room, render_part
from bookwright.storage.index.ranking import terms

_STATES = (SecretState.DUE, SecretState.KEPT, SecretState.PENDING, SecretState.TOLD)
_BEHIND = "999999999"
"""Ordinal of a unit behind all that are there."""


@dataclass(frozen=True)
class Where:
    """A place, with the chapter that it lies in as the book stands."""

    place: Place
    chapter: int

    @classmethod
    def of(cls, place: Place | None, reading: ReadingOrder) -> "Where | None":
        """Return it for a place; None for none."""
        return None if place is None else cls(place, reading.number(place))


@dataclass(frozen=True)
class PlannedSecret:
    """A secret, for whoever plans."""

    secret: Secret
    state: SecretState
    """`DUE` only where it is an order for this very unit."""
    is_late: bool = False
    is_later: bool = False
    """The unit is set before it happens."""
    unaware: tuple[str, ...] = ()
    """Who comes to know it later than the unit is set."""
    comes_out: Where | None = None
    came_out: Where | None = None


@dataclass(frozen=True)
class PlannedThread:
    """A thread as it stands, for whoever plans."""

    thread: Foreshadowing
    order: ForeshadowInstruction
    """What is to be done for it in this very unit."""
    planted: Where | None = None
    paid_off: Where | None = None
    brought_back: tuple[Where, ...] = ()
    done: tuple[tuple[ThreadEvent, Where], ...] = ()
    """What pages have done for it, in the order of the pages."""


@dataclass(frozen=True)
class RecordedFact:
    """One section of an entry, for whoever plans or holds a text against it."""

    name: str
    text: str
    is_kept: bool = False
    """Readers are not to know it yet."""
    phase: str = ""
    """The phase that it tells of, where that is not the present one."""
    is_over: bool = False
    """That phase is over; one that is not has still to begin."""
    known_from: Where | None = None
    """Where readers learn of it, if they do not know it yet."""
    when: str = ""
    """When it happens in the story."""


@dataclass(frozen=True)
class PlannedEntry:
    """A character or a piece of the world, for whoever plans."""

    kind: EntryKind
    name: str
    aliases: tuple[str, ...]
    facts: tuple[RecordedFact, ...]


def place_of_plan(label: str, reading: ReadingOrder, *, is_dividing: bool) -> str:
    """Return where what is planned for a unit will stand: what cuts chapters plans for the next one."""
    return f"{label}.{_BEHIND}" if is_dividing and reading.holds_chapters(label) else label


def planned_secrets(secrets: Iterable[Secret], at: str, reading: ReadingOrder) -> list[PlannedSecret]:
    """Return all secrets: what is to come out at `at`, then what is kept, the gravest first, then what is out."""
    found = [_planned_secret(secret, at, reading) for secret in secrets]
    return sorted(found, key=lambda own: (_STATES.index(own.state), *_rank(own)))


def planned_threads(threads: Sequence[Foreshadowing], at: str, reading: ReadingOrder) -> list[PlannedThread]:
    """Return all threads that are not given up: those with an order at `at`, the open ones, then the others."""
    orders = {own.foreshadowing_id: own for own in instruct(threads, at, reading, Matcher(Withholding()))}
    living = [own for own in threads if own.status is not ThreadStatus.ABANDONED]
    found = [_planned_thread(as_before(own, at, reading), orders[own.id], reading) for own in living]
    return sorted(found, key=_urgency)


def planned_entries(codex: CodexReader, at: str, told: str) -> list[PlannedEntry]:
    """Return all entries of a codex: those that `told` names first, of the others those that came last."""
    reading, draft = codex.reading_order(), fold(told)
    seen = codex.seen_at(at)
    named = [own for own in seen if any(find_keyword(draft, name) for name in own.entry.names)]
    rest = [own for own in reversed(seen) if own not in named]
    return [_planned_entry(own, reading) for own in (*named, *rest)]


def _planned_secret(secret: Secret, at: str, reading: ReadingOrder) -> PlannedSecret:
    state, telling = coming_out.state_of(secret, at, reading), coming_out.told_in(secret)
    if state is SecretState.DUE and not comes_out_in(secret, at, reading):
        state = SecretState.KEPT if reading.holds_chapters(at) else SecretState.PENDING
    is_told = state is SecretState.TOLD and telling is not None
    return PlannedSecret(
        secret=secret, state=state, is_late=coming_out.is_late(secret, at, reading),
        is_later=coming_out.is_yet_to_happen(secret, at, reading), unaware=coming_out.unaware_at(secret, at, reading),
        comes_out=Where.of(secret.revealed_at, reading),
        came_out=Where.of(telling.place, reading) if telling and is_told else None,
    )  # fmt: skip


def _rank(own: PlannedSecret) -> tuple[int, int]:
    """The gravest first, and of those what comes out first; of what is out, what came out last."""
    if own.state is SecretState.TOLD:
        return -(own.came_out or own.comes_out or Where(Place(chapter=1), 0)).chapter, 0
    return GRAVEST.index(own.secret.importance), own.comes_out.chapter if own.comes_out else 10**9


def _planned_thread(thread: Foreshadowing, order: ForeshadowInstruction, reading: ReadingOrder) -> PlannedThread:
    back = (Where.of(place, reading) for place in thread.timeline.reinforce_at)
    return PlannedThread(
        thread=thread, order=order, planted=Where.of(thread.seed.planned_at, reading),
        paid_off=Where.of(thread.payoff.planned_at, reading), brought_back=tuple(filter(None, back)),
        done=tuple((event, Where(event.place, reading.number(event.place))) for event in thread.timeline.events),
    )  # fmt: skip


def _urgency(own: PlannedThread) -> tuple[bool, bool, bool, int]:
    is_over = own.thread.status is ThreadStatus.REVEALED
    return own.order.action not in ORDERS, is_over, not own.thread.is_open, own.paid_off.chapter if own.paid_off else 0


def _planned_entry(seen: SeenEntry, reading: ReadingOrder) -> PlannedEntry:
    facts = (
        RecordedFact(
            name=own.section.name, text=own.section.text, is_kept=section_level(seen, own) < Visibility.USE,
            known_from=None if own.reader_may_know else Where.of(own.section.known_from, reading),
        )
        for own in seen.sections
        if own.section.text
    )  # fmt: skip
    return PlannedEntry(seen.entry.kind, seen.entry.name, seen.entry.aliases, tuple(facts))


@dataclass(frozen=True)
class RecordedEntry:
    """An entry as a text is held against it."""

    kind: str
    names: tuple[str, ...]
    phase: str
    """The phase that it is in; empty without phases."""
    facts: tuple[RecordedFact, ...]
    left_out: int = 0
    """How many of its facts found no room."""


def record_lines(
    seen: Sequence[SeenEntry], text: str, reading: ReadingOrder, room: int, count: Callable[[str], int], locale: str
) -> tuple[str, ...]:
    """Return the entries that a text names, most often named first, each whole as long as there is room for it.

    `room` is counted in tokens. Of an entry that is too long the facts stay that share most words with the text; a
    last line says how many entries are left out.
    """
    if not seen:
        return ()
    draft, words = fold(text), set(terms(text))
    times = [(own, sum(len(find_keyword(draft, name)) for name in own.entry.names)) for own in seen]
    named = [own for own, often in sorted(times, key=lambda pair: -pair[1]) if often]
    lines: list[str] = []
    left = room
    for own in named:
        facts = tuple(_fact(section, own, reading) for section in own.sections if section.section.text)
        entry = RecordedEntry(own.entry.kind.value, own.entry.names, own.phase or "", facts)
        if line := _fitting(entry, words, left, count, locale):
            lines.append(line)
            left -= count(line) + 1
    missing = len(named) - len(lines)
    return (*lines, render_no_room(missing, locale)) if missing else tuple(lines)


def _fitting(entry: RecordedEntry, words: set[str], room: int, count: Callable[[str], int], locale: str) -> str:
    """Print an entry whole, or with the facts that there is room for; empty if there is none for any."""
    whole = render_part("story/relay/_record", locale, entry=entry)
    if count(whole) < room:
        return whole
    kept: list[RecordedFact] = []
    line = ""
    for fact in sorted(entry.facts, key=lambda fact: -len(words & set(terms(f"{fact.name} {fact.text}")))):
        shown = tuple(own for own in entry.facts if own in (*kept, fact))
        cut = replace(entry, facts=shown, left_out=len(entry.facts) - len(shown))
        longer = render_part("story/relay/_record", locale, entry=cut)
        if count(longer) < room:
            kept.append(fact)
            line = longer
    return line


def _fact(seen: SeenSection, of: SeenEntry, reading: ReadingOrder) -> RecordedFact:
    own = seen.section
    is_other = own.phase is not None and folded(own.phase) != folded(of.phase or "")
    return RecordedFact(
        name=own.name, text=" ".join(own.text.split()), phase=own.phase or "" if is_other else "",
        is_over=is_other and _comes_before(own.phase or "", of),
        known_from=None if seen.reader_may_know else Where.of(own.known_from, reading),
        when=own.happens_at.when if own.happens_at else "",
    )  # fmt: skip


def _comes_before(phase: str, of: SeenEntry) -> bool:
    order: Sequence[str] = [folded(own.name) for own in of.entry.phases]
    return of.phase is not None and order.index(folded(phase)) < order.index(folded(of.phase))
