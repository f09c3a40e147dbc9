"""What the contexts of a book's prompts had room for, and what was left out for want of it."""

from dataclasses import dataclass, replace

from bench.prompts import tokens
from bookwright.agents.context.builder import Context, ContextBuilder
from bookwright.agents.steps.desk import Asker, ContextSource
from bookwright.flows.deps import Deps
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.knowledge import KnowledgeIndex

_AMPLE = 10
"""How many times the room of a profile is as good as no bound."""


@dataclass
class BudgetProbe:
    """Builds each context twice, in its room and in ample room: the difference is what was left out."""

    contexts: ContextSource
    ample: ContextSource
    profile: Profile
    place: tuple[str, str] = ("", "")
    """The node and the activity that the last context was built for."""
    room: tuple[int, int] = (0, 0)

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Return the context as it is, noting its budget and what it goes without."""
        context = self.contexts.build(node, unit, activity, role, *only)
        whole = self.ample.build(node, unit, activity, role, *only)
        missing = tokens("\n\n".join(whole.blocks)) - tokens("\n\n".join(context.blocks))
        self.place = (node.label, activity.value)
        self.room = (self.profile.context_budget[role], max(round(missing), 0))
        return context

    def room_of(self, label: str, activity: str) -> tuple[int, int]:
        """Return the budget of a request and what is missing in it; nothing of one without a context."""
        return self.room if self.place == (label, activity) else (0, 0)

    def watched(self, deps: Deps, asker: Asker) -> Deps:
        """Return what the walk needs with this in the place of its contexts and an asker in that of its models."""
        return replace(deps, desk=replace(deps.desk, contexts=self, models=asker))


def probed(deps: Deps) -> BudgetProbe:
    """Return a probe over the contexts of a held book."""
    desk = deps.desk
    ample = {role: budget * _AMPLE for role, budget in desk.profile.context_budget.items()}
    profile = desk.profile.model_copy(update={"context_budget": ample})
    index: KnowledgeIndex = desk.contexts.follower.index  # type: ignore[attr-defined]  # of a held book, not of any source
    builder = ContextBuilder(deps.storage, index, profile, desk.locale, desk.count_tokens)
    return BudgetProbe(desk.contexts, builder, desk.profile)
