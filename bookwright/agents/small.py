"""What the `small` profile does in code for a model that cannot: openings, cuts, choices, arcs.

All of it is pure. Measured on SmolLM2-135M: opening words of one's own are the best lever, a
repeat penalty with DRY ends its loops, and continuation by short pieces reaches a length.
"""

import re
from collections.abc import Sequence
from typing import Any

from bookwright.agents.quality import repetition
from bookwright.models.language import Language
from bookwright.models.plan import PlanNode, TaskType
from bookwright.models.prose import paragraphs, sentences
from bookwright.models.task import TaskNode

_CARRIED_WORDS = 70
"""How much of the text so far stands before a new piece, in words; characters count three times that."""

_ENOUGH = 0.9
"""The share of a unit's length from which no further piece is asked for."""

_ARC = ("begins", "gets worse", "ends")

_ENGLISH_BIAS = {
    " I": -6, " my": -6, " me": -6, " you": -6, " your": -6, " we": -6, " our": -6, " us": -6, " reader": -6,
    " story": -6, " scene": -6, " testament": -6, " legacy": -6, " journey": -6, " tale": -6, " chapter": -6,
    " narrator": -6, " author": -6, " life": -2, " world": -3, " forever": -3, " future": -3, " memories": -3,
    " love": -2, " people": -2, " everyone": -3, " someone": -2,
}  # fmt: skip
"""Third-person narration: what makes a tiny model turn to its reader, or to platitudes, becomes rare."""

_GRAMMAR = r"""root ::= body
body ::= [^\n\[\]<>*#_{}|0-9:;&\\/()]+ ("\n\n" ["A-Z] [^\n\[\]<>*#_{}|0-9:;&\\/()]+)*
"""
"""Prose alone: no headings, lists, tags or digits. Bounded repetitions do not parse there."""

_PROSE_SAMPLING = {
    "top_p": 0.9, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.1, "repeat_last_n": 256, "dry_multiplier": 0.8,
}  # fmt: skip
_META = re.compile(r"\b(the story|this story|the reader|the scene|chapter|as an ai|here (?:is|are))\b", re.IGNORECASE)


def sampling_extra(language: Language, *, is_prose: bool) -> dict[str, Any]:
    """Return llama.cpp's own sampling fields for one call; other providers never see them."""
    if not is_prose:
        return {"top_p": 0.9, "top_k": 40, "repeat_penalty": 1.05, "cache_prompt": True}
    extra: dict[str, Any] = {**_PROSE_SAMPLING, "cache_prompt": True}
    if language is Language.EN:
        extra |= {"grammar": _GRAMMAR, "logit_bias": [[word, bias] for word, bias in _ENGLISH_BIAS.items()]}
    return extra


def opening_of(premise: str, index: int, count: int, language: Language) -> str:
    """Return the words that a unit opens with: its share of the premise's sentences.

    The first unit takes all that the others leave, so that the story begins where the author does.
    """
    told = [sentence for paragraph in paragraphs(premise) for sentence in sentences(paragraph)]
    if index >= count or count < 2 or len(told) < 2:
        return " ".join(told) if index == 0 else ""
    later = min(count - 1, len(told) - 1)
    head, tail = told[: len(told) - later], told[len(told) - later :]
    if index == 0:
        return _joined(head, language)
    return tail[index - 1] if index - 1 < len(tail) else ""


def carried(text: str, language: Language) -> str:
    """Return the end of the text so far that stands before the next piece, from a sentence on."""
    if language is Language.EN:
        tail = " ".join(text.split(" ")[-_CARRIED_WORDS:])
    else:
        tail = text[-3 * _CARRIED_WORDS :]
    parts = [sentence for paragraph in paragraphs(tail) for sentence in sentences(paragraph)]
    return _joined(parts[1:] if len(parts) > 1 and tail != text else parts, language)


def trimmed(text: str, language: Language) -> str:
    """Cut a text at its last sentence end, and drop a sentence that was said before."""
    kept: list[str] = []
    seen: set[str] = set()
    for paragraph in paragraphs(text):
        whole = []
        for sentence in sentences(paragraph):
            bare = sentence.casefold().strip(" .!?。！？\"”’」』")
            if sentence[-1:] not in ".!?。！？\"”’」』…" or bare in seen:
                continue
            seen.add(bare)
            whole.append(sentence)
        if whole:
            kept.append(_joined(whole, language))
    return "\n\n".join(kept)


def is_enough(text: str, target: int, language: Language) -> bool:
    """Tell whether a unit has its length, so that no further piece is needed."""
    return language.measure(text) >= _ENOUGH * target


def prose_score(text: str, target: int, names: Sequence[str], language: Language) -> float:
    """Score a text by figures, higher is better: length, repetition, names kept, talk about itself."""
    length = language.measure(text)
    if not length:
        return -10.0
    off = abs(length - target) / max(target, 1)
    named = min(sum(text.count(name) for name in names) / (length / 100), 2.0) if names else 1.0
    return named - 2.0 * off - 4.0 * repetition(text, language) - 1.0 * len(_META.findall(text))


def better_of(draft: str, refined: str, target: int, names: Sequence[str], language: Language) -> str:
    """Return the draft unless the refined text scores higher and keeps the length."""
    gain = prose_score(refined, target, names, language) - prose_score(draft, target, names, language)
    return refined if gain > 0 and is_enough(refined, target, language) else draft


def names_in(premise: str) -> tuple[str, ...]:
    """Return the capitalised words inside the premise's sentences, most likely names; empty for han and kana."""
    inside = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+|^[A-Z][a-z]+ (?=[A-Z])", premise)
    opening = re.match(r"[A-Z][a-z]+", premise)
    found = [name.strip() for name in ([opening.group()] if opening else []) + inside]
    return tuple(dict.fromkeys(found))


def distinct_events(units: list[PlanNode], count: int, unit: TaskNode, language: Language) -> list[PlanNode]:
    """Return `count` children whose goals differ; what is missing or says the same becomes an arc.

    A tiny model often gives one event several times. Then each child is told what its part of
    the whole is: it begins, it gets worse, it ends.
    """
    seen: set[str] = set()
    distinct = []
    for child in units:
        bare = " ".join(child.goal.casefold().split())[:60]
        if bare not in seen:
            seen.add(bare)
            distinct.append(child)
    distinct = distinct[:count]
    arcs = [_ARC[0], *[_ARC[1]] * (count - 2), _ARC[2]]
    for place in range(len(distinct), count):
        goal = f"It {arcs[place]}: {unit.goal}"
        distinct.append(PlanNode(task_type=TaskType.WRITE, title=f"{place + 1}", goal=goal[:1_000]))
    return distinct


def _joined(parts: Sequence[str], language: Language) -> str:
    return (" " if language in (Language.EN, Language.KO) else "").join(parts)
