"""The rehearsal author as a backend: `rehearsal:default`, `rehearsal:miss`, `rehearsal:exact`.

A step's answer is prose, a working text, or JSON of the shape it asks for. Before it, where there are tools, comes one
look into the book, or a search of the web and one page; the web's pages are made up, too.
"""

import json
import math
import re
from collections.abc import Callable
from random import Random

from bookwright.agents.backends.protocol import EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.rehearsal.filler import filled
from bookwright.agents.backends.rehearsal.reading import owed_sentences
from bookwright.agents.backends.rehearsal.rules import RULES
from bookwright.agents.backends.rehearsal.step import Mode, Step, mode_of, spoil
from bookwright.agents.backends.rehearsal.voice import digest, note, retell, tell, updated
from bookwright.agents.backends.schema import texts_of
from bookwright.agents.backends.tokens import count_raw
from bookwright.agents.react.action import OBSERVATION, Action, Finish, write
from bookwright.agents.tools.searchers.protocol import SearchHit, SearchResults
from bookwright.agents.workflows import REVISION_MARK
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage
from bookwright.models.text.binding import binding_lines
from bookwright.models.text.language import Language
from bookwright.models.text.prose import paragraphs

_TOKENIZER = "o200k"
"""The family whose weights count tokens: near what paying providers bill for all four languages."""

_CHARACTERS_A_WORD = 1.6
_NOTES = {
    "proposer": 220, "planner": 180, "critic": 130, "second_critic": 130, "review": 150, "letter": 250, "story": 350,
}  # fmt: skip
"""Words of working texts that nobody gives a length."""

_LEAST_NOTE = 40
_INSERTIONS = 3
_GAP = re.compile(r"\[gap (\d+)\]")

_SEARCH, _FETCH = "web_search", "fetch_page"
_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_QUERY_WORDS, _QUERY_CHARACTERS = 10, 80

_SNIPPET = "Rehearsed: what a page about this would say in its first two lines, which is about as much as is shown. "


class RehearsalBackend:
    """Answers every step of a walk without a model, and says so in whatever it writes.

    What it answers depends on the request alone: on its facts, its output type and its model name.
    """

    def __init__(self, settings: Settings) -> None:
        """Settings are ignored; they are taken because all backends are made with them."""

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Answer at once.

        Raises:
            RequestRejected: The model's name is no mode of rehearsal.
        """
        mode = mode_of(request.model)
        listener(StreamEvent(EventKind.STARTED))
        step = Step.of(request)
        given = _held_to(request.sampling.max_output_tokens, _said(step, request, mode))
        if given.text:
            listener(StreamEvent(EventKind.TEXT, given.text))
        listener(StreamEvent(EventKind.FINISHED))
        read = sum(map(_tokens, (*texts_of(request), request.prompt.prefill)))
        usage = Usage(input_tokens=read, output_tokens=_tokens(given.text), is_estimate=True)
        # No cost: the service bills it as free, or at a price that the settings give it.
        return given.model_copy(update={"model": request.model, "usage": usage})

    async def close(self) -> None:
        """Nothing is held."""


def _said(step: Step, request: Request, mode: Mode) -> Reply:
    action = _next_action(step, request)
    if action is not None:
        return Reply(text=action)
    given = spoil(_answer(step, mode), step, mode)
    return _finished(step, given) if request.tools else given


def _held_to(limit: int, given: Reply) -> Reply:
    """Cut an answer off where its limit of tokens is reached, as any provider does."""
    tokens = _tokens(given.text)
    if tokens <= limit:
        return given
    return Reply(text=given.text[: len(given.text) * limit // tokens], finish_reason="length")


def _tokens(text: str) -> int:
    return math.ceil(count_raw(text, _TOKENIZER)) if text else 0


def _answer(step: Step, mode: Mode) -> str:
    """Write the answer to a step."""
    if step.output is not None:
        return filled(step.output, step, mode, RULES)
    return _TEXTS.get(step.kind, _note)(step, mode)


def _draft(step: Step, mode: Mode) -> str:
    """Story text under `write/`, a design document elsewhere."""
    if not _is_story(step):
        return _note(step, mode)
    rng = step.rng()
    goes_on = bool(step.prefill) or step.card.piece > 1
    opening = () if goes_on else (step.voice.marker, *owed_sentences(step))
    return tell(step.voice, rng, mode.missed(step.card.ask_length or step.card.unit.length or 100, rng), opening)


def _refine(step: Step, mode: Mode) -> str:
    drafts = step.texts("draft", "text")
    return retell(step.voice, step.rng(), drafts[-1]) if drafts and _is_story(step) else _draft(step, mode)


def _amended(step: Step, mode: Mode) -> str:
    """The text as it stands but for its gaps, with some sentences told anew; one of a single sentence as it is."""
    text = _GAP.sub("", "".join(step.texts("text")[-1:]))
    return retell(step.voice, step.rng(), text) if text else tell(step.voice, step.rng(), step.card.ask_length or 100)


def _revise(step: Step, mode: Mode) -> str:
    findings = [step.voice.sentence("noted", step.rng("findings")) for _ in range(2)]
    lines = "\n".join(f"- {finding}" for finding in (step.voice.marker, *findings))
    return f"{lines}\n{REVISION_MARK}\n{_refine(step, mode)}"


def _lengthen(step: Step, mode: Mode) -> str:
    """Passages for some places of the text, together as long as asked for, or as the mode misses it."""
    rng, voice = step.rng(), step.voice
    count = max(len(paragraphs(text[-1])) if (text := step.texts("text")) else 1, 1)
    places = rng.sample(range(1, count + 1), min(_INSERTIONS, count))
    total = mode.missed(step.card.missing_length, rng)
    passages = [f"@after {place}\n\n{tell(voice, rng, max(total // len(places), 1))}" for place in places]
    return "\n\n".join([voice.marker, *passages])


def _fillings(step: Step, mode: Mode) -> str:
    """A sentence or more for every gap that a review cut."""
    rng = step.rng()
    gaps = _GAP.findall("".join(step.texts("gapped_text")[-1:])) or ["1"]
    lost = max(step.card.missing_length // len(gaps), 1)
    return "\n\n".join(f"@gap {gap}\n{tell(step.voice, rng, lost)}" for gap in gaps)


def _summary(step: Step, mode: Mode) -> str:
    texts = step.texts("text", "part", "news", "summary", "current_document")
    return _note(step, mode) if step.is_small or not texts else digest(step.voice, texts, _length(step))


def _condensed(step: Step, mode: Mode) -> str:
    """A digest, after the lines that bind."""
    texts = step.texts("text")
    return "\n\n".join([*(line for text in texts for line in binding_lines(text)), _summary(step, mode)])


def _maintained(step: Step, mode: Mode) -> str:
    if step.is_small:
        return _note(step, mode)
    present = "".join(step.texts("current_document"))
    return updated(step.voice, present, step.texts("news"), _length(step))


def _note(step: Step, mode: Mode) -> str:
    rng, card = step.rng(), step.card
    if step.is_small:
        return step.voice.joined([step.voice.marker, step.voice.sentence("noted", rng)])
    length = round(_length(step) * rng.uniform(0.65, 1.0))
    headings = 1 + min(length // round(80 * _scale(step)), 5)
    return note(step.voice, rng, length, card.task.goal if step.activity == "execute" else "", headings)


def _length(step: Step) -> int:
    """How long a working text may be, in the book's unit."""
    card, base = step.card, step.kind.partition("_")[0]
    known = _NOTES.get(step.kind) or _NOTES.get(base)
    if known is not None:
        return round(known * _scale(step))
    if base == "guideline":
        return max(card.word_allowance // 3, round(80 * _scale(step)))
    return max(card.plan_length if step.activity == "write" else card.condense_to or card.word_allowance, _LEAST_NOTE)


def _scale(step: Step) -> float:
    return 1.0 if step.language is Language.EN else _CHARACTERS_A_WORD


def _is_story(step: Step) -> bool:
    return step.activity == "write" or "/write/" in step.template


_TEXTS: dict[str, Callable[[Step, Mode], str]] = {
    **dict.fromkeys(("draft", "free", "told"), _draft),
    **dict.fromkeys(("improve", "prose", "text"), _amended),
    **dict.fromkeys(("maintain", "global_state", "state"), _maintained),
    **dict.fromkeys(("refine", "told_again"), _refine),
    "revise": _revise,
    "lengthen": _lengthen,
    "revise_leak": _fillings,
    "summary": _summary,
    "condense": _condensed,
}
"""What writes an answer without a shape, by the last part of its template's path; others are notes."""


def _next_action(step: Step, request: Request) -> str | None:
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


def _finished(step: Step, given: Reply) -> Reply:
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


class RehearsedSearcher:
    """Finds pages that are not there, as many and as long as a real service does."""

    name = "rehearsal"

    def search(self, query: str, limit: int) -> SearchResults:
        """Return pages about a query."""
        return SearchResults(
            tuple(
                SearchHit(
                    f"Rehearsed page {number} about: {query}", f"https://rehearsal.invalid/{number}", _SNIPPET * 3, ""
                )
                for number in range(1, limit + 1)
            )
        )
