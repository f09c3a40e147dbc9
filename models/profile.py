"""The four profiles: how much a book may spend on thinking about itself."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel


class ProfileName(StrEnum):
    """A profile by its name."""

    SMALL = "small"
    ECONOMY = "economy"
    STANDARD = "standard"
    FINE = "fine"


class Profile(FrozenModel):
    """What a profile decides. Which steps it runs stands in `agents/workflows.py`."""

    name: ProfileName
    max_planning_rounds: int
    max_tasks_per_round: int
    max_unit_length: int
    designs_leaves: bool
    """Whether a unit short enough to be written is planned and decided on, or written at once."""
    decomposes: bool
    """Whether tasks may be complex; where not, every task is an atom and no judge is asked."""
    asks_decision: bool
    """Whether a model decides the flow; where not, the unit's length does."""
    asks_questions: bool
    """Whether a model says, for units at chapter level and above, what has to be found in the book so far."""
    condenses: bool
    """Whether a model makes small what every prompt needs and has no room for; where not, code cuts it."""
    reading_room: int = 8_000
    """Tokens of a finished book that whoever reads it whole is shown at once; half of the smallest window."""
    context_budget: dict[str, int]
    """Prompt tokens, all blocks included, by the role of the step that asks."""

    @property
    def is_small(self) -> bool:
        """Whether it is the one for weak models, which see plain texts and no tags, and which code helps out."""
        return self.name is ProfileName.SMALL


_STANDARD_BUDGET = {
    "judge": 2_500, "questions": 2_000, "planner": 7_500, "designer": 7_500, "divider": 12_000, "write_plan": 8_000,
    "writer": 9_000, "critic": 11_000, "refiner": 11_000, "evaluator": 7_500, "maintainer": 3_000, "researcher": 7_500,
}  # fmt: skip


def _scaled(factor: float) -> dict[str, int]:
    return {role: int(tokens * factor) for role, tokens in _STANDARD_BUDGET.items()}


_WINDOW_FACTORS = ((1_000_000, 4.0), (200_000, 2.0))
"""How much more `fine` shows a model with so large a window."""
_WINDOW_PART = 2
"""A prompt takes at most this part of a window, so that the answer has as much."""


def fitted(profile: Profile, window: int, scale: float = 1.0) -> Profile:
    """Return a profile whose budgets suit the smallest window of a book's models, in tokens.

    `scale` is the author's own wish. What a prompt may hold goes with the profile and the window
    and never with the book, so the price of a word stays flat.
    """
    factor = scale
    if profile.name is ProfileName.FINE:
        factor *= next((more for least, more in _WINDOW_FACTORS if window >= least), 1.0)
    most = window // _WINDOW_PART
    budget = {role: min(round(tokens * factor), most) for role, tokens in profile.context_budget.items()}
    return profile.model_copy(update={"context_budget": budget, "reading_room": most})


_ECONOMY = Profile(
    name=ProfileName.ECONOMY, max_planning_rounds=1, max_tasks_per_round=3, max_unit_length=3_000, designs_leaves=False,
    decomposes=False, asks_decision=False, asks_questions=False, condenses=False, context_budget=_scaled(0.6),
)  # fmt: skip
_STANDARD = Profile(
    name=ProfileName.STANDARD, max_planning_rounds=3, max_tasks_per_round=7, max_unit_length=3_000, designs_leaves=True,
    decomposes=True, asks_decision=True, asks_questions=True, condenses=True, context_budget=_STANDARD_BUDGET,
)  # fmt: skip
_SMALL = {"name": ProfileName.SMALL, "max_unit_length": 300, "context_budget": dict.fromkeys(_STANDARD_BUDGET, 1_000)}
_FINE = {"name": ProfileName.FINE, "context_budget": _scaled(1.5)}

PROFILES: dict[ProfileName, Profile] = {
    ProfileName.SMALL: _ECONOMY.model_copy(update=_SMALL),
    ProfileName.ECONOMY: _ECONOMY,
    ProfileName.STANDARD: _STANDARD,
    ProfileName.FINE: _STANDARD.model_copy(update=_FINE),
}
"""Source: DESIGN section 8, "Profiles" and "Tokens are money"."""
