"""How an accepted chapter is checked: against the codex and the story's clock, and by a judge of its quality.

Source: DESIGN section 10, item 5; S2-050 to S2-056.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.relay.registers import record_lines
from bookwright.agents.relay.secrets.coming_out import due_in_chapter, unknown_yet
from bookwright.agents.relay.threads.foreshadowing import as_before
from bookwright.agents.relay.times.people import ages_in
from bookwright.agents.relay.times.setting import setting_lines
from bookwright.agents.relay.times.timeline import ToldTimes, timeframe
from bookwright.agents.workflows import EXTRACT, QUALITY, evaluates
from bookwright.flows.activities.outcomes import keep_document, try_step
from bookwright.flows.activities.told_books import is_plotted
from bookwright.flows.activities.unit_facts import begin_activity, prose_of, prose_parts
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret, folded
from bookwright.models.codex.extraction import Extraction, FoundCheck, FoundEntry, FoundPerson
from bookwright.models.codex.record import named
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.story.quality import QualityIssue, QualityJudgement, QualityReport
from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.times import Comparison, stated
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_MOST_THREADS = 40
_RECORD_SHARE = 0.35
"""Of the room of an evaluator's prompt, for the entries that a text is held against."""
_MOST_PEOPLE = 16
_DATELINE = 60
"""Letters of a first line that may be nothing but a time."""
_SENTENCE = re.compile(r"[.!?。！？…”」]\s*$")

SECOND_ROUND = "quality.2"
_GRAVITY = ("critical", "warning", "info")


def extracts(unit: TaskNode, deps: Deps) -> bool:
    """Whether a model extracts facts from a text and checks it against the codex.

    `small` has no model for it; in `economy` nothing rests on the facts of what is written in one piece, or told whole.
    """
    if deps.profile.name is ProfileName.ECONOMY:
        return unit.parent is not None and not is_plotted(unit, deps)
    return evaluates(deps.profile.name)


@dataclass(frozen=True)
class ChapterCheck:
    """The entries, threads and secrets that a chapter is checked against."""

    chapter: int
    """Its number; 0 for the whole book."""
    record: tuple[str, ...]
    """The entries that it names, a line each."""
    threads: tuple[str, ...]
    """Those that were not over before it, a line each."""
    due: Sequence[Secret]
    """Secrets that were to come out in it."""
    times: tuple[str, ...]
    unknown_yet: tuple[str, ...]
    """What whoever holds it against the record has to know of the story's clock, as its card has it."""
    prose: int | None
    """The document that holds the chapter's text, if one does."""
    is_recorded: bool
    """The chapter has its report already."""

    @property
    def due_lines(self) -> tuple[str, ...]:
        """The secrets, a line each under its number: an id may tell what it stands for."""
        return tuple(f"{number}: {own.content}" for number, own in enumerate(self.due, 1))

    def named(self, found: Extraction) -> Extraction:
        """An extraction whose secrets go by their ids, and not by their numbers in the list; old answers have ids."""
        ids = {str(number): own.id for number, own in enumerate(self.due, 1)}
        reveals = (own.model_copy(update={"secret": ids.get(own.secret, own.secret)}) for own in found.reveals)
        return found.model_copy(update={"reveals": tuple(reveals)})


def last_prose(unit: TaskNode, stores: Stores) -> Document | None:
    """Return the prose of a unit, without its text; of one in parts, that of the last."""
    if parts := stores.nodes.child_units(unit.key):
        return last_prose(parts[-1], stores)
    return stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False)


def check_of(unit: TaskNode, text: str, deps: Deps) -> ChapterCheck:
    """The entries that the text names, and the threads that were not over before it."""
    room = round(deps.profile.context_budget[EXTRACT.context] * _RECORD_SHARE)
    with deps.stores() as stores:
        seen = stores.codex.seen_at(unit.label)
        reading = stores.codex.reading_order()
        before = [as_before(own, unit.label, reading) for own in stores.codex.threads()]
        threads = [own for own in before if own.is_open or own.status == "registered"]
        secrets = stores.codex.secrets()
        prose = last_prose(unit, stores)
        report = stores.documents.current(unit.key, DocumentKind.CONSISTENCY, with_text=False)
    record = record_lines(seen, text, reading, room, deps.desk.count_tokens, deps.desk.locale)
    chapter = reading.chapter_of(unit.label) if unit.parent is not None else 0
    is_recorded = report is not None and (prose is None or report.id > prose.id)
    return ChapterCheck(
        chapter=chapter,
        record=record,
        threads=tuple(f"{own.id} ({own.status}) {own.title}: {own.seed.content}" for own in threads[:_MOST_THREADS]),
        due=[own for own in secrets if due_in_chapter(own, unit.label, reading)],
        times=setting_lines(unit.label, reading, deps.desk.locale),
        unknown_yet=unknown_yet(secrets, unit.label, reading),
        prose=prose.id if prose else None,
        is_recorded=is_recorded,
    )


def dated_entry(found: FoundEntry, unit: TaskNode, stores: Stores, reading: ReadingOrder) -> FoundEntry:
    """Return an entry as it is to be filed: an aspect that a flashback tells otherwise gets the time in its name."""
    time = reading.clock.time_of(unit.label)
    if time is None or not _goes_back(unit.label, reading):
        return found
    old = named(stores.codex.entries(), found.name)
    known = {folded(own.name) for own in old.sections} if isinstance(old, CodexEntry) else set()
    facts = (
        fact.model_copy(update={"aspect": f"{fact.aspect} ({time.when})"}) if folded(fact.aspect) in known else fact
        for fact in found.facts
    )
    return found.model_copy(update={"facts": tuple(facts), "phase": ""})


def _goes_back(label: str, reading: ReadingOrder) -> bool:
    """Whether the manuscript told of a later time before."""
    before = reading.chapters[: reading.chapter_of(label) - 1]
    return any(reading.clock.compare(label, other) is Comparison.BEFORE for other in before)


def with_times(
    unit: TaskNode, text: str, said: Extraction, stores: Stores, reading: ReadingOrder
) -> tuple[Extraction, tuple[FoundCheck, ...]]:
    """Return what a chapter says with the times and ages that code finds in it, and its slips of time."""
    if reading.clock.is_empty:
        return said, ()
    names = [own.names for own in stores.codex.entries() if own.kind is EntryKind.CHARACTER]
    people = _with_ages(said.people, list(ages_in(text, names)))
    said = said.model_copy(update={"when": said.when or _dateline(text), "people": people[:_MOST_PEOPLE]})
    language = stores.books.get(unit.book).brief.language
    frame = timeframe(stores, language, now=ToldTimes(unit.label, said.when, said.people))
    return said, tuple(slip.check for slip in frame.slips() if f"{slip.label}.".startswith(f"{unit.label}."))


def _with_ages(people: tuple[FoundPerson, ...], found: list[FoundPerson]) -> tuple[FoundPerson, ...]:
    """What a model saw, with ages that code read where the model gave none."""
    ages = {folded(own.name): own for own in found}

    def aged(own: FoundPerson) -> FoundPerson:
        read = ages.get(folded(own.name))
        return own.model_copy(update={"age": read.age}) if own.age is None and read else own

    known = {folded(own.name) for own in people}
    return (*map(aged, people), *(own for name, own in ages.items() if name not in known))


def _dateline(text: str) -> str:
    """The first line, if it is nothing but a time; empty where it is a sentence or a title."""
    first = text.strip().partition("\n")[0].strip(" *_#—-")
    if len(first) > _DATELINE or _SENTENCE.search(first):
        return ""
    return first if stated(read_time(first)) else ""


def audit(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a chapter judged, and return what an editor is to weigh, the gravest first; nothing where no answer serves.

    What is merely noted counts where the whole fell below the threshold.
    """
    judgement = _judged(unit, QUALITY.name, deps)
    return _findings(judgement, deps) if judgement else ()


def audit_again(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a repaired chapter judged anew, for good; return what an editor is to weigh if it still falls short."""
    parts = [part.key for part, _ in prose_parts(unit, deps)]
    with deps.stores() as stores:
        texts = stores.documents.of_nodes(parts, DocumentKind.PROSE)
    is_repaired = any(prose.origin is DocumentOrigin.REPAIR for prose in texts)
    judgement = _judged(unit, SECOND_ROUND, deps) if is_repaired else None
    return _findings(judgement, deps) if judgement and _falls_short(judgement, deps) else ()


def _judged(unit: TaskNode, step: str, deps: Deps) -> QualityJudgement | None:
    """Ask for a judgement and keep it with the figures; None where no answer can be used."""
    text = prose_of(unit, deps)
    run = begin_activity(Activity.REVIEW, unit, deps, QUALITY.context, next_activity="close")
    run.lead_with("text", text)
    move = partial(report_move, unit, text, deps=deps, is_revised=step == SECOND_ROUND)
    outcome = try_step(run, QUALITY, move, step=step)
    return outcome.value if outcome else None


def _falls_short(judgement: QualityJudgement, deps: Deps) -> bool:
    return judgement.scores.overall < deps.desk.settings.quality_threshold


def _findings(judgement: QualityJudgement, deps: Deps) -> tuple[str, ...]:
    falls_short = _falls_short(judgement, deps)
    gravest = sorted(judgement.issues, key=lambda issue: _GRAVITY.index(issue.severity))
    return tuple(_line(issue) for issue in gravest if falls_short or issue.severity != "info")


def report_move(
    unit: TaskNode, text: str, judgement: QualityJudgement | None, deps: Deps, *, is_revised: bool = False
) -> Move:
    """The move that keeps what is known of a chapter's quality; figures alone where nobody has judged it."""
    language = deps.brief.language
    with deps.stores() as stores:
        names = [name for entry in stores.codex.entries() for name in entry.names]
    figures = Measurer(language, stock_list(language, deps.desk.settings.home), names).measure(text, unit.length)
    said = judgement.model_dump() if judgement else {}
    report = QualityReport(unit=unit.label, figures=figures, is_revised=is_revised, **said)
    return keep_document(unit, DocumentKind.QUALITY, report.assessment or unit.label, data=report.model_dump_json())


def _line(issue: QualityIssue) -> str:
    place = f"“{issue.location}”: " if issue.location else ""
    return f"{place}{issue.description}" + (f" → {issue.suggestion}" if issue.suggestion else "")
