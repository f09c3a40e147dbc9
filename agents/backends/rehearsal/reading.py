"""What the rehearsal author reads in its orders and in the texts before it.

In the orders it finds numbered facts, for benches: a division orders them, an early unit tells them, later units rest
on them. A child's instructions name the facts that it is to tell, its input the ones it rests on; a child that is
divided hands both to its own first child. What the text is then to know stands nowhere but in earlier prose, so a bench
can see whether a context found it.

In the texts it finds people, threads and faults, and the sentences that it changes.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.filler import Draft
from bookwright.agents.backends.rehearsal.modes import Mode
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.rehearsal.voice import NumberedFact, Voice

_FACT_NUMBER = re.compile(r"\d+")
_FIRST_TO_ASK = 3
"""The first child that rests on a fact of an earlier sibling."""

_LABEL = re.compile(r"\[([\d.]+)\]")
_THREAD = re.compile(r"(\S+) \((\w+)\)")
_SENTENCE_NUMBER = re.compile(r"\[(\d+\.\d+)\] ")


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
    return _FACT_NUMBER.sub("{n}", line) == voice.phrases["plants"]


def _facts(lines: Iterable[str], voice: Voice) -> list[NumberedFact]:
    return [voice.fact(int(numbers[-1])) for numbers in map(_FACT_NUMBER.findall, lines) if numbers]


def touches(d: Draft) -> Iterator[tuple[str, str]]:
    """What the text did for the threads of the card."""
    for found in filter(None, map(_THREAD.match, d.card.threads if d.step.told else ())):
        thread, status = found.groups()
        chance = d.rng.random()
        if status == "registered" and chance < 0.5:
            yield thread, "plant"
        elif status == "reinforced" and chance < 0.5:
            yield thread, "reveal"
        elif status == "planted" and chance < 0.35:
            yield thread, "reinforce"


def people(d: Draft) -> list[tuple[str, str]]:
    """People of the text with what it says of them."""
    told = ((name, next((line for line in d.step.told if name in line), "")) for name in d.voice.people)
    return [(name, said) for name, said in told if said][:4]


def faulty(d: Draft) -> Iterator[tuple[str, Any]]:
    """Labels of documents with something wrong in them, each with a chance of its own."""
    for text in d.step.texts("document"):
        rng = d.step.rng(f"fault {text[:60]}")
        if (label := _LABEL.match(text)) and rng.random() < 0.2:
            yield label.group(1), rng


def replaced(step: Step, rng: Random) -> list[str]:
    """Return the numbers of the sentences to be told anew, one for each order; what the unit owes stays."""
    owed = _owed(step)
    free = [number for number, sentence in _sentences(step) if sentence not in owed]
    return rng.sample(free, min(len(step.card.spots), len(free)))


def cuts(step: Step, mode: Mode, rng: Random) -> list[dict[str, str]]:
    """Say pairs of sentences by one of the two, together as much shorter as asked for, or as the mode misses it.

    A sentence that the unit owes is the one that stays. Where the pairs are too little, single ones go.
    """
    found, owed, measure = _sentences(step), _owed(step), step.language.measure
    pairs = [pair for pair in zip(found[1::2], found[2::2], strict=False) if _row(pair[0]) == _row(pair[1])]
    left = mode.missed(step.card.missing_length, rng)
    changes: list[dict[str, str]] = []
    for (first, one), (last, other) in rng.sample(pairs, len(pairs)):
        kept, gone = (one, other) if one in owed else (other, one)
        if left > 0 and gone not in owed:
            changes.append({"first": first, "last": last, "text": kept})
            left -= measure(gone)
    touched = {number for change in changes for number in (change["first"], change["last"])}
    for number, sentence in found:
        if left > 0 and sentence not in owed and number not in touched:
            changes.append({"first": number, "last": number, "text": ""})
            left -= measure(sentence)
    return changes


def _sentences(step: Step) -> list[tuple[str, str]]:
    parts = _SENTENCE_NUMBER.split("".join(step.texts("text")[-1:]))[1:]
    return [(number, sentence.strip()) for number, sentence in zip(parts[::2], parts[1::2], strict=True)]


def _owed(step: Step) -> set[str]:
    return {step.voice.marker, *owed_sentences(step)}


def _row(numbered: tuple[str, str]) -> str:
    return numbered[0].partition(".")[0]
