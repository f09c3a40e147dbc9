"""The blind choice between drafts, by readers who know nothing of where they come from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bookwright.agents.readers import CHOOSE
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.outcomes import try_step
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.activities.unit_facts import begin_activity, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.story.candidates import DraftComparison, Opinion
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.texts import text_hash

_KEY_CHARACTERS = 8


def blind_reading(
    unit: TaskNode, a: str, b: str, round_: int, deps: Deps, *, is_unplanned: bool, next_activity: str = ""
) -> ActivityRun:
    """Return the run of a reader who is to choose between two drafts of a unit."""
    card = replace(unit_card(unit, deps), is_unplanned=is_unplanned)
    run = begin_activity(Activity.REVIEW, unit, deps, CHOOSE.context, card, round_=round_, next_activity=next_activity)
    run.add("draft_a", a, is_prose=True)
    run.add("draft_b", b, is_prose=True)
    return run


def judged(drafts: Sequence[str], run: ActivityRun, deps: Deps) -> tuple[tuple[DraftComparison, ...], tuple[str, ...]]:
    """Hold each draft against the best of those before it, in both orders.

    Returns the comparisons, of which the last one names the draft that goes on, and what of the draft that lost to it
    there is worth taking over.
    """
    comparisons: list[DraftComparison] = []
    carry_over: tuple[str, ...] = ()
    best = 1
    for challenger in range(2, len(drafts) + 1):
        pairs = ((best, challenger), (challenger, best))
        answers = [_answer(drafts, pair, run, deps) for pair in pairs]
        opinions = [_opinion(pair, answer) for pair, answer in zip(pairs, answers, strict=True)]
        comparisons.append(DraftComparison(first=best, second=challenger, opinions=tuple(opinions)))
        best = comparisons[-1].goes_on
        said = [
            line
            for answer, opinion in zip(answers, opinions, strict=True)
            for line in (answer.carry_over if answer is not None and opinion.better == best else ())
        ]
        carry_over = tuple(dict.fromkeys(said))
    return tuple(comparisons), carry_over


def _answer(drafts: Sequence[str], pair: tuple[int, int], run: ActivityRun, deps: Deps) -> Choice | None:
    """Ask one reader; None where no answer can be used."""
    a, b = (drafts[number - 1] for number in pair)
    is_unplanned = is_told(run.unit, deps)
    reading = blind_reading(run.unit, a, b, run.round, deps, is_unplanned=is_unplanned, next_activity="write")
    outcome = try_step(reading, replace(CHOOSE, name=f"{CHOOSE.name}.{pair[0]}-{pair[1]}"))
    return outcome.value if outcome else None


def _opinion(pair: tuple[int, int], answer: Choice | None) -> Opinion:
    if answer is None:
        return Opinion(shown_first=pair[0])
    better = pair[0] if answer.better == "A" else pair[1]
    return Opinion(shown_first=pair[0], better=better, reason=answer.reasoning)


@dataclass(frozen=True)
class ReaderVerdict:
    """What a reader said of two texts."""

    preferred: str
    """`"a"` or `"b"`; empty where they took the one that they saw first, or last, both times."""
    reasons: tuple[str, str]
    """What was said when `a` came first, and when `b` did."""


def ask_reader(unit: TaskNode, a: str, b: str, deps: Deps) -> ReaderVerdict:
    """Have two texts of a unit compared in both orders; a comparison that was made before is not paid for again.

    Raises `NoResult` if no answer was one, and what any step does.
    """
    first, second = _verdict(unit, a, b, deps), _verdict(unit, b, a, deps)
    preferred = first.better.lower() if second.better != first.better else ""  # in both orders the same draft
    return ReaderVerdict(preferred, (first.reasoning, second.reasoning))


def _verdict(unit: TaskNode, one: str, other: str, deps: Deps) -> Choice:
    run = blind_reading(unit, one, other, AMENDING_ROUNDS, deps, is_unplanned=True)
    choice: Choice = run.run(CHOOSE, step=f"verdict.{text_hash(one + other)[:_KEY_CHARACTERS]}").value
    return choice
