"""Having a model ask, before a unit is begun, what it needs to know of the book so far.

A model that knows the task names what has to be found; the index answers with passages, not with
opinions. Source: DESIGN section 9, "Retrieval".
"""

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import QUESTIONS
from bookwright.flows.activities.moves import keep_document
from bookwright.flows.activities.optional_steps import is_given_up, try_step
from bookwright.flows.activities.told_books import is_told_whole
from bookwright.flows.activities.unit_facts import begin_activity
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Questions
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move


def wants_questions(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit at chapter level or above that has not been begun and not been asked about."""
    if not deps.profile.asks_questions or unit.parent is None or not unit.level.is_at_least(Level.CHAPTER):
        return False
    if unit.status is not NodeStatus.OPEN or unit.planning_round or unit.written or is_told_whole(unit, deps):
        return False
    run = _run(unit, deps)
    return not run.is_done(QUESTIONS.name) and not is_given_up(run, QUESTIONS.name)


def recall(unit: TaskNode, deps: Deps) -> None:
    """Have a model ask a handful of questions, and keep them for the unit's contexts."""
    run = _run(unit, deps)

    def move(answer: Questions) -> Move:
        text = "\n".join(" ".join(question.split()) for question in answer.questions if question.strip())
        return keep_document(unit, DocumentKind.QUESTIONS, text, inputs=run.sources)

    try_step(run, QUESTIONS, move)  # else the index is asked without a model's help


def _run(unit: TaskNode, deps: Deps) -> ActivityRun:
    return begin_activity(Activity.RECALL, unit, deps, QUESTIONS.context, next_activity="plan")
