"""A report of a book as it stands: figures of each chapter, scores where there are some, threads, style, costs."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial

from bookwright.agents.blueprints.wording import check_name, word
from bookwright.agents.context.shortfall import MARK
from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.relay.figures.style import drift, profile_of
from bookwright.agents.relay.style_guide import kept_guide
from bookwright.agents.relay.threads.alerts import PACINGS
from bookwright.agents.relay.times.timeline import timeline_of
from bookwright.exports.manuscript import Manuscript, chapter_texts, first_chapters
from bookwright.exports.report.judgements import check_counts, judged, notes_of, read_as
from bookwright.exports.report.threads_and_secrets import alerts_of, secrets_of, threads_of
from bookwright.exports.report.verdict import last_verification
from bookwright.exports.vault.names import brief_locale
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.faults import CheckState
from bookwright.models.settings import Settings
from bookwright.models.story.candidates import CandidateChoice
from bookwright.models.story.report import BookReport, ChapterReport, ChoiceReport, RoleCost
from bookwright.models.text.figures import StyleProfile
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import order_of
from bookwright.prompts.render import render_part
from bookwright.storage.stores import BookStorage, Stores

_MOST_WARNINGS = 50


def report_of(storage: BookStorage, settings: Settings, sample: str = "") -> BookReport:
    """Gather what there is to say about a book. One chapter's text is in memory at a time.

    Drift is measured from the style of `sample`; where that is empty, from the guide that the book keeps to, or from
    the first chapters where it has none.

    Raises:
        InvalidInput: Nothing of the book is written yet.
        InvalidSetting: The author's list of stock phrases cannot be used.
    """
    with storage.read() as stores:
        book = stores.books.get(storage.book)
        root = stores.nodes.root()
        costs, marked = _costs(stores), stores.steps.marked(MARK, _MOST_WARNINGS)
        alerts = tuple(alert.detail for alert in alerts_of(stores, PACINGS["medium"]))
        known = [name for entry in stores.codex.entries() for name in entry.names]
    if not root.written:
        raise InvalidInput(f"nothing of book {storage.book!r} is written yet; there is nothing to report")
    profile, first = (profile_of([sample], storage.language), 0) if sample else style_of(storage)
    measurer = Measurer(storage.language, stock_list(storage.language, settings.home), known)
    chapters = tuple(_chapters(storage, measurer, profile, first))
    with storage.read() as stores:
        threads = threads_of(stores, partial(_chapter_of, [order_of(chapter.label) for chapter in chapters]))
        secrets = secrets_of(stores)
        timeline = timeline_of(stores, storage.book, storage.language)
        choices = tuple(_choices(stores))
        validation = tuple(_validation(stores, brief_locale(book.brief)))
    guide = render_part("story/_style_guide", profile=profile, unit=book.brief.length_unit)
    cover = Manuscript(storage).cover()
    return BookReport(
        book=book.id, title=cover.title, author=cover.author, language=storage.language.value,
        unit=book.brief.length_unit, state=book.state.value, written=root.written,
        length=root.length or book.brief.length, chapters=chapters, known_names=len(known),
        style=tuple(guide.splitlines()), style_chapters=first, threads=threads, secrets=secrets, alerts=alerts,
        warnings=tuple(f"{one.label} {one.activity}/{one.step}: {one.detail.removeprefix(MARK)}" for one in marked),
        timeline=timeline, costs=costs,
        validation=validation, choices=choices,
    )  # fmt: skip


def _chapters(storage: BookStorage, measurer: Measurer, profile: StyleProfile, first: int) -> Iterator[ChapterReport]:
    for number, (chapter, text) in enumerate(chapter_texts(storage), 1):
        figures = measurer.take_in(chapter.unit.label, text, chapter.unit.length)
        name = "The whole book" if chapter.unit.level is Level.BOOK else chapter.unit.title or "(no heading)"
        moved = None if number <= first else drift(profile_of([text], storage.language), profile)
        with storage.read() as stores:
            own, notes = judged(stores, chapter.unit, number), notes_of(stores, chapter.unit)
        yield ChapterReport(
            number=number, label=chapter.unit.label, heading=chapter.heading or name, figures=figures,
            drift=moved, quality=own.quality, checks=check_counts([own]), notes=notes,
        )  # fmt: skip


def style_of(storage: BookStorage) -> tuple[StyleProfile, int]:
    """Return the style that the book keeps to, and of how many first chapters it was measured: 0 for a sample."""
    with storage.read() as stores:
        guide = kept_guide(stores)
    if guide is not None:
        return guide.profile, guide.chapters
    texts = first_chapters(storage)
    return profile_of(texts, storage.language), len(texts)


def _choices(stores: Stores) -> Iterator[ChoiceReport]:
    """Choices among candidates in reading order; what is in a form that this version does not know is left out."""
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


def _validation(stores: Stores, locale: str) -> Iterator[str]:
    """The verdict of a blueprint's last verification, what was not checked, and what is open."""
    _, report = last_verification(stores)
    if report is None or report.verdict is None:
        return
    yield f"{word('verdict', locale)}: {word(report.verdict.value, locale)}"
    for check in report.checks:
        if check.state is CheckState.NOT_CHECKED:
            note = f" ({check.note})" if check.note else ""
            yield f"{check_name(check.check, locale)}: {word(check.state.value, locale)}{note}"
    for fault in report.open:
        yield f"{fault.label or word('unnamed', locale)}: {fault.fault}"


def _costs(stores: Stores) -> tuple[RoleCost, ...]:
    """Add up what each role has cost over all models that it asked, dearest first."""
    sums: dict[str, RoleCost] = {}
    for line in stores.steps.by_role():
        before = sums.get(line.role, RoleCost(role=line.role, calls=0, failed=0, tokens=0, micros=0, unpriced=0))
        sums[line.role] = RoleCost(
            role=line.role, calls=before.calls + line.calls, failed=before.failed + line.failed,
            tokens=before.tokens + line.input_tokens + line.output_tokens, micros=before.micros + line.cost,
            unpriced=before.unpriced + line.unpriced,
        )  # fmt: skip
    return tuple(sorted(sums.values(), key=lambda cost: (-cost.micros, -cost.tokens)))


def _chapter_of(orders: Sequence[tuple[int, ...]], label: str) -> int | None:
    """Return the number of the chapter that holds a unit or was the last before it; None for what is no label."""
    if not all(part.isdigit() for part in label.split(".")):
        return None
    return max(1, bisect_right(orders, order_of(label)))
