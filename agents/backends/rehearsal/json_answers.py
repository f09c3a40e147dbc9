"""Answers in JSON: plans, divisions, verdicts, decisions, cuts, titles."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from pydantic import BaseModel

from bookwright.agents.backends.rehearsal import blueprints, readers, relay, upkeep, wishes
from bookwright.agents.backends.rehearsal.assignments import orders, told_in
from bookwright.agents.backends.rehearsal.modes import Mode
from bookwright.agents.backends.rehearsal.shapes import filled
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.models.codex.extraction import DesignExtraction, Extraction
from bookwright.models.codex.leak import LeakJudgement
from bookwright.models.faults import FoundFaults, Verification
from bookwright.models.story.quality import QualityJudgement
from bookwright.models.story.register import FewThreads, Register
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.story.state import GlobalState
from bookwright.models.talk.command_answer import Reading
from bookwright.models.text.changes import Changes
from bookwright.models.tree.decision import (
    AtomVerdicts,
    Choice,
    ComplexReason,
    Decision,
    Expert,
    FlowDecision,
    Questions,
    Routing,
    TitleAndBlurb,
    Verdict,
)
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanOutput

COMPLEX_BY_SCORE = 0.08
ATOM_BY_SCORE = 0.50
COMPLEX_BY_JUDGE = 0.286
"""Of the tasks whose score decides nothing; together with the scores a fifth of all tasks."""

GOES_ON = 0.40
"""Share of decisions to plan another round."""

_SEARCHES = 0.2
_DIVIDES_ANYWAY = 0.1
"""Share of chapters and scenes that are divided although they could be written."""

_MOST_CHILDREN, _MOST_SMALL_CHILDREN = 12, 6
_SENTENCE_NUMBER = re.compile(r"\[(\d+)\.(\d+)\] ")


def json_answer(step: Step, shape: type[BaseModel], mode: Mode) -> str:
    """Answer in a shape; one that no step of the walk asks for is filled by its schema."""
    make = _ANSWERS.get(shape)
    body = make(step, mode) if make else filled(shape, step)
    return json.dumps({"written_by": "rehearsal", **body}, ensure_ascii=False)


def _tasks(step: Step, mode: Mode) -> dict[str, Any]:
    if step.activity == "divide":
        return _children(step)
    if step.name == "entries":
        return blueprints.entries(step)
    rng, voice = step.rng(), step.voice
    is_part = step.activity == "decompose"
    count = rng.randint(2, 3) if is_part or step.card.round > 1 or step.is_small else rng.randint(2, 4)
    tasks = [
        _task(step, rng, step.card.task.task_type if is_part else "") for _ in range(min(count, step.card.max_tasks))
    ]
    return {"reasoning": f"{voice.marker} {voice.sentence('noted', rng)}", "sub_tasks": tasks}


def _task(step: Step, rng: Random, task_type: str) -> dict[str, Any]:
    voice = step.voice
    if step.is_small:
        return {"title": voice.title(rng), "goal": voice.sentence("aims", rng)}
    return {
        "task_type": task_type or ("search" if rng.random() < _SEARCHES else "design"),
        "title": voice.title(rng),
        "goal": voice.sentence("aims", rng),
        "instructions": [voice.sentence("asked", rng) for _ in range(rng.randint(1, 2))],
        "acceptance_criteria": [voice.sentence("noted", rng)],
        "complexity_score": _score(rng),
    }


def _score(rng: Random) -> int:
    chance = rng.random()
    if chance < COMPLEX_BY_SCORE:
        return rng.randint(8, 10)
    return rng.randint(1, 3) if chance < COMPLEX_BY_SCORE + ATOM_BY_SCORE else rng.randint(4, 7)


def _children(step: Step) -> dict[str, Any]:
    rng, voice, card = step.rng(), step.voice, step.card
    first = card.child_index if card.is_incremental else 1
    children = [_child(step, rng, first + place) for place in range(_child_count(step, rng))]
    return {"reasoning": f"{voice.marker} {voice.sentence('noted', rng)}", "sub_tasks": children}


def _child_count(step: Step, rng: Random) -> int:
    card = step.card
    usual = max(card.usual_child_length, 1)
    if card.is_incremental:
        return 1 + min(rng.randint(0, 3), card.remaining_length // usual)
    most = _MOST_SMALL_CHILDREN if step.is_small else _MOST_CHILDREN
    return min(max(round((card.unit.length or usual) / usual), 2), most)


def _child(step: Step, rng: Random, index: int) -> dict[str, Any]:
    voice = step.voice
    if step.is_small:
        return {"title": voice.title(rng), "goal": voice.sentence("aims", rng)}
    told, needed = orders(step, index, rng)
    length = max(round(step.card.usual_child_length * rng.uniform(0.75, 1.25)), 1)
    as_text = voice.lexicon.length_text.format(n=length)
    return {
        "task_type": "write",
        "title": voice.title(rng),
        "goal": voice.sentence("aims", rng),
        "instructions": [*(voice.sentence("told", rng) for _ in range(2)), *told],
        "input_brief": needed,
        "length": as_text if rng.random() < 0.15 else length,
    }


def _verdicts(step: Step, mode: Mode) -> dict[str, Any]:
    return {"verdicts": [_verdict(step, number, task.label) for number, task in enumerate(step.card.tasks, 1)]}


def _verdict(step: Step, number: int, label: str) -> dict[str, Any]:
    rng = step.rng(f"verdict {label} {number}")
    is_complex = rng.random() < COMPLEX_BY_JUDGE
    return {
        "task": number,
        "reasoning": step.voice.sentence("noted", rng),
        "complex_reasons": [rng.choice(list(ComplexReason)).value] if is_complex else [],
        "atom_result": (Verdict.COMPLEX if is_complex else Verdict.ATOM).value,
    }


def _decision(step: Step, mode: Mode) -> dict[str, Any]:
    rng, voice = step.rng(), step.voice
    goes_on = rng.random() < GOES_ON
    return {
        "reasoning": f"{voice.marker} {voice.sentence('noted', rng)}",
        "missing_points": [voice.sentence("asked", rng) for _ in range(rng.randint(1, 3))] if goes_on else [],
        "decision": Decision.CONTINUE_PLANNING.value if goes_on else _shape_of(step, rng).value,
    }


def _shape_of(step: Step, rng: Random) -> Decision:
    """Divide what is made of chapters, write the rest; what is too long for that the engine divides."""
    card = step.card
    is_large = bool(card.child_level) and Level(card.child_level).is_at_least(Level.CHAPTER)
    is_odd = card.unit.level in (Level.CHAPTER, Level.SCENE) and rng.random() < _DIVIDES_ANYWAY
    return Decision.DIVIDE_HIERARCHY if is_large or is_odd else Decision.PROCEED_TO_WRITE


def _routing(step: Step, mode: Mode) -> dict[str, Any]:
    rng = step.rng()
    return {"reasoning": step.voice.marker, "expert": rng.choice(list(Expert)).value}


def _questions(step: Step, mode: Mode) -> dict[str, Any]:
    rng = step.rng()
    needed = [line for line in step.card.unit.input_brief if line.startswith(step.voice.lexicon.fact.needs)]
    return {"questions": [*needed, *(step.voice.sentence("asked", rng) for _ in range(2))][:5]}


def _title_and_blurb(step: Step, mode: Mode) -> dict[str, Any]:
    rng, voice = step.rng(), step.voice
    lines = [voice.marker, *(voice.sentence("told", rng) for _ in range(3))]
    return {"blurb": voice.joined(lines), "title": voice.title(rng)}


def _changes(step: Step, mode: Mode) -> dict[str, Any]:
    """Pairs of sentences said by one of the two, together as much shorter as asked for, or as the mode misses it.

    A sentence that the unit owes is the one that stays.
    """
    rng, measure = step.rng(), step.language.measure
    owed = {step.voice.marker, *told_in(step)}
    parts = _SENTENCE_NUMBER.split("".join(step.texts("text")[-1:]))[1:]
    found = [(f"{row}.{place}", body.strip()) for row, place, body in zip(*[iter(parts)] * 3, strict=True)]
    pairs = [pair for pair in zip(found[1::2], found[2::2], strict=False) if _row(pair[0]) == _row(pair[1])]
    left = mode.missed(step.card.missing_length, rng)
    changes = []
    for (first, one), (last, other) in rng.sample(pairs, len(pairs)):
        kept, gone = (one, other) if one in owed else (other, one)
        if left > 0 and gone not in owed:
            changes.append({"first": first, "last": last, "text": kept})
            left -= measure(gone)
    singles = [number for number, body in found if body not in owed and not _is_in(number, changes)]
    for number in singles:
        if left > 0:
            changes.append({"first": number, "last": number, "text": ""})
            left -= measure(dict(found)[number])
    return {"changes": changes}


def _row(numbered: tuple[str, str]) -> str:
    return numbered[0].partition(".")[0]


def _is_in(number: str, changes: list[dict[str, str]]) -> bool:
    return any(number in (change["first"], change["last"]) for change in changes)


_ANSWERS: dict[type[BaseModel], Callable[[Step, Mode], dict[str, Any]]] = {
    PlanOutput: _tasks,
    AtomVerdicts: _verdicts,
    FlowDecision: _decision,
    Routing: _routing,
    Questions: _questions,
    TitleAndBlurb: _title_and_blurb,
    Changes: lambda step, mode: readers.changes(step) if step.kind == "repair" else _changes(step, mode),
    GlobalState: lambda step, mode: upkeep.state(step),
    LeakJudgement: lambda step, mode: relay.leak_judgement(step),
    QualityJudgement: lambda step, mode: relay.quality(step),
    Retelling: lambda step, mode: readers.retelling(step),
    RepairOrders: lambda step, mode: readers.orders(step),
    Choice: lambda step, mode: readers.choice(step),
    Extraction: lambda step, mode: relay.extraction(step),
    DesignExtraction: lambda step, mode: relay.design_extraction(step),
    Reading: wishes.reading,
    FewThreads: lambda step, mode: blueprints.few_threads(step),
    Register: lambda step, mode: blueprints.register(step),
    FoundFaults: lambda step, mode: blueprints.faults(step),
    Verification: lambda step, mode: blueprints.verification(step),
}
