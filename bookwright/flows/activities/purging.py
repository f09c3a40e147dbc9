"""Taking out by code what gives something away, where no model can be asked to say it otherwise."""

from collections.abc import Callable, Sequence

from bookwright.agents.relay.gaps import without
from bookwright.agents.relay.leaks import LeakIssue
from bookwright.agents.relay.reviewing import is_rejected, review_by_code, round_of_code
from bookwright.flows.activities.surroundings import kept_in
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.leak import LeakReport, LeakRound
from bookwright.models.task import TaskNode
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores

Find = Callable[[str], Sequence[LeakIssue]]
"""The checks of one unit: what they find in a text."""


def finder(unit: TaskNode, deps: Deps) -> Find:
    """Return the checks of a unit, what is kept there being read once."""
    kept = kept_in(unit, deps)
    return lambda text: review_by_code(text, kept, deps.brief.language, deps.embedder)


def without_leaks(text: str, find: Find) -> str:
    """Return a text without the sentences that the checks reject; empty where nothing else is in it."""
    issues = find(text)
    if not is_rejected(issues):
        return text
    left = without(text, [(issue.start, issue.end) for issue in issues])
    return left.filled("") if left.holds_text else ""


def purged(text: str, unit: TaskNode, deps: Deps) -> tuple[str, Move]:
    """Return a text without the sentences in which code finds a leak, and the move that keeps what it found.

    A text that is nothing but leaks stays, and its review says so.
    """
    find = finder(unit, deps)
    found = round_of_code(find(text))
    if found.result != "rejected":
        return text, reviewed_move(unit, [found])
    left = without_leaks(text, find)
    after = [found, LeakRound(result="approved")] if left else [found]
    return left or text, reviewed_move(unit, after)


def reviewed_move(unit: TaskNode, rounds: list[LeakRound], decided_by: str = "") -> Move:
    """The move that keeps what reviews found; nothing is kept of a text in which nobody found anything."""
    report = LeakReport(unit=unit.label, rounds=tuple(rounds), decided_by=decided_by)
    is_clean = all(found.result == "approved" for found in rounds)

    def move(stores: Stores, step: int) -> None:
        if not is_clean:
            new = NewDocument(
                node=unit.key, kind=DocumentKind.LEAK_REVIEW, text=report.as_text, data=report.model_dump_json()
            )
            stores.documents.add(new, step or None)

    return move
