"""An author for the fake provider that can carry a whole book: valid answers, prose of the length asked.

The same prompt always gets the same answer, so a book that was killed and resumed must end equal,
letter for letter, to one that was not.
"""

import hashlib
import json
import re
from random import Random
from typing import Any

from bookwright.agents.react.action import Action, Finish
from bookwright.agents.react.action import write as write_turn
from bookwright.agents.workflows import REVISION_MARK
from tests.support import fake_author

_ASKED = re.compile(r"(?:about|up to) ([\d,]+) (?:words|characters)")
_CHAPTERS = re.compile(r"`chapters` \(exactly (\d+)")
_PROMISE = re.compile(r'"id": ?"(\d[\d.]*-\d+)"')
TO_LOOK_UP = "A clerk asks what lamps cost."
"""A premise for which every task of a plan is a search."""
_SUBJECTS = ("The keeper", "Her brother", "The pilot", "A clerk from the harbour", "The widow upstairs", "Nobody")
_VERBS = ("counted", "hid", "carried back", "sold", "read aloud", "forgot", "mended", "asked for")
_OBJECTS = ("the second lamp", "a letter without a name", "the tide tables", "his father's coat", "the brass key")
_ENDS = ("before the bell rang", "and said nothing of it", "while the others slept", "as if it were Tuesday", "twice")


def write(prompt: str, schema: dict[str, Any] | None) -> str:
    """Answer any step of a book in English."""
    if "Action: ToolName[" in prompt:
        return _looked_up(prompt)
    if schema is not None:
        return _settled(prompt, fake_author.write(prompt, schema))
    seed = hashlib.sha256(prompt.encode()).hexdigest()
    if "@gap" in prompt:
        return f"@gap 1\n{_prose(Random(seed), 12)}"
    asked = _ASKED.findall(prompt)
    prose = _prose(Random(seed), min(int(asked[-1].replace(",", "")), 4_000) if asked else 60)
    return f"- Nothing to strike.\n{REVISION_MARK}\n{prose}" if REVISION_MARK in prompt else prose


def _settled(prompt: str, answer: str) -> str:
    """Settle each promise that the prompt shows, where an answer has a place for it; look up what a premise asks; give
    as many chapters as are wanted."""
    values = json.loads(answer)
    if TO_LOOK_UP in prompt:
        for task in values.get("sub_tasks", ()):
            task["task_type"] = "search"
    if found := _CHAPTERS.search(prompt):
        [chapter, *_] = values["chapters"]
        count = int(found.group(1))
        values["chapters"] = [chapter | {"title": f"The lamp, {number}"} for number in range(1, count + 1)]
    if "settled" in values:
        ids = dict.fromkeys(_PROMISE.findall(prompt))
        values["settled"] = [{"id": found, "ending": "kept", "where": ""} for found in ids]
    return json.dumps(values)


def _looked_up(prompt: str) -> str:
    """Search once, and then answer by what was asked alone: the marks in what a search brings are never the same."""
    asked, mark, _ = prompt.partition("\n\nThought: a look pays.")
    if not mark:
        return write_turn(Action("web_search", '{"query": "lamps of a harbour"}', "a look pays."))
    seed = hashlib.sha256(asked.encode()).hexdigest()
    return write_turn(Finish(_prose(Random(seed), 60)))


def _prose(lot: Random, words: int) -> str:
    """Paragraphs of at most so many words together; one sentence at least."""
    paragraphs: list[str] = []
    written, is_full = 0, False
    while not is_full:
        sentences: list[str] = []
        for _ in range(lot.randint(2, 6)):
            sentence = " ".join(lot.choice(part) for part in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS)) + "."
            is_full = written > 0 and written + len(sentence.split()) > words
            if is_full:
                break
            sentences.append(sentence)
            written += len(sentence.split())
        if sentences:
            paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)
