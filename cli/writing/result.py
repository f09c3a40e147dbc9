"""What `write` and `resume` say about a finished book: how long it is, what it cost, where it lies."""

from dataclasses import dataclass, field

from bookwright.agents.relay.threads.alerts import PACINGS, STILL_OPEN
from bookwright.app.access import OpenBook
from bookwright.app.status.books import verdict_of
from bookwright.cli.output import print_text
from bookwright.exports.files import export, export_path
from bookwright.exports.report import judgements
from bookwright.exports.report.threads_and_secrets import alerts_of, register_lines
from bookwright.exports.report.verdict import BookVerdict
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.wording import money, stale_count, tokens

_MOST_THREADS = 8
_MOST_LINES = 24
_MOST_PROPOSALS, _MOST_ALERTS = 3, 8


@dataclass(frozen=True)
class Result:
    """A finished book."""

    book: str
    title: str
    written: int
    length: int
    """What was asked for, in the same unit."""
    unit: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_micros: int
    was_finished: bool
    """It was finished before, and nothing was paid this time."""
    files: tuple[str, ...]
    open_threads: tuple[str, ...] = ()
    """What readers were led to wait for and did not get."""
    register: tuple[str, ...] = ()
    """What became of each secret and thread, a line each, what was not done first."""
    scores: dict[str, float] = field(default_factory=dict)
    """The seven and the whole, as means over the chapters that were judged; empty where none was."""
    judged: int = 0
    """How many chapters that were."""
    repaired: int = 0
    """How many of them were put right since."""
    checks: dict[str, int] = field(default_factory=dict)
    """Checks against the codex: passed, warnings, errors; empty where none came to a result."""
    proposals: tuple[str, ...] = ()
    """What the evaluator would have done, the most pressing first."""
    alerts: tuple[str, ...] = ()
    """What of threads and secrets wants looking after."""
    stale: int = 0
    """How many documents rest on what was changed since they were made."""
    verdict: BookVerdict | None = None
    """What the last verification of its blueprint came to; None where it has none."""

    @classmethod
    def of(cls, opened: OpenBook, formats: list[str], *, was_finished: bool) -> "Result":
        """Export a finished book and gather what there is to say."""
        book, storage = opened.book, opened.storage
        with storage.read() as stores:
            root = stores.nodes.root()
            register = register_lines(stores)
            chapters = judgements.judged_chapters(stores)
            alerts = alerts_of(stores, PACINGS["medium"])
            verdict = verdict_of(book, stores)
            waiting = tuple(thread.title for thread in stores.codex.threads() if thread.is_open)
            stale = len(Staleness(book.brief).direct(stores))
        files = [export(storage, name, export_path(book.id, name, opened.settings)) for name in formats]
        return cls(
            book=book.id, title=book.title, written=root.written, length=root.length or 0,
            unit=book.brief.length_unit, calls=book.calls, input_tokens=book.input_tokens,
            output_tokens=book.output_tokens, cost_micros=book.cost, was_finished=was_finished,
            files=tuple(map(str, files)), open_threads=waiting, register=register,
            scores=judgements.mean_scores(chapters), judged=sum(own.is_scored for own in chapters),
            checks=judgements.check_counts(chapters), proposals=tuple(judgements.proposals(chapters)),
            alerts=tuple(alert.detail for alert in alerts), stale=stale, verdict=verdict,
            repaired=sum(own.is_scored and own.is_repaired for own in chapters),
        )  # fmt: skip


def show_result(result: Result) -> None:
    """Print a finished book's facts, as lines for a person."""
    already = " already; nothing was paid" if result.was_finished else ""
    print_text(f'"{result.title}" is finished{already}: {result.written:,} of {result.length:,} {result.unit}')
    paid = f"{tokens(result.input_tokens + result.output_tokens)} tokens, {money(result.cost_micros)}"
    print_text(f"{result.calls:,} calls, {paid}")
    if result.verdict:
        why = f"`bookwright show {result.book} {result.verdict.node}` tells why"
        print_text(f"Verdict: {result.verdict.words}; {why}")
    if result.open_threads:
        count = len(result.open_threads)
        titles = "; ".join(result.open_threads[:_MOST_THREADS]) + ("; ..." if count > _MOST_THREADS else "")
        where = f"`bookwright foreshadowing list {result.book}` shows where"
        print_text(f"{count} thread{'s are' if count > 1 else ' is'} still open: {titles}; {where}")
    if result.stale:
        print_text(
            f"{stale_count(result.stale)}, since you changed what was written before; `bookwright stale "
            f"{result.book}` shows why, `bookwright refresh {result.book}` makes them anew"
        )
    for line in result.register[:_MOST_LINES]:
        print_text(f"  {line}")
    if len(result.register) > _MOST_LINES:
        more = len(result.register) - _MOST_LINES
        print_text(f"  and {more} more; `bookwright report {result.book} --to md` has all of them")
    _show_judgement(result)
    for file in result.files:
        print_text(file)
    print_text(f"`bookwright read {result.book}` shows it, `bookwright export {result.book} --to epub` makes a file")


def _show_judgement(result: Result) -> None:
    """Say how it was scored and checked, what would lift it, and what wants looking after."""
    if result.scores:
        of = f" of {result.judged} chapters" if result.judged > 1 else ""
        since = f" ({result.repaired} put right since)" if result.repaired else ""
        print_text(f"scores{of}{since}: {judgements.score_line(result.scores)}")
    if result.checks:
        print_text(f"checks against the codex: {judgements.counts_line(result.checks)}")
    for line in result.proposals[:_MOST_PROPOSALS]:
        print_text(f"  to do, {line}")
    alerts = [line for line in result.alerts if not line.endswith(STILL_OPEN)]  # those are named above
    for line in alerts[:_MOST_ALERTS]:
        print_text(f"  alert: {line}")
    if more := max(len(result.proposals) - _MOST_PROPOSALS, 0) + max(len(alerts) - _MOST_ALERTS, 0):
        print_text(f"  and {more} more; `bookwright report {result.book}` has all of them")
