"""What the rehearsal author answers as a reader, as an editor, as a repairer, and between two drafts."""

import re
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.assignments import told_in
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.models.text.prose import paragraphs, sentences

_ORDERS = 3
_HANDED_ON = 0.3
"""Chance that an editor leaves something to the next unit."""
_NUMBER = re.compile(r"\[(\d+\.\d+)\] ")


def retelling(step: Step) -> dict[str, Any]:
    """Tell a text again in a few of its own sentences, and stumble once or twice."""
    rng, voice = step.rng(), step.voice
    told = _told(step)
    stumbles = [_trouble(step, rng, told) for _ in range(rng.randint(1, 3))]
    shape = {name: voice.title(rng) for name in ("fought", "gained", "talk", "span", "nearness", "ended")}
    return {
        "people": [{"name": name, "wants": voice.sentence("aims", rng)} for name in voice.people[:3]],
        "happened": voice.joined([voice.marker, *rng.sample(told, min(6, len(told)))]),
        "why": voice.sentence("noted", rng), "at_stake": voice.sentence("noted", rng),
        "not_understood": stumbles, "dull": [_trouble(step, rng, told)],
        "alive": [_quote(step, rng, told)], "shape": shape,
        "returning": [{"thing": voice.title(rng), "sentence": _quote(step, rng, told)}],
    }  # fmt: skip


def orders(step: Step) -> dict[str, Any]:
    """Order a few repairs at places of the text, and now and then something of the next unit."""
    rng, voice, told = step.rng(), step.voice, _told(step)
    found = [
        {
            "quote": _quote(step, rng, told), "trouble": voice.sentence("noted", rng),
            "order": voice.sentence("asked", rng), "severity": rng.choice(("critical", "warning", "info")),
            "where": "here",
        }
        for _ in range(rng.randint(1, _ORDERS))
    ]  # fmt: skip
    if rng.random() < _HANDED_ON and not step.card.is_last:
        found.append({"trouble": voice.sentence("noted", rng), "order": voice.sentence("asked", rng), "where": "next"})
    return {"reasoning": f"{voice.marker} {voice.sentence('noted', rng)}", "orders": found}


def changes(step: Step) -> dict[str, Any]:
    """Put another sentence in the place of one for each order; what the unit owes stays."""
    rng, voice = step.rng(), step.voice
    pieces = _NUMBER.split("".join(step.texts("text")[-1:]))[1:]
    owed = {voice.marker, *told_in(step)}
    free = [number for number, body in zip(pieces[::2], pieces[1::2], strict=True) if body.strip() not in owed]
    chosen = rng.sample(free, min(len(step.card.spots), len(free)))
    return {"changes": [{"first": number, "last": "", "text": voice.sentence("told", rng)} for number in chosen]}


def choice(step: Step) -> dict[str, Any]:
    """Prefer one of two drafts."""
    rng, voice = step.rng(), step.voice
    return {
        "reasoning": f"{voice.marker} {voice.sentence('noted', rng)}",
        "carry_over": [voice.sentence("noted", rng)],
        "better": rng.choice(("A", "B")),
    }


def _told(step: Step) -> list[str]:
    text = "\n\n".join(step.texts("text"))
    return [sentence for part in paragraphs(text) for sentence in sentences(part)]


def _trouble(step: Step, rng: Random, told: list[str]) -> dict[str, str]:
    return {"quote": _quote(step, rng, told), "trouble": step.voice.sentence("asked", rng)}


def _quote(step: Step, rng: Random, told: list[str]) -> str:
    return rng.choice(told)[:300] if told else step.voice.marker
