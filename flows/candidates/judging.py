"""The blind choice between drafts: each pair is read in both orders by readers who know nothing else."""

from collections.abc import Sequence
from dataclasses import replace

from bookwright.agents.readers import CHOOSE
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.surroundings import unit_card
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.deps import Deps
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.story.candidates import DraftComparison, Opinion
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.task import TaskNode


def judged(
    drafts: Sequence[str], unit: TaskNode, run: ActivityRun, deps: Deps
) -> tuple[tuple[DraftComparison, ...], tuple[str, ...]]:
    """Hold each draft against the best of those before it, in both orders.

    Returns the comparisons, of which the last one names the draft that goes on, and what of the draft that lost to it
    there is worth taking over.
    """
    comparisons: list[DraftComparison] = []
    carry_over: tuple[str, ...] = ()
    best = 1
    for challenger in range(2, len(drafts) + 1):
        pairs = ((best, challenger), (challenger, best))
        answers = [_answer(drafts, pair, unit, run, deps) for pair in pairs]
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


def _answer(
    drafts: Sequence[str], pair: tuple[int, int], unit: TaskNode, run: ActivityRun, deps: Deps
) -> Choice | None:
    """Ask one reader; None where no answer can be used."""
    judge = replace(CHOOSE, name=f"{CHOOSE.name}.{pair[0]}-{pair[1]}")
    reading = ActivityRun(
        deps.desk, Activity.REVIEW, unit, unit, replace(unit_card(unit, deps), is_unplanned=is_told(unit, deps)),
        context=judge.context, round_=run.round, next_activity="write",
    )  # fmt: skip
    for place, number in zip("ab", pair, strict=True):
        reading.add(f"draft_{place}", drafts[number - 1], is_prose=True)
    if reading.failures(judge.name) > deps.desk.settings.max_repairs:
        return None
    try:
        answer = reading.run(judge).value
    except (NoResult, RequestRejected):
        return None
    assert isinstance(answer, Choice)
    return answer


def _opinion(pair: tuple[int, int], answer: Choice | None) -> Opinion:
    if answer is None:
        return Opinion(shown_first=pair[0])
    better = pair[0] if answer.better == "A" else pair[1]
    return Opinion(shown_first=pair[0], better=better, reason=answer.reasoning)
