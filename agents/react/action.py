"""The text form of a turn: read from whatever a model wrote, and written as it is kept. Pure and total.

    Thought: what is missing, and who would know
    Action: web_search[{"query": "lamp oil price 1890"}]

and last `Action: Finish[the answer]`. Source: ReAct (Yao et al. 2023); DESIGN section 11.
"""

import json
import re
from dataclasses import dataclass

from bookwright.models.text.language import lazy_pattern
from bookwright.models.text.plain import plain

OBSERVATION = "Observation: "
"""Stands before what an action brought."""

_DECORATION = r"[ \t>*_#`-]*"
_COLON = r"[*_`]*[ \t]*[:：][ \t*_`]*"
_ACTION = lazy_pattern(rf"^{_DECORATION}(?:Action|行动|动作){_COLON}", re.MULTILINE | re.IGNORECASE)
_THOUGHT = lazy_pattern(rf"^{_DECORATION}(?:Thought|思考|想法){_COLON}", re.IGNORECASE)
_BARE_FINISH = lazy_pattern(rf"^{_DECORATION}(?=Finish[ \t]*\[)", re.MULTILINE)
_INLINE = lazy_pattern(r"\bAction[ \t]*[:：][ \t]*(?=[A-Za-z][\w-]*[ \t]*\[)")
_NAME = lazy_pattern(r"([A-Za-z][\w-]{0,63})[ \t`*]*")
_INPUT = lazy_pattern(rf"\s*{_DECORATION}(?:Action[ \t]+Input|Input){_COLON}", re.IGNORECASE)
_NEXT = lazy_pattern(
    rf"\s*(?:```|\Z|{_DECORATION}(?:Action|Thought|Observation|行动|动作|思考|想法|观察){_COLON})", re.IGNORECASE
)
_FENCED = lazy_pattern(r"```\w*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_FENCE_LINE = lazy_pattern(r"^```\w*[ \t]*$", re.MULTILINE)
_FINISH = "finish"
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class Action:
    """A tool is asked for."""

    tool: str
    arguments: str = "{}"
    """As the model gave them: JSON, if all is well."""
    thought: str = ""


@dataclass(frozen=True)
class Finish:
    """The answer is there."""

    answer: str
    thought: str = ""


@dataclass(frozen=True)
class NoAction:
    """The form was begun and says neither what to do nor what the answer is."""

    thought: str


Turn = Action | Finish | NoAction


def read(text: str) -> Turn:
    """Read what a model wrote.

    The first action counts; what follows it, such as an observation that the model made up, does
    not. A text without any mark of the form is an answer as it stands.
    """
    text = plain(text).strip()
    fenced = _FENCED.fullmatch(text)
    if fenced and (_ACTION.match(fenced[1]) or _THOUGHT.match(fenced[1])):
        text = fenced[1].strip()
    marks = [mark for mark in (_ACTION.search(text), _BARE_FINISH.search(text)) if mark]
    if not marks and _THOUGHT.match(text) and (inline := _INLINE.search(text)):
        marks = [inline]
    if not marks:
        return NoAction(_thought(text)) if _THOUGHT.match(text) else Finish(text)
    mark = min(marks, key=lambda found: found.start())
    thought = _thought(text[: mark.start()])
    turn = _turn(text[mark.end() :], thought)
    if turn is not None:
        return turn
    is_form = mark.start() == 0 or _THOUGHT.match(text)
    return NoAction(thought or _one_line(text)) if is_form else Finish(text)


def write(turn: Turn) -> str:
    """Write a turn in the form, so that `read` gives it back: the thought on one line, JSON without idle blanks."""
    match turn:
        case Action():
            last = f"Action: {turn.tool}[{compact(turn.arguments)}]"
        case Finish():
            last = f"Action: Finish[{turn.answer}]"
        case NoAction():
            return f"Thought: {_one_line(turn.thought)}"
    thought = _one_line(turn.thought)
    return f"Thought: {thought}\n{last}" if thought else last


def is_in_form(text: str) -> bool:
    """True if a text begins as the form does."""
    text = text.lstrip()
    return bool(_ACTION.match(text) or _THOUGHT.match(text))


def _turn(rest: str, thought: str) -> Turn | None:
    """Read what stands after the mark of an action; None if it is none."""
    name = _NAME.match(rest)
    if name is None:
        return None
    after = rest[name.end() :]
    is_finish = name[1].casefold() == _FINISH
    if after.startswith("["):
        return Finish(_answer(after[1:]), thought) if is_finish else Action(name[1], _arguments(after[1:]), thought)
    given = _INPUT.match(after)
    if given is None:
        return Finish(after.lstrip(" :：").strip(), thought) if is_finish and after.strip() else None
    if is_finish:
        return Finish(after[given.end() :].strip(), thought)
    return Action(name[1], _arguments(after[given.end() :]), thought)


def _arguments(body: str) -> str:
    """Cut the arguments out of what follows the opening bracket: one JSON value, or the text up to its end."""
    unfenced = body.lstrip()
    if unfenced.startswith("```"):
        unfenced = _FENCE_LINE.sub("", unfenced, count=1).lstrip()
    start = len(body) - len(unfenced)
    try:
        _, end = _DECODER.raw_decode(body, start)
    except (ValueError, RecursionError):
        closing = _closing(body)
        given = body.partition("\n")[0] if closing is None else body[:closing]
        return given.strip() or "{}"
    return body[start:end]


def _answer(body: str) -> str:
    """Cut the answer out of what follows the opening bracket.

    Prose may hold brackets that do not close, and a model may forget the last one or talk on after
    it: the bracket that closes counts if nothing or a new mark follows, else the last one.
    """
    end = _closing(body)
    if end is not None and _NEXT.match(body, end + 1):
        return body[:end].strip()
    return body.rstrip().removesuffix("```").rstrip().removesuffix("]").strip()


def _closing(body: str) -> int | None:
    """Where the bracket closes that stood before the text; None if it does not."""
    depth = 1
    for found in re.finditer(r"[\[\]]", body):
        depth += 1 if found[0] == "[" else -1
        if depth == 0:
            return found.start()
    return None


def _thought(text: str) -> str:
    text = _FENCE_LINE.sub("", text).strip()
    return _THOUGHT.sub("", text, count=1).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def compact(arguments: str) -> str:
    """Arguments as JSON that every reader takes, for models put line breaks into strings; what is none stays."""
    try:
        return json.dumps(json.loads(arguments, strict=False), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
