"""The answer to a step: how long it may be, how it is parsed to a result or a named failure, what it comes to.

Parsing is pure and total: nothing here raises. Source: DESIGN section 5, rule 3, and section 7, "Deadlines".
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import BaseModel, ValidationError

from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import Correction
from bookwright.agents.small.telling import PIECE_TOKENS
from bookwright.models.profile import Profile
from bookwright.models.step import Failure, Reply
from bookwright.models.text.language import Language, is_in, lazy_pattern
from bookwright.models.text.plain import plain
from bookwright.models.text.prose import whole_sentences
from bookwright.models.tree.plan import Plot
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_part
from bookwright.storage.steps.journal import Move


@dataclass(frozen=True)
class Artefact:
    """What an earlier step of the activity made, or a document put before the activity."""

    tag: str
    text: str
    is_prose: bool = False
    """Prose of the unit, or the author's own words: shown as it is."""

    @property
    def block(self) -> str:
        """The artefact as it stands in a prompt."""
        return f"<{self.tag}>\n{self.text}\n</{self.tag}>"


@dataclass(frozen=True)
class Outcome:
    """What a step came to."""

    value: Any
    """Of the agent's output type; text where it has none."""
    step: int
    """The step's id in the journal."""
    reply: Reply


Conclude = Callable[[Any], Move | None]
"""Given a step's value, what it does to the book; None if only the next step can tell."""


_TOKENS_A_UNIT = {Language.EN: 1.5, Language.ZH: 1.3, Language.JA: 1.3, Language.KO: 1.5}
_VERDICT_TOKENS, _PLAN_TOKENS, _NOTE_TOKENS, _THINKING_TOKENS = 1_200, 6_000, 1_500, 2_000
_TOKENS_A_CHANGE = 4
"""For each word that is to go: its passage in a shorter wording, and as much again in reserve."""
_TOKENS_A_CHAPTER = 200
"""For each chapter in the plan of a whole book: what it is about, what happens, what is understood, how it ends."""
_SHOWN_CHARACTERS = 20_000
"""How much of an answer is shown again: one that ran on for ever need not be paid for twice."""
_SMALL_JSON_TOKENS, _SMALL_NOTE_TOKENS = 500, 120
SMALL_PAGE_WORDS = 55
"""About how long a design of the small profile is: two sentences, as its template asks, within the tokens of a note.
The built-in model wrote 826 words on 15 pages."""


def answer_limit(agent: Agent, card: Card, profile: Profile, language: Language) -> int:
    """How many tokens an answer may have: what its length needs, room to miss it, and to leave a text as it stands."""
    if profile.is_small:
        if agent.is_piece:
            return PIECE_TOKENS
        if agent.is_prose:
            return round(card.ask_length * _TOKENS_A_UNIT[language])
        return _SMALL_JSON_TOKENS if agent.output else _SMALL_NOTE_TOKENS
    if agent.is_prose:
        return round(max(card.ask_length * 1.8, 180, card.draft_length) * _TOKENS_A_UNIT[language]) + _THINKING_TOKENS
    if agent.output is not None:
        is_long = agent.role in ("planner", "divider", "writer")  # a writer's is made of passages
        answer = _PLAN_TOKENS if is_long else _VERDICT_TOKENS + _THINKING_TOKENS
        chapters = card.chapters if issubclass(agent.output, Plot) else 0
        # A list of changes grows with what is to go, the plan of a whole book with its chapters.
        return answer + _TOKENS_A_CHANGE * card.missing_length + _TOKENS_A_CHAPTER * chapters
    wanted = max(card.word_allowance, card.plan_length, card.missing_length, card.condense_to)
    return round(wanted * _TOKENS_A_UNIT[language] * 1.8) + _NOTE_TOKENS + _THINKING_TOKENS


def whole(reply: Reply, agent: Agent) -> Reply:
    """Take a text that reached its limit for what it is: prose as it stands, a note up to its last sentence."""
    if reply.finish_reason != "length" or agent.output is not None:
        return reply
    text = reply.text if agent.is_prose else whole_sentences(reply.text) or reply.text
    return reply.model_copy(update={"finish_reason": "stop", "text": text})


def shown_again(reply: Reply, failure: Failure, detail: str, language: Language, locale: str) -> Correction:
    """Put an answer that was no result before the model again, with what was wrong with it."""
    told = {"failure": failure.value, "problem": detail, "language": language.english_name}
    return Correction(plain(reply.text[:_SHOWN_CHARACTERS]), render_part("story/_correction", locale, **told))


_FENCE = lazy_pattern(r"```(?:json|markdown|md|text)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_CANNOT = r"i ?(?:can['’]?t|cannot|won['’]t|(?:am |['’]m )(?:unable|not able) to)"
_REFUSALS = lazy_pattern(
    # No quotation mark before it: a person of the story may be sorry, or unable.
    r"[\s*_>#-]*(?:"
    rf"(?:(?:i['’]m |i am )?(?:very |so )?sorry\b[^.!?\n]{{0,9}} )?{_CANNOT} "
    r"(?:help (?:with|you)|assist|write|create|continue (?:this|with)|fulfil|comply|provide|generate|do (?:this|that))|"
    r"(?:i['’]m |i am )?sorry, but (?:this|that|your) |as an ai\b|"
    r"(?:非常|很)?(?:抱歉|对不起)[,，][^。]{0,9}(?:无法|不能)|作为[^。]{0,4}(?:AI|人工智能|语言模型)|"
    r"我(?:无法|不能)(?:为[您你]|提供|协助|满足|生成|创作|帮助[您你])|"
    r"申し訳(?:ありません|ございません)|죄송(?:합니다|하지만))",
    re.IGNORECASE,
)
_ECHO_CHARACTERS = 200
_CLOSED_FIELDS = frozenset({
    "id", "reasoning", "hierarchical_position", "who", "to", "born", "touched", "where", "category", "severity", "type",
    "result", "check", "priority", "thread", "secret",
})  # fmt: skip
"""Fields of answers that nobody reads in the book's language: thoughts, names, places in the tree, closed values."""


@dataclass(frozen=True)
class Parsed:
    """What a reply came to: a value, or a failure with its reason."""

    value: Any = None
    failure: Failure | None = None
    detail: str = ""


Check = Callable[[Any], str]
"""Looks at a parsed value; returns what is wrong with it, or an empty string."""


def parse(agent: Agent, reply: Reply, language: Language | None, prompt: str, check: Check | None = None) -> Parsed:
    """Read a reply as its agent's answer.

    `language` is None where the answer may be in any. `prompt` is what an echo of the prompt would
    begin with, see `echoes`. `check` may refuse a value that has the right shape.
    """
    try:
        return _parse(agent, reply, language, prompt, check)
    except (RecursionError, ValueError, OverflowError) as error:  # hostile nesting, absurd numbers
        return Parsed(failure=Failure.UNPARSABLE, detail=f"{type(error).__name__}: {str(error)[:300]}")


def echoes(system: str, blocks: Sequence[str], *, is_tagged: bool) -> str:
    """What an answer that only repeats its prompt begins with: the frame, the blocks, or the step's own part.

    Untagged blocks are left out: an answer may well go on with their words.
    """
    openings = ["\n\n".join((system, *blocks))[:_ECHO_CHARACTERS]]
    if is_tagged:
        openings.append("\n\n".join(blocks)[:_ECHO_CHARACTERS])
    return "\n".join((*openings, blocks[-1]))


def _parse(agent: Agent, reply: Reply, language: Language | None, prompt: str, check: Check | None) -> Parsed:
    text = plain(reply.text).strip()
    if reply.finish_reason == "refusal" or (len(text) < 400 and _REFUSALS.match(text)):
        return Parsed(failure=Failure.REFUSAL, detail="the model declined to answer")
    if not text:
        return Parsed(failure=Failure.EMPTY, detail="the answer is empty")
    if reply.finish_reason == "length":
        return Parsed(failure=Failure.CUT_OFF, detail="the answer was cut off; answer more briefly")
    if agent.output is None and (fence := _FENCE.fullmatch(text)):
        text = fence.group(1).strip()
    head = text[:_ECHO_CHARACTERS]
    if len(head) == _ECHO_CHARACTERS and head in prompt:
        return Parsed(failure=Failure.ECHO, detail="the answer repeats the instructions")
    parsed = _read_json(agent.output, text, language) if agent.output else _in_its_language(text, language)
    if parsed.failure is None and check is not None and (problem := check(parsed.value)):
        return Parsed(failure=Failure.UNPARSABLE, detail=problem)
    return parsed


def _read_json(output: type[BaseModel], text: str, language: Language | None) -> Parsed:
    problem = "no JSON object was found"
    for candidate in _json_candidates(text):
        try:
            value = output.model_validate(_plain_values(json.loads(candidate, strict=False)))
            return _in_its_language(value, language)
        except json.JSONDecodeError as error:
            problem = f"not valid JSON: {error}"
        except ValidationError as error:
            problem = _problems(error)
            break
    return Parsed(failure=Failure.UNPARSABLE, detail=problem)


def _in_its_language(value: str | BaseModel, language: Language | None) -> Parsed:
    """Hold all that an answer says in its own words, taken together, to the book's language."""
    if language is None or is_in(language, "\n".join(_own_words(value))):
        return Parsed(value=value)
    what, wanted = "the answer is", "answer"
    if isinstance(value, BaseModel):
        what, wanted = "the values are", "keep the keys and the closed values as they are, and write everything else"
    detail = f"{what} in another language; {wanted} in {language.english_name}"
    return Parsed(failure=Failure.WRONG_LANGUAGE, detail=detail)


def _own_words(value: Any) -> Iterator[str]:
    """Yield the strings of an answer but closed values and what `_CLOSED_FIELDS` names."""
    match value:
        case Enum():
            return
        case str():
            yield value
        case BaseModel():
            for name in type(value).model_fields.keys() - _CLOSED_FIELDS:
                yield from _own_words(getattr(value, name))
        case tuple():
            for item in value:
                yield from _own_words(item)


def _plain_values(value: Any) -> Any:
    """Make plain what escapes have brought into JSON."""
    match value:
        case str():
            return plain(value)
        case list():
            return [_plain_values(item) for item in value]
        case dict():
            return {plain(name): _plain_values(item) for name, item in value.items()}
        case _:
            return value


def _json_candidates(text: str) -> list[str]:
    """The whole text, then what stands in fences, then from the first brace to the last."""
    found = [text, *(match.group(1) for match in _FENCE.finditer(text))]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        found.append(text[start : end + 1])
    return [candidate for candidate in found if candidate.lstrip().startswith("{")]


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, item['loc'])) or 'the answer'}: {item['msg']}"
        for item in error.errors(include_url=False, include_input=False)[:6]
    )
