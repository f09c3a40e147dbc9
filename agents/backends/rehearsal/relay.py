"""What the rehearsal author answers as reviewer, judge and keeper of the codex.

Its secrets are in words that its prose never uses, so that a rehearsal of a book that hides something
gives nothing away unless it means to.
"""

import math
import re
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.rehearsal.telling import retell, tell
from bookwright.models.codex.extraction import CHECKS
from bookwright.models.codex.foreshadowing import EventType
from bookwright.models.text.language import Language
from bookwright.models.text.prose import paragraphs, sentences

_HIDDEN = {
    Language.EN: ("Behind number {n} stands a forged baptismal register, unopened since the quarantine.",
                  "baptismal register"),
    Language.ZH: ("第{n}桩背后是一册伪造的受洗簿，检疫那年以后再没人翻开。", "受洗簿"),
    Language.JA: ("{n}番の裏には、検疫の年から誰も開いていない偽造の洗礼簿がある。", "洗礼簿"),
    Language.KO: ("{n}번 뒤에는 검역의 해 이후 아무도 펼치지 않은 위조 세례 명부가 있다.", "세례 명부"),
}  # fmt: skip
"""A secret by language, with the words that would tell it."""

_REJECTS, _WARNS = 0.03, 0.10
"""Shares of first reviews that reject a text, or find something small."""

_FALLS_SHORT = 0.06
"""Share of chapters that are judged to be below the usual threshold."""

_PLANTS, _TOUCHES, _REVEALS = 0.5, 0.35, 0.5
"""Chances that a chapter plants a registered thread, touches an open one, pays off one that was brought back."""

_TELLS = 0.8
"""Chance that a secret comes out in the chapter that is to tell it."""

_THREADS = 4
_PEOPLE = 4
_GAP = re.compile(r"\[gap (\d+)\]")
_THREAD = re.compile(r"(\S+) \((\w+)\)")


def hidden(language: Language, number: int) -> tuple[str, str]:
    """Return a secret in a language, and the words that would tell it."""
    content, word = _HIDDEN[language]
    return content.format(n=number), word


def fillings(step: Step) -> str:
    """Close every gap with a sentence."""
    rng, voice = step.rng(), step.voice
    gaps = _GAP.findall("".join(step.texts("gapped_text")[-1:])) or ["1"]
    lost = max(step.card.missing_length // len(gaps), 1)
    return "\n\n".join(f"@gap {gap}\n{tell(voice, rng, lost)}" for gap in gaps)


def improved(step: Step) -> str:
    """Revise a text, most of which stays."""
    text = _GAP.sub("", "".join(step.texts("text")[-1:]))
    return retell(step.voice, step.rng(), text) if text else tell(step.voice, step.rng(), step.card.ask_length or 100)


def leak_judgement(step: Step) -> dict[str, Any]:
    """Let most texts pass; a second review always does."""
    rng = step.rng()
    chance = rng.random() if step.name.endswith(".1") else 1.0
    if chance >= _WARNS:
        return {"issues": [], "result": "approved"}
    is_rejected = chance < _REJECTS
    issue = {
        "location": _quote(step, rng), "suspicion": step.voice.sentence("noted", rng), "type": "guessable",
        "severity": "critical" if is_rejected else "info", "suggestion": step.voice.sentence("told", rng),
    }  # fmt: skip
    return {"issues": [issue], "result": "rejected" if is_rejected else "warning"}


def quality(step: Step) -> dict[str, Any]:
    """Score a text; a book has a slow wave in it, and what was revised is better than before."""
    rng, voice = step.rng(), step.voice
    wave = 0.08 * math.sin(sum(map(int, step.label.split("."))) / 2)
    falls = rng.random() < _FALLS_SHORT
    base = (0.52 if falls else 0.74) + wave * (0.3 if falls else 1)
    names = (
        "coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance",
    )  # fmt: skip
    scores = {name: round(min(max(base + rng.uniform(-0.14, 0.14), 0), 1), 2) for name in names}
    issues = [
        {
            "category": rng.choice(names), "severity": "warning", "location": _quote(step, rng),
            "description": voice.sentence("noted", rng), "suggestion": voice.sentence("asked", rng),
        }
        for _ in range(rng.randint(1, 2))
    ]  # fmt: skip
    return {
        "issues": issues,
        "scores": {**scores, "overall": round(base, 2)},
        "assessment": f"{voice.marker} {voice.sentence('noted', rng)}",
        "recommendations": [{"priority": "medium", "action": voice.sentence("aims", rng)}],
    }


def extraction(step: Step) -> dict[str, Any]:
    """Name people of the text with what it says of them, and touch some of the threads."""
    rng = step.rng()
    told = _sentences(step)
    return {
        "entries": _people(step, told),
        "touches": [touch for line in step.card.threads if told and (touch := _touch(line, told, rng))],
        "reveals": [
            {"secret": line.partition(": ")[0], "quote": rng.choice(told)}
            for line in step.card.due_secrets
            if told and rng.random() < _TELLS
        ],
        "checks": [{"check": check, "result": "passed"} for check in CHECKS],
    }


def design_extraction(step: Step) -> dict[str, Any]:
    """Lay down the cast, one secret and a few threads."""
    rng, voice = step.rng(), step.voice
    people = [
        {"kind": "character", "name": name, "facts": [_fact(step, voice.sentence("noted", rng))]}
        for name in voice.people
    ]
    return {
        "entries": people,
        "secrets": [_secret(step, 1)],
        "threads": [_thread(step, number, rng) for number in range(2, 2 + _THREADS)],
    }


def _secret(step: Step, number: int) -> dict[str, Any]:
    content, word = _HIDDEN[step.language]
    return {
        "id": f"secret-{number}", "content": content.format(n=number), "importance": "high",
        "about": step.voice.people[0], "forbidden_keywords": [word], "revealed_at": 95,
    }  # fmt: skip


def _thread(step: Step, number: int, rng: Random) -> dict[str, Any]:
    content, word = _HIDDEN[step.language]
    planted = rng.randint(0, 35)
    return {
        "title": f"{step.voice.title(rng)} {number}", "type": "item_significance", "subtlety": rng.randint(3, 7),
        "seed": step.voice.sentence("told", rng), "payoff": content.format(n=number),
        "characters": [rng.choice(step.voice.people)], "forbidden_keywords": [word], "planted_at": planted,
        "reinforced_at": [planted + 20, planted + 35], "paid_off_at": min(planted + 55, 95),
    }  # fmt: skip


def _people(step: Step, told: list[str]) -> list[dict[str, Any]]:
    found = []
    for name in step.voice.people:
        words = next((sentence for sentence in told if name in sentence), "")
        if words:
            found.append({"kind": "character", "name": name, "facts": [_fact(step, words)]})
    return found[:_PEOPLE]


def _fact(step: Step, words: str) -> dict[str, str]:
    return {"aspect": step.voice.lexicon.headings[0], "fact": words[:300]}


def _touch(line: str, told: list[str], rng: Random) -> dict[str, Any] | None:
    """What the text did for a thread of the card, or nothing."""
    found = _THREAD.match(line)
    if found is None:
        return None
    identity, status = found.groups()
    chance = rng.random()
    kind = None
    if status == "registered" and chance < _PLANTS:
        kind = EventType.PLANT
    elif status == "reinforced" and chance < _REVEALS:
        kind = EventType.REVEAL
    elif status in ("planted", "reinforced") and chance < _TOUCHES:
        kind = EventType.REINFORCE
    return {"thread": identity, "did": kind.value, "quote": rng.choice(told)} if kind else None


def _sentences(step: Step) -> list[str]:
    text = "".join(step.texts("text")[-1:])
    return [sentence for part in paragraphs(text) for sentence in sentences(part)]


def _quote(step: Step, rng: Random) -> str:
    told = _sentences(step)
    return rng.choice(told)[:300] if told else step.voice.marker
