"""How the rehearsal author uses tools: one look into the book, or a search of the web and one page, then the answer."""

import json
import re
from random import Random

from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.react.action import OBSERVATION, Action, Finish, write
from bookwright.models.step import Reply

_SEARCH, _FETCH = "web_search", "fetch_page"
_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_QUERY_WORDS, _QUERY_CHARACTERS = 10, 80


def next_action(step: Step, request: Request) -> str | None:
    """Write the next action; None once enough was looked up, or where there is nothing to look with."""
    names = [tool.name for tool in request.tools]
    brought = [turn.problem for turn in request.corrections if turn.problem.startswith(OBSERVATION)]
    thought = step.voice.sentence("noted", step.rng("thought"))
    if not brought:
        searches = [name for name in names if name == _SEARCH] or [name for name in names if name != _FETCH]
        chance = Random(f"{step.seed}|{step.label}|{step.name}|look")
        return _action(chance.choice(searches), {"query": _query(step)}, thought) if searches else None
    pages = _ADDRESS.findall(brought[0])
    if len(brought) == 1 and _FETCH in names and pages:
        return _action(_FETCH, {"url": pages[0]}, thought)
    return None


def finished(step: Step, given: Reply) -> Reply:
    """Put an answer into the form; one that was cut off has no end."""
    if not given.text:
        return given
    text = write(Finish(given.text, step.voice.sentence("noted", step.rng("enough"))))
    return given.model_copy(update={"text": text if given.finish_reason == "stop" else text[:-1]})


def _action(tool: str, arguments: dict[str, str], thought: str) -> str:
    return write(Action(tool, json.dumps(arguments, ensure_ascii=False), thought))


def _query(step: Step) -> str:
    words = step.card.task.goal.split()[:_QUERY_WORDS]
    return " ".join(words)[:_QUERY_CHARACTERS] or step.card.book.premise[:_QUERY_CHARACTERS]
