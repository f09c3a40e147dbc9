"""How the fake provider spoils an answer that is otherwise whole."""

import re

from tests.support import fake_author
from tests.support.fake_wire import Question

_HUGE = 10 * 1024 * 1024
_STRAYS = {"nul": "\x00", "surrogate": "\ud800"}
_STRING = re.compile(r'"(?P<body>(?:[^"\\]|\\.)*)"(?P<colon>\s*:)?')
"""A string of JSON; with a colon behind it, it is a key."""


def spoiled(text: str, question: Question, trouble: str) -> tuple[str, str]:
    """Give the text as the trouble has it, and how the answer ends: `stop`, `length` or `refusal`."""
    if trouble == "truncate":
        return text[: len(text) // 2], "length"
    if trouble == "refuse":
        return "I cannot help with that.", "refusal"
    return _changed(text, question, trouble), "stop"


def _changed(text: str, question: Question, trouble: str) -> str:
    match trouble:
        case "fence":
            return f"```json\n{text}\n```"
        case "prose":
            return f"Gladly. Here it is:\n{text}\nI hope that helps."
        case "wrong_schema":
            return '{"something": ["else"]}'
        case "empty":
            return ""
        case "echo":
            return question.prompt
        case "nul" | "surrogate":
            return _with_stray(text, _STRAYS[trouble], is_json=question.schema is not None)
        case "wrong_language":
            return fake_author.foreign(text)
        case "huge":
            return "word " * (_HUGE // 5)
        case _:
            return text


def _with_stray(text: str, stray: str, *, is_json: bool) -> str:
    """Put a character that no book holds into a text; in JSON before every value, as an escape and as it is."""
    if is_json:
        marked = f"\\u{ord(stray):04x}{stray}"
        return _STRING.sub(lambda found: found[0] if found["colon"] else f'"{marked}{found["body"]}"', text)
    return f"{text[: len(text) // 2]}{stray}{text[len(text) // 2 :]}"
