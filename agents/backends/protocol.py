"""What the engine asks of a model, and what a model backend must be able to do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel

from bookwright.models.errors import BackendError
from bookwright.models.step import Reply


@dataclass(frozen=True)
class Prompt:
    """One prompt as an ordered list of blocks, what changes least first."""

    system: str
    blocks: tuple[str, ...]
    """The user message: context components, artefacts, and last the step's own part."""
    stable_blocks: int = 0
    """How many leading blocks the next step is likely to share; caches may break after them."""
    prefill: str = ""
    """Opening words that the reply must go on from, where the backend can; never in the reply."""
    unit_blocks: int = 0
    """How many of the stable blocks the unit's other activities are likely to share, too."""

    @property
    def user(self) -> str:
        """The user message as one text."""
        return "\n\n".join(block for block in self.blocks if block)


@dataclass(frozen=True)
class Correction:
    """An earlier reply, and what it is told: what was wrong with it, or what its action brought."""

    reply: str
    problem: str
    """For an action, `agents.react.action.OBSERVATION` and what the tool answered."""


@dataclass(frozen=True)
class ToolSpec:
    """One tool as a model is told of it."""

    name: str
    description: str
    schema: dict[str, Any]
    """JSON schema of its parameters."""


@dataclass(frozen=True)
class Sampling:
    """How a reply is drawn. Fields that a provider does not know are left out for it."""

    temperature: float
    max_output_tokens: int
    seed: int
    top_p: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """For servers of our own kind (llama.cpp): grammar, logit_bias, repeat_penalty and so on."""

    def most_characters(self, thinking_tokens: int = 0) -> int:
        """Characters that no reply within the limit has, its thoughts among them: one that has more is cut off."""
        return (self.max_output_tokens + thinking_tokens) * 32 + 10_000


@dataclass(frozen=True)
class Request:
    """One call. `output` asks for JSON of that shape; None asks for text."""

    model: str
    """`provider:model`."""
    role: str
    """The role of the agent that asks, for prices, logs and rate limits."""
    name: str
    """The step in a few words, such as `"1.2 plan/proposer_long"`."""
    prompt: Prompt
    sampling: Sampling
    output: type[BaseModel] | None = None
    corrections: tuple[Correction, ...] = ()
    """Earlier attempts at this step, oldest first; they follow the prompt as turns."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may use before it answers.

    A backend gives them to a model in the model's own way, or tells of them in the prompt; either
    way its reply is in the text form of `agents.react.action`.
    """
    cache_key: str = ""
    """The same for all calls of one book."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What a rehearsal author may know about the step (level, activity, target); never sent."""
    fallbacks: tuple[str, ...] = ()
    """Models to turn to, in order, once `model` has used up its attempts."""
    locale: str = "en"
    """The language of the prompt, for what a backend has to say itself."""


class EventKind(StrEnum):
    """What a backend tells while it works."""

    STARTED = "started"
    TEXT = "text"
    REASONING = "reasoning"
    RESTARTED = "restarted"
    """The stream broke and is asked for again: text so far is void."""
    WAITING = "waiting"
    """The provider asked us to wait, or we back off; `text` says how long and why."""
    FINISHED = "finished"
    TOOL_USE = "tool_use"
    """A tool is about to be run; `text` holds its arguments."""
    TOOL_RESULT = "tool_result"
    """A tool has answered; `text` holds its envelope as JSON."""


@dataclass(frozen=True)
class StreamEvent:
    """One event of a call, or of what a step does between two calls."""

    kind: EventKind
    text: str = ""
    tool: str = ""
    """The tool's name, where the event is of one."""


Listener = Callable[[StreamEvent], None]


@dataclass(frozen=True)
class FailedAttempt:
    """One try that gave no reply: what broke, what had arrived, and what it may have cost."""

    model: str
    """`provider:model`."""
    attempt: int
    """From 1, counted for each model of a call anew."""
    error: BackendError
    reply: Reply
    """The text that had arrived, with an estimated bill; nothing where the provider refused."""


FailureListener = Callable[[FailedAttempt], None]


class Backend(Protocol):
    """One provider's way to complete a prompt. One call, one try: retries live above it.

    Raises:
        BackendUnavailable: Worth another try.
        RequestRejected: Not worth one.
    """

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Complete the prompt; `listener` hears text as it comes. Cancelling reaches the wire."""

    async def close(self) -> None:
        """Let go of connections and servers."""
