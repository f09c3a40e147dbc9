"""The leak review of prose: what a reviewer is shown, and how code takes out what gives something away."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from bookwright.agents.relay.leaks.check import LeakIssue
from bookwright.agents.relay.secrets.kept import Kept
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.reviewing import (
    Gapped,
    has_fillings,
    is_rejected,
    kept_cards,
    pointed_at,
    review_by_code,
    round_of_code,
    span_of,
    without,
)
from bookwright.agents.relay.threads.instructions import ForeshadowAction, ForeshadowInstruction, instruct
from bookwright.flows.activities.outcomes import keep_document, no_move
from bookwright.flows.activities.unit_facts import kept_in, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.codex.leak import LeakReport, LeakRound
from bookwright.models.document import DocumentKind
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_part, render_problem
from bookwright.storage.steps.journal import Move

CUT = "cut"
"""Ends the name of a step in which code takes something out."""

_SHOWING = (ForeshadowAction.PLANT, ForeshadowAction.REINFORCE)

Find = Callable[[str], Sequence[LeakIssue]]
"""The checks of one unit: what they find in a text."""


def finder(unit: TaskNode, deps: Deps, kept: Kept | None = None) -> Find:
    """Return the checks of a unit, what is kept there being read once, and the last texts being remembered."""
    held = kept_in(unit, deps) if kept is None else kept
    return lru_cache(lambda text: review_by_code(text, held, deps.brief.language, deps.embedder))


def review_card(text: str, unit: TaskNode, kept: Kept, deps: Deps) -> Card:
    """Return the card of a leak review: what is kept, how it may be felt, what was ordered, where code is in doubt."""
    with deps.stores() as stores:
        threads, reading = stores.codex.threads(), stores.codex.reading_order()
        orders = instruct(threads, unit.label, reading, Matcher(Withholding()))
    return replace(
        unit_card(unit, deps), secrets=kept_cards(kept), planted=tuple(_planted(orders)), bound=kept.public.wordings,
        spots=pointed_at(text, kept, deps.brief.language, deps.embedder),
    )  # fmt: skip


def _planted(orders: Iterable[ForeshadowInstruction]) -> Iterator[str]:
    """What the text was ordered to show for a later page, with its words and how finely that was to be done."""
    for order in orders:
        if order.action in _SHOWING:
            words = "; ".join(order.allowed_expressions)
            yield " | ".join(filter(None, (" ".join(order.note.split()), words, f"{order.subtlety_target}/10")))


class LeakPlace(NamedTuple):
    """A place of a text that gives something away; `kind` is a check's, or `"model"`."""

    start: int
    end: int
    kind: str
    word: str = ""


def places_of(text: str, issues: Iterable[LeakIssue], found: LeakRound) -> list[LeakPlace]:
    """Return where a text gives something away, and how; a model's words for it name what is kept and stay out."""
    code = [LeakPlace(issue.start, issue.end, issue.kind.value, issue.word) for issue in issues]
    said = (span_of(text, leak.excerpt) for leak in found.leaks if leak.found_by == "model")
    return [*code, *(LeakPlace(*span, "model") for span in said if span is not None)]


def taken_out(gapped: Gapped, text: str, places: Sequence[LeakPlace], locale: str) -> str:
    """Show a writer what stood in each gap, and why it could not stay."""
    gaps = [
        {
            "number": number, "words": " ".join(text[start:end].split()),
            "reasons": list(dict.fromkeys((at.kind, at.word) for at in places if at.start < end and at.end > start)),
        }
        for number, (start, end) in enumerate(gapped.spans, 1)
    ]  # fmt: skip
    return render_part("story/relay/_taken_out", locale, gaps=gaps)


def cut_note(lost: Iterable[str]) -> str:
    """Say for the journal what code took out, once nobody had put it right."""
    return "taken out by code: " + " / ".join(dict.fromkeys(" ".join(words.split()) for words in lost))


def cut_leaks(text: str, find: Find) -> tuple[str, list[str]]:
    """Return a text without the sentences that the checks reject, empty where nothing else is in it, and those."""
    issues = find(text)
    if not is_rejected(issues):
        return text, []
    left = without(text, [(issue.start, issue.end) for issue in issues])
    return left.filled("") if left.holds_text else "", list(left.lost)


def purged(text: str, unit: TaskNode, deps: Deps) -> tuple[str, Move, list[str]]:
    """Return a text without the sentences in which code finds a leak, the move that keeps that, and those sentences.

    A text that is nothing but leaks stays, and its review says so.
    """
    find = finder(unit, deps)
    found = round_of_code(find(text))
    left, lost = cut_leaks(text, find)
    if not lost or not left:
        return text, reviewed_move(unit, [found]), []
    return left, reviewed_move(unit, [found, LeakRound(result="approved")], cut=lost), lost


def reviewed_move(unit: TaskNode, rounds: list[LeakRound], decided_by: str = "", cut: Iterable[str] = ()) -> Move:
    """The move that keeps what reviews found; nothing is kept of a text in which nobody found anything."""
    report = LeakReport(unit=unit.label, rounds=tuple(rounds), cut=tuple(cut), decided_by=decided_by)
    if all(found.result == "approved" for found in rounds) and not report.cut:
        return no_move
    return keep_document(unit, DocumentKind.LEAK_REVIEW, report.as_text, data=report.model_dump_json())


def fills_gaps(locale: str, answer: str) -> str:
    """Say what is wrong with an answer that fills no gap; empty if nothing is."""
    return "" if has_fillings(answer) else render_problem("no_fillings", locale)


def advice_in(found: LeakRound) -> tuple[str, ...]:
    """What the reviewing model advises; what code says of a leak names it."""
    return tuple(leak.suggestion for leak in found.leaks if leak.found_by == "model" and leak.suggestion)
