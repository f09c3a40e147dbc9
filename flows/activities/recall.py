"""What is known of earlier pages to those who make the next ones: questions to the index, facts, endings, reports.

A model that knows the task names what has to be found; the index answers with passages, not with
opinions. Source: DESIGN section 9, "Retrieval".
"""

import re
from dataclasses import replace
from functools import lru_cache
from random import Random

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import QUESTIONS
from bookwright.flows.activities.outcomes import is_given_up, keep_document, try_step
from bookwright.flows.activities.told_books import is_past_first_act, is_plotted
from bookwright.flows.activities.unit_facts import begin_activity
from bookwright.flows.deps import Deps
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.text.prose import last_sentence
from bookwright.models.tree.decision import Questions
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import order_of
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts.card import Card, Told
from bookwright.storage.steps.journal import Move

_DRAWS = 3
_FACT_CHARACTERS = (12, 220)
_HEADING = re.compile(r"\s*(?:#|[-*+>\s]*(?:\d+[.)]\s*)?(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:：]?\s*$)")
"""A line that names what is told below it: a Markdown heading, or one in bold alone."""
_LETTER = re.compile(r"\w")
_BULLET = re.compile(r"\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)*")
_ENDINGS = 3
_LEDGER, _RETURNING = 6, 6
"""Units whose shapes are told to whoever makes the next one, and things of earlier pages that may come back."""


def wants_questions(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit at chapter level or above that has not been begun and not been asked about."""
    if not deps.profile.asks_questions or unit.parent is None or not unit.level.is_at_least(Level.CHAPTER):
        return False
    if unit.status is not NodeStatus.OPEN or unit.planning_round or unit.written:
        return False
    if is_plotted(unit, deps) and not is_past_first_act(unit, deps):
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


def drawn_facts(unit: TaskNode, deps: Deps, task: TaskNode | None = None) -> Told:
    """Draw facts of the book by lot: a model cannot be random, code can. Source: CRAFT rule 6.

    Seeded by the brief and the unit, so a repeated step draws the same. Chapters draw; the other
    levels keep their answers apart by other means. What is made again is told nothing of what came later, and
    nobody is told the unit's own facts, which its other blocks hold.
    """
    if unit.level is not Level.CHAPTER:
        return Told()
    lot, at = Random(f"{deps.brief.seed} {unit.label}"), task or unit
    with deps.stores() as stores:
        kinds = (DocumentKind.DESIGN, DocumentKind.SUMMARY)
        documents = stores.documents.drawn(kinds, [lot.random() for _ in range(_DRAWS)])
    facts: dict[str, int] = {}
    for document, label in documents:
        order = order_of(label)
        is_own = order[: len(unit.order)] == unit.order
        fitting = [] if is_own else [line for line in map(_fact_in, document.text.splitlines()) if line]
        if fitting and at.comes_after(order):
            facts.setdefault(lot.choice(fitting), document.id)
    return Told.of(facts, facts.values())


def _fact_in(line: str) -> str:
    """What a line tells, without its bullet; empty for a heading, and for what is too short or too long for a fact."""
    if _HEADING.match(line) or _ends_in_colon(line):
        return ""
    told = _BULLET.sub("", line, count=1).replace("**", "").strip()
    return told if _FACT_CHARACTERS[0] <= len(told) <= _FACT_CHARACTERS[1] else ""


def _ends_in_colon(line: str) -> bool:
    """True for a line whose last colon has no letter behind it; so ends one that names what is told below it."""
    colon = max(line.rfind(":"), line.rfind("："))
    return colon >= 0 and not _LETTER.search(line, colon)


def previous_endings(unit: TaskNode, level: Level, deps: Deps, *, with_own: bool = False) -> Told:
    """Return the last sentences of earlier units of a level, nearest last; `with_own` counts a unit's own children."""
    with deps.stores() as stores:
        before = stores.nodes.units_before(unit, _ENDINGS, level=level, with_own=with_own)
        prose = {found.node: found for found in stores.documents.of_nodes([n.key for n in before], DocumentKind.PROSE)}
    ends = [prose[node.key] for node in before if node.key in prose]
    return Told.of((last_sentence(found.text) for found in ends), (found.id for found in ends))


def with_reader_reports(card: Card, unit: TaskNode, deps: Deps, child: Level | None = None) -> Card:
    """Return the card with what readers reported of earlier units, also of a unit's own if its next `child` is made."""
    with deps.stores() as stores:
        before = stores.nodes.units_before(unit, _LEDGER, level=child or unit.level, with_own=child is not None)
        chapters = [node for own in before for node in (own, *stores.nodes.ancestors(own)) if node.parent is not None]
        retold = stores.documents.of_nodes([node.key for node in chapters], DocumentKind.RETELLING)
        last = [] if not before else [before[-1].key, *(node.key for node in stores.nodes.ancestors(before[-1])[:-1])]
        found_last = stores.documents.of_nodes(last, DocumentKind.REVIEW, DocumentKind.CONSISTENCY)
        data = stores.documents.data_of_all([*retold, *found_last])
    order = {node.key: index for index, node in enumerate(chapters)}
    read = [(own, _retelling(text)) for own, text in zip(retold, data, strict=False)]
    read.sort(key=lambda pair: order[pair[0].node])
    returning = [(f"{own.thing}: “{own.sentence}”", found.id) for found, said in read for own in said.returning]
    orders, faults = list[tuple[str, int]](), list[tuple[str, int]]()
    for found, text in zip(found_last, data[len(retold) :], strict=True):
        if found.kind is DocumentKind.CONSISTENCY:
            details = ConsistencyReport.model_validate_json(text).details
            faults += [(own.line, found.id) for own in details if own.result == "error"]
        elif text:
            handed_on = RepairOrders.model_validate_json(text).handed_on
            orders += [(f"{own.trouble} → {own.order}", found.id) for own in handed_on]
    return replace(
        card,
        shapes=Told.of((said.shape.line for _, said in read if said.shape.line), (found.id for found, _ in read)),
        returning=_of_pairs(returning[-_RETURNING:]),
        carried=_of_pairs([*orders, *faults]),
    )


@lru_cache(maxsize=32)
def _retelling(data: str) -> Retelling:
    """Read a retelling; those of the last units are asked for again and again."""
    return Retelling.model_validate_json(data)


def _of_pairs(lines: list[tuple[str, int]]) -> Told:
    """Lines, each with the document that it is from."""
    return Told.of((line for line, _ in lines), (document for _, document in lines))
