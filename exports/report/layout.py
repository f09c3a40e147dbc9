"""A report with its charts and findings, laid out: Markdown for a file, HTML as one page that needs nothing else."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bookwright.exports.markup import clean, to_markdown
from bookwright.exports.report.charts import Chart, Series, Stretch, bars, lines, stretches
from bookwright.exports.report.judgements import SCORE_NAMES, counts_line, issue_line
from bookwright.models.codex.foreshadowing import ThreadStatus
from bookwright.models.story.quality import LEAST, ScoreBand
from bookwright.models.story.report import BookReport, ChapterReport, Thread
from bookwright.models.wording import counted, money

LAYOUTS = ("html", "md")
"""What a report can be, by the ending of its files."""

_FEWEST_FOR_ARC = 3
_MOST_THREADS = 60
_MOST_PHRASES = 15
_LEVELS = [(least, band.words) for band, least in LEAST.items() if least > 0]


def laid_out(report: BookReport, layout: str) -> str:
    """Return the report as one HTML page (no script, nothing fetched), or as Markdown with its charts as tables."""
    values = {
        "report": report, "charts": charts(report), "threads": shown_threads(report),
        "thread_chart": thread_chart(report), "summary": summary(report), "phrases": book_phrases(report),
        "numbers": {chapter.label: chapter.number for chapter in report.chapters},
        "style_source": style_source(report),
        "rate": per_thousand(report), "total": sum(cost.micros for cost in report.costs),
        "is_judged": any(map(_has_scores, report.chapters)), "score_names": SCORE_NAMES,
        "scored": [chapter for chapter in report.chapters if _has_scores(chapter) or chapter.checks],
    }  # fmt: skip
    template = _templates(is_html=layout == "html").get_template(f"report.{layout}.j2")
    return clean(template.render(values)).strip() + "\n"


@cache
def _templates(*, is_html: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=is_html,
    )
    environment.filters.update(_FILTERS)
    return environment


def _has_scores(chapter: ChapterReport) -> bool:
    return chapter.quality is not None and chapter.quality.scores is not None


def _signed_share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:+.0f} %".replace("-0 %", "0 %").replace("+0 %", "0 %")


_FILTERS: dict[str, Callable[..., Any]] = {
    "whole": "{:,.0f}".format,
    "share": lambda value: f"{100 * value:.0f} %",
    "signed_share": _signed_share,
    "dollars": money,
    "band": lambda score: ScoreBand.of(score).words,
    "cell": lambda text: to_markdown(" ".join(text.split())),
    "drawing": lambda chart: Markup(chart.svg),  # made by our own functions, which escape what they are given
    "issue": issue_line,
    "checks": counts_line,
}


def charts(report: BookReport) -> list[Chart]:
    """Return the charts that the book has figures for."""
    drawn = [_length(report), _scores(report), _tension(report), _pace(report), _rhythm(report), _stock(report),
             _drift(report)]  # fmt: skip
    return [chart for chart in drawn if chart is not None]


def _length(report: BookReport) -> Chart:
    about = f"{report.unit.capitalize()} of each chapter; the mark is its target."
    values = [chapter.figures.length for chapter in report.chapters]
    targets = [chapter.figures.target for chapter in report.chapters]
    return bars("Length", about, values, targets)


def _scores(report: BookReport) -> Chart | None:
    values = [_score(chapter, "overall") for chapter in report.chapters]
    if not any(value is not None for value in values):
        return None
    about = "The overall score that the evaluator gave each chapter, with the bands of the scale."
    return lines("Scores", about, [Series("overall", values)], 1.0, _LEVELS)


def _tension(report: BookReport) -> Chart | None:
    series = [
        Series(name, [_score(chapter, field) for chapter in report.chapters])
        for name, field in (("excitement", "reader_excitement"), ("resonance", "emotional_resonance"))
    ]
    if not any(value is not None for one in series for value in one.values):
        return None
    about = "How exciting, and how moving, the evaluator found each chapter."
    return lines("Arc of tension", about, series, 1.0)


def _pace(report: BookReport) -> Chart | None:
    if len(report.chapters) < _FEWEST_FOR_ARC:
        return None
    about = (
        "A stand-in for tension, made of form alone: 0.5 is this book's own usual; more speech, shorter sentences and "
        "shorter paragraphs raise it. It knows nothing of what happens in a chapter."
    )
    return lines("Pace of the page", about, [Series("pace", pace(report))], 1.0)


def _rhythm(report: BookReport) -> Chart:
    about = "Share of each chapter that is spoken, and how much its sentences vary in length (spread over mean)."
    series = [
        Series("speech", [chapter.figures.dialogue for chapter in report.chapters]),
        Series("variation", [chapter.figures.rhythm.variation for chapter in report.chapters]),
    ]
    top = 1.0 if max(value or 0 for one in series for value in one.values) <= 1 else None
    return lines("Speech and rhythm", about, series, top)


def _stock(report: BookReport) -> Chart | None:
    about = f"Stock phrases of machine prose for each 1 000 {report.unit}. Human fiction is not at zero."
    values = [chapter.figures.stock.per_thousand for chapter in report.chapters]
    return bars("Stock phrases", about, values) if any(values) else None


def _drift(report: BookReport) -> Chart | None:
    values = [chapter.drift.overall if chapter.drift else None for chapter in report.chapters]
    if not any(value is not None for value in values):
        return None
    about = f"How far each chapter has moved from {style_source(report)}: 0 is the same hand, 1 another book."
    return lines("Drift of style", about, [Series("drift", values)], 1.0)


def style_source(report: BookReport) -> str:
    """Say what the style was measured of."""
    if not report.style_chapters:
        return "the sample"
    return "the first chapter" if report.style_chapters == 1 else f"the first {report.style_chapters} chapters"


def thread_chart(report: BookReport) -> Chart | None:
    """Draw the threads that have a beginning; only those run on that are counted as open."""
    rows = [
        Stretch(own.title, own.opened, None if own.is_open else own.closed or own.touched or own.opened, own.ending)
        for own in shown_threads(report)
        if own.opened is not None and own.ending != ThreadStatus.REGISTERED
    ]
    if not rows:
        return None
    about = "From the chapter that opened a thread (dot) to the one that closed it (square); open ones run on."
    return stretches("Threads", about, rows, len(report.chapters))


def shown_threads(report: BookReport) -> Sequence[Thread]:
    """Return the threads that a report has room for: open ones are never left out for closed ones."""
    if len(report.threads) <= _MOST_THREADS:
        return report.threads
    kept = sorted(report.threads, key=lambda thread: not thread.is_open)[:_MOST_THREADS]
    return [thread for thread in report.threads if thread in kept]


def pace(report: BookReport) -> list[float | None]:
    """Return each chapter's pace, 0 to 1, beside the book's own mean at 0.5."""
    rhythms = [chapter.figures.rhythm for chapter in report.chapters]
    columns = [
        _standing([chapter.figures.dialogue for chapter in report.chapters]),
        [-value for value in _standing([rhythm.mean for rhythm in rhythms])],
        [-value for value in _standing([rhythm.paragraph_mean for rhythm in rhythms])],
    ]
    return [round(min(max(0.5 + fmean(values) / 5, 0.0), 1.0), 3) for values in zip(*columns, strict=True)]


def summary(report: BookReport) -> list[str]:
    """Say in a few sentences what the figures come to."""
    off = [chapter for chapter in report.chapters if abs(chapter.figures.off_target or 0) > 0.15]
    shared = sum(len(chapter.figures.shared) for chapter in report.chapters)
    near = [doubt for chapter in report.chapters for doubt in chapter.figures.names if doubt.like]
    waiting = sum(thread.is_open for thread in report.threads)
    return [
        f"{_counted(len(off), 'chapter')} of {len(report.chapters)} {'lie' if len(off) > 1 else 'lies'} more than "
        "15 % off target.",
        f"{_counted(shared, 'passage')} stand{'' if shared > 1 else 's'} in an earlier chapter too, or nearly.",
        f"{_counted(len({doubt.name for doubt in near}), 'name')} may be a slip for one in the codex."
        if report.known_names
        else "The codex has no names, so there were none to compare with.",
        f"{_counted(waiting, 'thread')} of {len(report.threads)} {'are' if waiting > 1 else 'is'} still open.",
    ]


def book_phrases(report: BookReport) -> list[tuple[str, str, int, str]]:
    """Return the stock phrases found most: a find as it stands in the book, its group, count and first chapter."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for chapter in report.chapters:
        for hit in chapter.figures.stock.hits:
            key = (hit.entry, hit.group)
            counts[key] += hit.count
            first.setdefault(key, (hit.quotes[0], chapter.number))
    return [(first[key][0], key[1], count, str(first[key][1])) for key, count in counts.most_common(_MOST_PHRASES)]


def per_thousand(report: BookReport) -> float:
    """Return the rate of stock phrases over the whole book."""
    length = sum(chapter.figures.length for chapter in report.chapters)
    return 1_000 * sum(chapter.figures.stock.count for chapter in report.chapters) / max(length, 1)


def _score(chapter: ChapterReport, field: str) -> float | None:
    scores = chapter.quality.scores if chapter.quality else None
    return float(getattr(scores, field)) if scores else None


def _standing(values: list[float]) -> list[float]:
    """Return how far each value lies from the mean, in standard deviations."""
    spread = pstdev(values)
    return [(value - fmean(values)) / spread if spread else 0.0 for value in values]


def _counted(count: int, noun: str) -> str:
    return counted(count, noun) if count else f"No {noun}"
