"""Numbered facts for benches: a division orders them, an early unit tells them, later units rest on them.

A child's instructions name the facts that it is to tell, its input the ones it rests on; a child
that is divided hands both to its own first child. What the text is then to know stands nowhere
but in earlier prose, so a bench can see whether a context found it.
"""

import re
import zlib
from collections.abc import Iterable
from random import Random

from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.rehearsal.voice import NumberedFact, Voice

_NUMBER = re.compile(r"\d+")
_FIRST_TO_ASK = 3
"""The first child that rests on a fact of an earlier sibling."""


def fact_number(parent: str, child: int) -> int:
    """Return the number of the fact that a parent's child (from 1) is to tell."""
    return 1_000 + zlib.crc32(f"{parent}/{child}".encode()) % 900_000


def orders(step: Step, child: int, rng: Random) -> tuple[list[str], list[str]]:
    """Return the instructions and the input that a child gets beside its events."""
    phrases, unit = step.voice.phrases, step.card.unit
    told = [phrases["plants"].format(n=fact_number(unit.label, child))]
    needed = []
    if child >= _FIRST_TO_ASK:
        earlier = 1 + int(rng.random() ** 2 * (child - 2))
        needed.append(phrases["needs"] + step.voice.fact(fact_number(unit.label, earlier)).question)
    if child == 1:
        told.extend(line for line in unit.instructions if _is_order(line, step.voice))
        needed.extend(line for line in unit.input_brief if line.startswith(phrases["needs"]))
    return told, needed


def owed_sentences(step: Step) -> list[str]:
    """Return the sentences that a unit's text owes to its orders."""
    unit, voice = step.card.unit, step.voice
    ordered = (line for line in unit.instructions if _is_order(line, voice))
    needed = (line for line in unit.input_brief if line.startswith(voice.phrases["needs"]))
    return [fact.told for fact in _facts(ordered, voice)] + [fact.recalled for fact in _facts(needed, voice)]


def _is_order(line: str, voice: Voice) -> bool:
    return _NUMBER.sub("{n}", line) == voice.phrases["plants"]


def _facts(lines: Iterable[str], voice: Voice) -> list[NumberedFact]:
    return [voice.fact(int(numbers[-1])) for numbers in map(_NUMBER.findall, lines) if numbers]
