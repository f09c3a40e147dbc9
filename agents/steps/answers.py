"""How long an answer may be, what a cut-off one is worth, and what is shown again of one that was no result."""

from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import Correction
from bookwright.agents.small.telling import PIECE_TOKENS
from bookwright.models.profile import Profile, ProfileName
from bookwright.models.step import Failure, Reply
from bookwright.models.text.language import Language
from bookwright.models.text.plain import plain
from bookwright.models.text.prose import whole_sentences
from bookwright.models.tree.plan import Plot
from bookwright.prompts import Card, render_correction

_TOKENS_A_UNIT = {Language.EN: 1.5, Language.ZH: 1.3, Language.JA: 1.3, Language.KO: 1.5}
_VERDICT_TOKENS, _PLAN_TOKENS, _NOTE_TOKENS, _THINKING_TOKENS = 1_200, 6_000, 1_500, 2_000
_TOKENS_A_CHANGE = 4
"""For each word that is to go: its passage in a shorter wording, and as much again in reserve."""
_TOKENS_A_CHAPTER = 200
"""For each chapter in the plan of a whole book: what it is about, what happens, what is understood, how it ends."""
_SHOWN_CHARACTERS = 20_000
"""How much of an answer is shown again: one that ran on for ever need not be paid for twice."""
_SMALL_JSON_TOKENS, _SMALL_NOTE_TOKENS, _SMALL_PIECE_TOKENS = 500, 120, PIECE_TOKENS
SMALL_PAGE_WORDS = 55
"""About how long a design of the small profile is: two sentences, as its template asks, within the tokens of a note.
The built-in model wrote 826 words on 15 pages."""


def answer_limit(agent: Agent, card: Card, profile: Profile, language: Language) -> int:
    """How many tokens an answer may have: what its length needs, and room to miss it."""
    if profile.name is ProfileName.SMALL:
        if agent.is_piece:
            return _SMALL_PIECE_TOKENS
        if agent.is_prose:
            return round(card.ask_length * _TOKENS_A_UNIT[language])
        return _SMALL_JSON_TOKENS if agent.output else _SMALL_NOTE_TOKENS
    if agent.is_prose:
        return round(max(card.ask_length, 100) * _TOKENS_A_UNIT[language] * 1.8) + _THINKING_TOKENS
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
    problem = render_correction(failure.value, detail, language.english_name, locale)
    return Correction(plain(reply.text[:_SHOWN_CHARACTERS]), problem)
