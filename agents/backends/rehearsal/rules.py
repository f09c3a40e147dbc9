"""What the rehearsal author fills each shape with; a shape that is not here is filled by its schema alone.

How the rules are read is told in `filler.Rule`. Shares and chances stand here: they make a rehearsal true to life.
"""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from bookwright.agents.backends.rehearsal.filler import Draft, Rules
from bookwright.agents.backends.rehearsal.reading import command_in, cuts, faulty, orders, people, replaced, touches
from bookwright.models.codex.extraction import CHECKS
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level

_MOST_CHILDREN, _MOST_SMALL_CHILDREN = 12, 6
_MOST_PROMISES = 8
_SCORES = ("coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance")
_ROLES = (*["clue"] * 4, *["red_herring"] * 2, *["hook"] * 3)


def _say(kind: str) -> Callable[[Draft], str]:
    return lambda d: d.say(kind)


def _some(kind: str, least: int, most: int) -> Callable[[Draft], list[str]]:
    return lambda d: [d.say(kind) for _ in range(d.rng.randint(least, most))]


def _chance(share: float) -> Callable[[Draft], bool]:
    return lambda d: d.rng.random() < share


def _thought(d: Draft) -> str:
    return f"{d.voice.marker} {d.say('noted')}"


def _tasks(d: Draft) -> range:
    """The tasks of a round, the entries of a blueprint's member, or the ordinals of the children of a unit."""
    card, usual = d.card, max(d.card.usual_child_length, 1)
    if d.step.activity == "divide":
        if card.is_incremental:
            first, more = card.child_index, min(d.rng.randint(0, 3), card.remaining_length // usual)
            return range(first, first + 1 + more)
        most = _MOST_SMALL_CHILDREN if d.step.is_small else _MOST_CHILDREN
        return range(1, min(max(round((card.unit.length or usual) / usual), 2), most) + 1)
    if d.step.name == "entries":
        return range(1, d.rng.randint(card.entries_least, max(card.entries_most, card.entries_least)) + 1)
    few = d.step.activity == "decompose" or card.round > 1 or d.step.is_small
    return range(min(d.rng.randint(2, 3 if few else 4), card.max_tasks))


def _task_type(d: Draft) -> str:
    if d.step.activity == "decompose":
        return d.card.task.task_type
    return "search" if d.rng.random() < 0.2 else "design"


def _complexity(d: Draft) -> int:
    """A score; with those that a judge finds complex, a fifth of all tasks is."""
    chance = d.rng.random()
    if chance < 0.08:
        return d.rng.randint(8, 10)
    return d.rng.randint(1, 3) if chance < 0.58 else d.rng.randint(4, 7)


def _child_length(d: Draft) -> str | int:
    """A length; some models write it as text."""
    length: int = d["_length"]
    return d.voice.phrases["length_text"].format(n=length) if d.rng.random() < 0.15 else length


def _decision(d: Draft) -> Decision:
    """Divide what is made of chapters, write the rest; what is too long for that the engine divides.

    One chapter or scene in ten is divided although it could be written.
    """
    if d["_goes_on"]:
        return Decision.CONTINUE_PLANNING
    is_large = bool(d.card.child_level) and Level(d.card.child_level).is_at_least(Level.CHAPTER)
    is_odd = d.card.unit.level in (Level.CHAPTER, Level.SCENE) and d.rng.random() < 0.1
    return Decision.DIVIDE_HIERARCHY if is_large or is_odd else Decision.PROCEED_TO_WRITE


def _questions(d: Draft) -> list[str]:
    needed = [line for line in d.card.unit.input_brief if line.startswith(d.voice.phrases["needs"])]
    return [*needed, d.say("asked"), d.say("asked")][:5]


def _quality(d: Draft) -> float:
    """What a text is worth: a book has a slow wave in it, and some chapters are below the usual threshold."""
    wave = 0.08 * math.sin(sum(map(int, d.step.label.split("."))) / 2)
    return 0.52 + 0.3 * wave if d.rng.random() < 0.06 else 0.74 + wave


def _review(d: Draft) -> str:
    """Let most texts pass; a second review always does."""
    chance = d.rng.random() if d.step.name.endswith(".1") else 1.0
    return "rejected" if chance < 0.03 else "warning" if chance < 0.10 else "approved"


def _places(d: Draft) -> Iterator[str]:
    """Where the repairs of an editor are to be made."""
    yield from ["here"] * d.rng.randint(1, 3)
    if d.rng.random() < 0.3 and not d.card.is_last:
        yield "next"


def _state(d: Draft) -> dict[str, Any]:
    """The state that stands: a new promise for each news, and now and then one that is kept."""
    try:
        state = json.loads("".join(d.step.texts("current_document")) or "{}")
    except ValueError:  # kept by another profile, as text
        state = {}
    opened, settled = list(state.get("promises", ())), []
    for _ in d.step.texts("news"):
        opened.append({"promise": d.say("told"), "due": d.say("titles")})
        if len(opened) > _MOST_PROMISES or (opened[0].get("id") and d.rng.random() < 0.35):
            settled.append(opened.pop(0).get("id"))
    return {**state, "promises": opened, "settled": list(filter(None, settled))}


def _relations(d: Draft) -> list[dict[str, str]]:
    who, to = d.rng.sample(d.voice.people, 2)
    relations = (*d["_state"].get("relations", ()), {"who": who, "to": to, "now": d.say("noted")})
    return list({(each["who"], each["to"]): each for each in relations}.values())[-4:]


_TITLE, _AIM, _TOLD, _NOTED, _ASKED = map(_say, ("titles", "aims", "told", "noted", "asked"))
_NUMBERED: Rules = {"title": lambda d: f"{d.say('titles')} {d.item}"}
_SOMEBODY: Rules = {"characters": lambda d: [d.rng.choice(d.voice.people)]}
_SECRET: Rules = {
    "id": "secret-1", "content": lambda d: d.voice.secret(1), "about": lambda d: d.voice.people[0],
    "forbidden_keywords": lambda d: [d.voice.phrases["secret_word"]],
}  # fmt: skip

_PARTS: Rules = {"chapters": lambda d: range(1, (d.card.parts or d.card.chapters) + 1)}
_STORY: Rules = {
    "reasoning": _thought,
    "question": _ASKED,
    "secret": lambda d: d.voice.secret(1),
    "story": _some("told", 5, 8),
    "people": lambda d: [f"{name}: {d.say('aims')}" for name in d.voice.people[:4]],
}

RULES: dict[str, Rules] = {
    "PlanOutput": {"sub_tasks": _tasks, "reasoning": _thought},
    "PlanNode": {
        "task_type": _task_type, "title": _TITLE, "goal": _AIM, "instructions": _some("asked", 1, 2),
        "acceptance_criteria": lambda d: [d.say("noted")], "complexity_score": _complexity,
    },
    "PlanNode/small": {"title": _TITLE, "goal": _AIM},
    "PlanNode/entries": {"task_type": "design", **_NUMBERED, "goal": _AIM},
    "PlanNode/divide": {
        "_orders": lambda d: orders(d.step, d.item, d.rng),
        "_length": lambda d: max(round(d.card.usual_child_length * d.rng.uniform(0.75, 1.25)), 1),
        "task_type": "write", "title": _TITLE, "goal": _AIM, "story_time": "",
        "instructions": lambda d: [d.say("told"), d.say("told"), *d["_orders"][0]],
        "input_brief": lambda d: d["_orders"][1], "length": _child_length,
    },
    "Plot": {**_STORY, **_PARTS},
    "ChosenPlot": {**_STORY, "chosen": ..., **_PARTS},
    "DoubtedPlot": {**_STORY, **_PARTS, "seen": _some("noted", 3, 5)},
    "PlotChapter": {
        "title": _TITLE, "about": _AIM, "events": _some("told", 2, 4), "understood": _some("noted", 1, 2),
        "ending": _TOLD,
    },
    "AtomVerdicts": {"verdicts": lambda d: enumerate(d.card.tasks, 1)},
    "AtomVerdict": {
        "_rng": lambda d: d.step.rng(f"verdict {d.item[1].label} {d.item[0]}"), "task": lambda d: d.item[0],
        "_is_complex": _chance(0.286), "reasoning": _NOTED,
        "complex_reasons": lambda d: [...] if d["_is_complex"] else [],
        "atom_result": lambda d: "complex" if d["_is_complex"] else "atom",
    },
    "FlowDecision": {
        "_goes_on": _chance(0.4), "reasoning": _thought,
        "missing_points": lambda d: _some("asked", 1, 3)(d) if d["_goes_on"] else [], "decision": _decision,
    },
    "Routing": {"reasoning": lambda d: d.voice.marker, "expert": ...},
    "Choice": {"reasoning": _thought, "carry_over": lambda d: [d.say("noted")], "better": ...},
    "Questions": {"questions": _questions},
    "TitleAndBlurb": {
        "blurb": lambda d: d.voice.joined([d.voice.marker, *(d.say("told") for _ in range(3))]), "title": _TITLE,
    },
    "Changes": {"changes": lambda d: cuts(d.step, d.mode, d.rng)},
    "Changes/repair": {"changes": lambda d: replaced(d.step, d.rng)},
    "Changes/polish": {"changes": lambda d: replaced(d.step, d.rng)},
    "Change": {"first": lambda d: d.item, "text": _TOLD},
    "GlobalState": {
        "_state": _state, "relations": _relations,
        "aim": lambda d: d["_state"].get("aim") or f"{d.voice.marker} {d.say('aims')}",
        "conflict": lambda d: d["_state"].get("conflict") or d.say("told"),
        "promises": lambda d: d["_state"]["promises"], "waiting": ..., "settled": lambda d: d["_state"]["settled"],
    },
    "Waiting": {"at_once": _ASKED, "by_the_end": _AIM},
    "Settled": {"id": lambda d: d.item, "ending": "kept"},
    "LeakJudgement": {"result": _review, "issues": lambda d: [1] if d["result"] != "approved" else []},
    "Suspicion": {
        "location": Draft.quote, "suspicion": _NOTED, "type": "guessable",
        "severity": lambda d: "critical" if d["result"] == "rejected" else "info", "suggestion": _TOLD,
    },
    "QualityJudgement": {
        "_base": _quality, "scores": ..., "issues": lambda d: range(d.rng.randint(1, 2)), "assessment": _thought,
        "recommendations": [1],
    },
    "Scores": {
        **dict.fromkeys(_SCORES, lambda d: round(min(max(d["_base"] + d.rng.uniform(-0.14, 0.14), 0), 1), 2)),
        "overall": lambda d: round(d["_base"], 2),
    },
    "QualityIssue": {
        "category": lambda d: d.rng.choice(_SCORES), "severity": "warning", "location": Draft.quote,
        "description": _NOTED, "suggestion": _ASKED,
    },
    "Recommendation": {"priority": "medium", "action": _AIM},
    "Retelling": {
        "not_understood": lambda d: range(d.rng.randint(1, 3)), "shape": ..., "people": lambda d: d.voice.people[:3],
        "happened": lambda d: d.voice.joined([d.voice.marker, *d.rng.sample(d.step.told, min(6, len(d.step.told)))]),
        "why": _NOTED, "at_stake": _NOTED, "dull": [1], "alive": lambda d: [d.quote()],
        "returning": [1],
    },
    "Person": {"name": lambda d: d.item, "wants": _AIM},
    "Trouble": {"quote": Draft.quote, "trouble": _ASKED},
    "Shape": dict.fromkeys(("fought", "gained", "talk", "span", "nearness", "ended"), _TITLE),
    "Returning": {"thing": _TITLE, "sentence": Draft.quote},
    "RepairOrders": {"orders": _places, "reasoning": _thought},
    "RepairOrder": {
        "where": lambda d: d.item, "quote": lambda d: d.quote() if d.item == "here" else "",
        "trouble": _NOTED, "order": _ASKED, "severity": lambda d: ... if d.item == "here" else "warning",
    },
    "DesignExtraction": {
        "entries": lambda d: ((name, d.say("noted")) for name in d.voice.people), "secrets": [1],
        "threads": range(2, 6),
    },
    "Extraction": {
        "entries": people, "touches": touches,
        "reveals": lambda d: (line for line in d.card.due_secrets if d.step.told and d.rng.random() < 0.8),
        "checks": CHECKS,
    },
    "FoundEntry": {"kind": "character", "name": lambda d: d.item[0], "facts": lambda d: [d.item[1]]},
    "FoundFact": {"aspect": lambda d: d.voice.headings[0], "fact": lambda d: d.item[:300]},
    "FoundTouch": {"thread": lambda d: d.item[0], "did": lambda d: d.item[1], "quote": Draft.quote},
    "FoundReveal": {"secret": lambda d: d.item.partition(": ")[0], "quote": Draft.quote},
    "FoundCheck": {"check": lambda d: d.item, "result": "passed"},
    "FoundSecret": {**_SECRET, "importance": "high", "revealed_at": 95},
    "FoundThread": {
        "planted_at": lambda d: d.rng.randint(0, 35), **_NUMBERED, "type": "item_significance",
        "subtlety": lambda d: d.rng.randint(3, 7), "seed": _TOLD, "payoff": lambda d: d.voice.secret(d.item),
        **_SOMEBODY, "forbidden_keywords": _SECRET["forbidden_keywords"],
        "reinforced_at": lambda d: [d["planted_at"] + 20, d["planted_at"] + 35],
        "paid_off_at": lambda d: min(d["planted_at"] + 55, 95),
    },
    "Register": {"_last": lambda d: max(d.card.chapters, 1), "secrets": [1], "threads": range(1, len(_ROLES) + 1)},
    "RegisteredSecret": {**_SECRET, "revealed_in": lambda d: d["_last"]},
    "RegisteredThread": {
        "id": lambda d: f"thread-{d.item}", "role": lambda d: _ROLES[d.item - 1], **_NUMBERED,
        "weight": lambda d: "critical" if d.item <= 2 else "minor", "seed": _TOLD, "meaning": _NOTED,
        "secret": lambda d: "secret-1" if d["role"] == "clue" else "", **_SOMEBODY,
        # Critical clues are spread, so that no chapter is crowded with them.
        "_planted": lambda d: 1 + d.item * 2 % max(d["_last"] - 1, 1),
        "planted_in": lambda d: min(d["_planted"], d["_last"]),
        "answered_in": lambda d: (
            d["_last"] if d["role"] == "clue" else min(d["_planted"] + max(d["_last"] // 3, 1), d["_last"])
        ),
    },
    "FewThreads": {"threads": [1, 2], "secret": lambda d: d.voice.secret(1)[:160]},
    "FewThread": {"title": lambda d: d.say("titles")[:40], "seed": lambda d: d.say("told")[:120]},
    "FoundFaults": {"findings": faulty},
    "Fault": {
        "_rng": lambda d: d.item[1], "label": lambda d: d.item[0], "severity": "warning", "evidence": _TOLD,
        "fault": _NOTED, "order": _ASKED,
    },
    "Verification": {"points": lambda d: range(1, len(d.step.texts("finding")) + 1), "assessment": _thought},
    "Point": {
        "number": lambda d: d.item, "is_mended": _chance(0.85),
        "left": lambda d: "" if d["is_mended"] else d.say("asked"), "evidence": _TOLD,
    },
    "CommandAnswer": {
        "_found": lambda d: command_in("".join(d.step.texts("words"))), "quote": lambda d: d["_found"][0],
        "verb": lambda d: d["_found"][1], "arguments": lambda d: d["_found"][2].items(),
    },
    "Argument": {"name": lambda d: d.item[0], "value": lambda d: d.item[1]},
}  # fmt: skip
"""Rules by shape; their order is that in which chance is drawn."""
