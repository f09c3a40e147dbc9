"""What agents of a talk are, the interface by which they are started, and the registry that makes them by name."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from bookwright.agents.runtime.permission import PermissionMode
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.session import SessionState
from bookwright.models.text.hints import did_you_mean


class Preset(StrEnum):
    """System prompts by name; their wording is `prompts/agents/{name}.md.j2`."""

    CLAUDE_CODE = "claude_code"
    """A careful worker on files, with tools."""


@dataclass(frozen=True)
class TemplatePrompt:
    """A system prompt by its template, rendered in the language of the execution."""

    name: str
    """`prompts/agents/{name}.md.j2`."""
    values: Mapping[str, object] = field(default_factory=dict)


SystemPrompt = str | Preset | TemplatePrompt


@dataclass(frozen=True)
class AgentDefinition:
    """A sub-agent that a coordinator may give a task to. Source: REQUIREMENTS S4-022."""

    description: str
    """When to ask it, for the coordinator."""
    prompt: SystemPrompt
    """Its system prompt."""
    tools: tuple[str, ...] | None = None
    """Names of the coordinator's tools that it may use; all if None."""
    model: str | None = None
    """`provider:model`; the coordinator's if None."""


class PromptAgent(ABC):
    """An agent that is told by its prompts. Source: REQUIREMENTS S4-012, S4-014."""

    @abstractmethod
    def get_system_prompt(self) -> SystemPrompt:
        """What it is and how it works."""

    def get_prompt(self, given: str) -> str:
        """What it is asked, made of what the person said."""
        return given

    def get_agent_definitions(self) -> Mapping[str, AgentDefinition] | None:
        """The sub-agents that it may give tasks to, by name; None where it works alone."""
        return None

    def get_model(self) -> str | None:
        """`provider:model`; None for that of the execution."""
        return None


@dataclass(frozen=True)
class Execution:
    """Where and how an agent is to run this time."""

    agent_id: str
    tab_id: str
    session: SessionState
    fork_session: bool = False
    """Go on in a copy of the session, which itself stays as it is."""
    book: str | None = None
    model: str = ""
    """For agents that name none."""
    cwd: Path | None = None
    """The folder that its file tools see; none without it."""
    tools: ToolRegistry | None = None
    """In the place of the file tools of `cwd`."""
    allowed_tools: tuple[str, ...] | None = None
    disallowed_tools: tuple[str, ...] = ()
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    locale: str = "en"


@dataclass(frozen=True)
class ExecutionHandle:
    """A running execution. Source: REQUIREMENTS S4-013."""

    session_id: str
    cancel: Callable[[], None]
    """Ends it, also the provider's connection; from any thread, as often as one likes."""
    completion: "Future[bool]" = field(default_factory=Future)
    """True once it ended well, False once it failed or was cancelled; it never raises."""


class RunnableAgent(Protocol):
    """An agent that can be started."""

    def start(self, given: str, sinks: Sinks, execution: Execution) -> ExecutionHandle:
        """Begin, and return at once; what comes goes to the sinks.

        Raises:
            SessionNotFound: There is no such session to go on with.
            SessionNotStarted: Nothing was said in the session that is to be forked.
        """


class AgentRegistry:
    """Makes agents by id."""

    def __init__(self) -> None:
        self._factories: dict[str, Callable[[], RunnableAgent]] = {}

    def register(self, agent_id: str, factory: Callable[[], RunnableAgent]) -> None:
        """Let an agent be made under an id.

        Raises:
            ValueError: There is one of that id.
        """
        if agent_id in self._factories:
            raise ValueError(f"there are two agents named {agent_id!r}")
        self._factories[agent_id] = factory

    def create(self, agent_id: str) -> RunnableAgent:
        """Make an agent.

        Raises:
            InvalidInput: There is none of that id; the message names those there are.
        """
        if agent_id not in self._factories:
            there = f"; there are {', '.join(self._factories) or 'none'}"
            raise InvalidInput(f"there is no agent {agent_id!r}{did_you_mean(agent_id, self._factories, there)}")
        return self._factories[agent_id]()
