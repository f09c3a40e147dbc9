"""What the rehearsal author finds in what it is given to read: people, threads, faults."""

import re
from collections.abc import Iterator
from typing import Any

from bookwright.agents.backends.rehearsal.filler import Draft

_LABEL = re.compile(r"\[([\d.]+)\]")
_THREAD = re.compile(r"(\S+) \((\w+)\)")


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
