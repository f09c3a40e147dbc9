"""Lays a report out: Markdown for a file beside the manuscript, HTML as one page that needs nothing else."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bookwright.exports.markup import clean, to_markdown
from bookwright.exports.report.judgements import SCORE_NAMES, counts_line, issue_line
from bookwright.exports.report.views import (
    book_phrases,
    charts,
    per_thousand,
    shown_threads,
    style_source,
    summary,
    thread_chart,
)
from bookwright.models.story.quality import ScoreBand
from bookwright.models.story.report import BookReport, ChapterReport

_MICROS = 1_000_000


LAYOUTS = ("html", "md")
"""What a report can be, by the ending of its files."""


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


def _dollars(micros: int) -> str:
    return f"${micros / _MICROS:,.2f}" if micros >= _MICROS or not micros else f"${micros / _MICROS:.4f}"


_FILTERS: dict[str, Callable[..., Any]] = {
    "whole": "{:,.0f}".format,
    "share": lambda value: f"{100 * value:.0f} %",
    "signed_share": _signed_share,
    "dollars": _dollars,
    "band": lambda score: ScoreBand.of(score).words,
    "cell": lambda text: to_markdown(" ".join(text.split())),
    "drawing": lambda chart: Markup(chart.svg),  # made by our own functions, which escape what they are given
    "issue": issue_line,
    "checks": counts_line,
}
