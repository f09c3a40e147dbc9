"""The rehearsal author's answers to steps that cut or change sentences, which are named by their numbers."""

import re
from random import Random

from bookwright.agents.backends.rehearsal.assignments import told_in
from bookwright.agents.backends.rehearsal.modes import Mode
from bookwright.agents.backends.rehearsal.step import Step

_NUMBER = re.compile(r"\[(\d+\.\d+)\] ")


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
    parts = _NUMBER.split("".join(step.texts("text")[-1:]))[1:]
    return [(number, sentence.strip()) for number, sentence in zip(parts[::2], parts[1::2], strict=True)]


def _owed(step: Step) -> set[str]:
    return {step.voice.marker, *told_in(step)}


def _row(numbered: tuple[str, str]) -> str:
    return numbered[0].partition(".")[0]
