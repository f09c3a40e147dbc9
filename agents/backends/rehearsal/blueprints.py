"""What the rehearsal author answers for the members of a blueprint."""

import re
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.relay import hidden
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.models.story.register import Role, Weight

_FAULTY, _MENDED = 0.2, 0.85
"""Shares of documents that have a fault, and of faults that are mended when they are looked at again."""

_CLUES, _TRAILS, _HOOKS = 4, 2, 3
_LABEL = re.compile(r"\[([\d.]+)\]")


def entries(step: Step) -> dict[str, Any]:
    """Name as many entries as a member may have, each differently."""
    rng, voice = step.rng(), step.voice
    count = rng.randint(step.card.entries_least, max(step.card.entries_most, step.card.entries_least))
    named = [
        {"task_type": "design", "title": f"{voice.title(rng)} {number}", "goal": voice.sentence("aims", rng)}
        for number in range(1, count + 1)
    ]
    return {"reasoning": f"{voice.marker} {voice.sentence('noted', rng)}", "sub_tasks": named}


def register(step: Step) -> dict[str, Any]:
    """Lay down one secret, and fairly what leads to it, away from it and on."""
    rng, last = step.rng(), max(step.card.chapters, 1)
    content, word = hidden(step.language, 1)
    secret = {
        "id": "secret-1", "content": content, "about": step.voice.people[0], "forbidden_keywords": [word],
        "revealed_in": last,
    }  # fmt: skip
    roles = [Role.CLUE] * _CLUES + [Role.RED_HERRING] * _TRAILS + [Role.HOOK] * _HOOKS
    threads = [_thread(step, rng, number, role, last) for number, role in enumerate(roles, 1)]
    return {"secrets": [secret], "threads": threads}


def few_threads(step: Step) -> dict[str, Any]:
    """Lay down as much as a weak model can."""
    rng, voice = step.rng(), step.voice
    told = [{"title": voice.title(rng)[:40], "seed": voice.sentence("told", rng)[:120]} for _ in range(2)]
    return {"secret": hidden(step.language, 1)[0][:160], "threads": told}


def faults(step: Step) -> dict[str, Any]:
    """Find something wrong with some of the documents."""
    found = []
    for text in step.texts("document"):
        label = _LABEL.match(text)
        rng = step.rng(f"fault {text[:60]}")
        if label and rng.random() < _FAULTY:
            found.append({
                "label": label.group(1), "severity": "warning", "evidence": step.voice.sentence("told", rng),
                "fault": step.voice.sentence("noted", rng), "order": step.voice.sentence("asked", rng),
            })  # fmt: skip
    return {"findings": found}


def verification(step: Step) -> dict[str, Any]:
    """Find most faults mended."""
    rng = step.rng()
    points = [_point(step, rng, number) for number in range(1, len(step.texts("finding")) + 1)]
    return {"points": points, "assessment": f"{step.voice.marker} {step.voice.sentence('noted', rng)}"}


def _thread(step: Step, rng: Random, number: int, role: Role, last: int) -> dict[str, Any]:
    """One thread; critical clues are spread, so that no chapter is crowded with them."""
    planted = 1 + (number * 2) % max(last - 1, 1)
    answered = last if role is Role.CLUE else min(planted + max(last // 3, 1), last)
    return {
        "id": f"thread-{number}", "title": f"{step.voice.title(rng)} {number}", "role": role.value,
        "weight": (Weight.CRITICAL if number <= 2 else Weight.MINOR).value,
        "seed": step.voice.sentence("told", rng), "meaning": step.voice.sentence("noted", rng),
        "secret": "secret-1" if role is Role.CLUE else "", "characters": [rng.choice(step.voice.people)],
        "planted_in": min(planted, last), "reinforced_in": [], "answered_in": answered,
    }  # fmt: skip


def _point(step: Step, rng: Random, number: int) -> dict[str, Any]:
    is_mended = rng.random() < _MENDED
    left = "" if is_mended else step.voice.sentence("asked", rng)
    return {"number": number, "evidence": step.voice.sentence("told", rng), "left": left, "is_mended": is_mended}
