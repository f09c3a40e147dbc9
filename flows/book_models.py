"""Which model each role of a book asks, and the profile that fits the models."""

from bookwright.agents.backends.windows import window_of
from bookwright.models.brief import Brief
from bookwright.models.model_name import ROLES
from bookwright.models.profile import PROFILES, Profile, ProfileName, fitted
from bookwright.models.settings import Settings

SMALL_WINDOW = 16_000
"""Tokens of context below which a book takes the `small` profile by itself."""


def model_of(role: str, brief: Brief, settings: Settings, option: str | None = None) -> str:
    """Return which model a role asks: option, brief, settings and environment, default; in that order."""
    by_brief = brief.models.get(role) or brief.models.get("default")
    return option or by_brief or settings.models.get(role) or settings.model


def names_of(brief: Brief, settings: Settings, option: str | None = None) -> tuple[str, ...]:
    """Return the models that a book's roles ask, each once."""
    return tuple(dict.fromkeys(model_of(role, brief, settings, option) for role in ROLES))


def profile_of(brief: Brief, settings: Settings, option: str | None = None) -> Profile:
    """Return the brief's profile, or small where the writer's window is small, or standard."""
    if brief.profile is not None:
        return PROFILES[brief.profile]
    window = window_of(model_of("writer", brief, settings, option), settings).tokens
    return PROFILES[ProfileName.SMALL if window < SMALL_WINDOW else ProfileName.STANDARD]


def fitted_profile(brief: Brief, settings: Settings, option: str | None = None) -> Profile:
    """Return the profile with budgets that the smallest window of the book's models has room for."""
    names = names_of(brief, settings, option)
    window = min(window_of(name, settings).tokens for name in names)
    return fitted(profile_of(brief, settings, option), window, brief.context_scale)
