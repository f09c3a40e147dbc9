"""The agents that can be run, by name."""

import difflib
from collections.abc import Callable

from bookwright.agents.runtime.agent import RunnableAgent
from bookwright.models.errors import InvalidInput

Factory = Callable[[], RunnableAgent]


class AgentRegistry:
    """Makes agents by id."""

    def __init__(self) -> None:
        self._factories: dict[str, Factory] = {}

    def register(self, agent_id: str, factory: Factory) -> None:
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
            near = difflib.get_close_matches(agent_id, self._factories, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(self._factories) or 'none'}"
            raise InvalidInput(f"there is no agent {agent_id!r}{hint}")
        return self._factories[agent_id]()
