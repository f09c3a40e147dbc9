"""The agents that a person can talk to, as data: purpose, tools and permissions of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from bookwright.agents.runtime.agent import AgentDefinition, PromptAgent, SystemPrompt, TemplatePrompt
from bookwright.agents.runtime.permission import PermissionMode

_LOOKING = ("LS", "Glob", "Grep", "Read")
_INDEX = ("search_designs", "search_story", "search_references")
_WEB = ("web_search", "fetch_page")


class FileReach(Enum):
    """Whose files an agent sees."""

    FOLDER = auto()
    """Those of the folder that it is started in, whether a book is named or not."""
    BOOK = auto()
    """The book's, as a copy to read; those of the folder where no book is named."""
    NONE = auto()


@dataclass(frozen=True)
class CastMember:
    """One agent of the cast; its system prompt is `prompts/agents/{name}.md.j2`, with `_` for `-`."""

    name: str
    about: str
    """What it is for, for a person."""
    role: str
    """The role whose model it asks unless one is named."""
    tools: tuple[str, ...]
    """Of these it has those that there are: without a book there is no index."""
    reach: FileReach
    mode: PermissionMode = PermissionMode.DEFAULT
    asks: tuple[str, ...] = ()
    """Members that it may give tasks to; each works in a session of its own with those of its tools that both have."""


CAST = (
    CastMember(
        "code", "reads, writes and mends files of a folder", "designer", (*_LOOKING, "Write", *_INDEX),
        FileReach.FOLDER, asks=("test",),
    ),
    CastMember(
        "test", "writes tests for files of a folder", "designer", (*_LOOKING, "Write", *_INDEX), FileReach.FOLDER
    ),
    CastMember("researcher", "looks things up and names its sources", "researcher", (*_WEB, *_INDEX), FileReach.NONE),
    CastMember(
        "writer", "helps with a book's text, which it only reads", "writer", (*_LOOKING, *_INDEX), FileReach.BOOK
    ),
    CastMember(
        "planner", "plans a book or a change with you", "planner", (*_LOOKING, *_INDEX), FileReach.BOOK,
        PermissionMode.PLAN, asks=("researcher", "writer"),
    ),
    CastMember("log-monitor", "says what in a log needs a person", "summariser", _LOOKING, FileReach.BOOK),
)  # fmt: skip
"""In the order in which they are listed."""


@dataclass(frozen=True)
class CastAgent(PromptAgent):
    """A member of the cast, ready to be started."""

    member: CastMember
    facts: Mapping[str, object] = field(default_factory=dict)
    """What its template reads: `today`; `book`, a title, or empty; `language` of the book; `has_web`; `has_files`."""

    def get_system_prompt(self) -> SystemPrompt:
        """Its template; it is rendered in the language of the execution."""
        return TemplatePrompt(self.member.name.replace("-", "_"), self.facts)

    def get_agent_definitions(self) -> Mapping[str, AgentDefinition] | None:
        """The members that it may give tasks to."""
        return {
            other.name: AgentDefinition(other.about, CastAgent(other, self.facts).get_system_prompt(), other.tools)
            for other in CAST
            if other.name in self.member.asks
        } or None
