"""One model call inside an activity: its identity, its reply, its bill, its outcome."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel

AMENDING_ROUNDS = 100
"""Rounds of an activity from here on change what it made before: this and the version that they change."""


class Activity(StrEnum):
    """What the walk does to a node."""

    RECALL = "recall"
    """Asking what of the book so far a unit rests on, before it is planned or written."""
    CONDENSE = "condense"
    """Making a text that every prompt needs small enough to stand in one."""
    PLAN = "plan"
    JUDGE = "judge"
    DECOMPOSE = "decompose"
    EXECUTE = "execute"
    AGGREGATE = "aggregate"
    DECIDE = "decide"
    DIVIDE = "divide"
    BRIEF = "brief"
    """Telling the writer of a unit what they are to know."""
    WRITE = "write"
    CLOSE = "close"
    REVIEW = "review"
    """Reading a text with nothing but its pages at hand: leaks, quality, what it adds to the codex."""
    MAINTAIN = "maintain"
    PUBLISH = "publish"
    ASK = "ask"
    """Turning an author's words into a command; no part of the walk."""


class StepKey(FrozenModel):
    """What makes a step itself, unique in the journal; never a position in a replay. Source: DESIGN 5, rule 2."""

    book: str
    node: int
    revision: int
    activity: Activity
    round: int
    """Planning round, ordinal of the child being divided off, or last queue row taken in."""
    step: str
    """The step's name in its workflow, such as `"proposer_long"` or `"draft.2"`."""


CODE = "code"
"""The model and the role of a step that code did by itself: nobody was asked, and nothing is counted or paid."""


class Failure(StrEnum):
    """Why an attempt is no result, by name."""

    UNPARSABLE = "unparsable"
    REFUSAL = "refusal"
    EMPTY = "empty"
    ECHO = "echo"
    WRONG_LANGUAGE = "wrong_language"
    CUT_OFF = "cut_off"
    BROKEN_STREAM = "broken_stream"
    UNAVAILABLE = "unavailable"
    FAULT = "fault"
    """The program failed at what the reply asked of it; the reply is kept."""
    TOOL_USE = "tool_use"
    """Not a fault: the reply asks for a tool, and the step goes on with what that brings."""

    @property
    def is_fault(self) -> bool:
        """False where the attempt did what it was there for, though it is not the step's result."""
        return self is not Failure.TOOL_USE


class Usage(FrozenModel):
    """What one call consumed, in tokens."""

    input_tokens: int = 0
    """All of the prompt, cached parts included."""
    cached_tokens: int = 0
    """The part of the prompt that was read from the provider's cache."""
    cache_write_tokens: int = 0
    output_tokens: int = 0
    is_estimate: bool = False
    """The provider gave no figures; these are our own count."""


class Reply(FrozenModel):
    """What a backend gave back."""

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    """`"stop"`, `"length"` (cut off) or `"refusal"`."""
    model: str = ""
    """`provider:model` as it was asked."""
    usage: Usage = Usage()
    cost: int | None = None
    """Millionths of a US dollar; None where no price is known."""
    duration_millis: int = 0
    first_event_millis: int | None = None
    num_turns: int = 1
    """How often the model spoke for it; more than once where the provider runs tools of its own."""
    session_id: str = ""
    """The provider's own name for the conversation, where it has one."""


class ToolUse(FrozenModel):
    """What came of the tool that an attempt asked for."""

    step: int
    """The attempt's id in the journal."""
    ordinal: int
    """Which use of a tool in its step, from 1."""
    tool: str
    arguments: str
    """As the model gave them: JSON, if all was well."""
    status: str
    """The response's: `"success"`, `"partial"` or `"error"`."""
    response: str
    """The tool's whole envelope as JSON."""
    duration_millis: int = 0


class StepRecord(FrozenModel):
    """One attempt at a step, as the journal holds it."""

    id: int
    key: StepKey
    attempt: int
    failure: Failure | None
    """None for the attempt that stands."""
    detail: str = ""
    """What was wrong, in the parser's words."""
    reply: Reply
    prompt: tuple[str, ...] = ()
    """Hashes of the prompt's blocks, in order."""
    has_move: bool = False
    """What it does to the book was done with it; False where only a later step could tell."""
    tool_use: ToolUse | None = None
    """What the tool brought that it asked for, once that is recorded."""
