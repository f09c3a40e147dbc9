"""An agent that reads logs: a system prompt and nothing else. Source: REQUIREMENTS S4-011."""

from bookwright.agents.runtime.agent import PromptAgent
from bookwright.prompts.render import render_agent


class LogMonitor(PromptAgent):
    """Says what in a log needs a person."""

    def get_system_prompt(self) -> str:
        """What to look for in the lines, and what to leave out."""
        return render_agent("log_monitor")
