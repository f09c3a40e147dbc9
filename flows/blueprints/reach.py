"""The greatest length of a book of designs in the profile for weak models, checked before anything is paid.

Such a model is asked for each page in two sentences and names no entries, so the length is what the number of
pages makes it, whatever was asked for. A story has no such bound: its prose goes on piece by piece.
"""

from bookwright.agents.backends.windows import found_window, with_windows
from bookwright.agents.steps.answers import SMALL_PAGE_WORDS
from bookwright.flows.book_models import SMALL_WINDOW, model_of, profile_of
from bookwright.models.blueprint import CHARACTERS_A_WORD, Blueprint, Makes
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidBrief
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings
from bookwright.storage.files.blueprints import blueprint_of


def check_reach(brief: Brief, settings: Settings, option: str | None = None) -> None:
    """Raise `InvalidBrief` for a book that cannot come to its length in its profile, saying what would go further."""
    plan = blueprint_of(brief.blueprint, settings.home).plan if brief.blueprint else None
    if plan is None or plan.makes is not Makes.DESIGNS:
        return
    most = small_reach(plan, brief)
    if brief.length > most and _profile(brief, settings, option) is ProfileName.SMALL:
        raise InvalidBrief(
            f"a {plan.name} of {brief.length:,} {brief.length_unit} is more than the profile small can make: it writes "
            f"two sentences a page, so the {_pages(plan)} pages come to about {most:,} {brief.length_unit}. "
            f"Ask for that (--words {most}), or for more with {_way_on(brief, settings, option)}"
        )


def small_reach(plan: Blueprint, brief: Brief) -> int:
    """Return how long a book of designs is at the most in the profile `small`, in the book's unit of length."""
    words = _pages(plan) * SMALL_PAGE_WORDS
    return words if brief.length_unit == "words" else round(words * CHARACTERS_A_WORD)


def _pages(plan: Blueprint) -> int:
    return sum(member.is_written for member in plan.members)


def _profile(brief: Brief, settings: Settings, option: str | None) -> ProfileName:
    """Return the profile that a book will have; the server of its writer is asked where its window decides."""
    asked = settings if brief.profile else with_windows([model_of("writer", brief, settings, option)], settings)
    return profile_of(brief, asked, option).name


def _way_on(brief: Brief, settings: Settings, option: str | None) -> str:
    """Say what makes a book of this kind longer; a window that chose the profile is named."""
    if brief.profile is not None:
        return "--profile economy"
    writer = model_of("writer", brief, settings, option)
    window = found_window(writer, settings)
    return (
        f"--profile economy or another model ({writer} takes {window.tokens:,} tokens ({window.source}), and below "
        f"{SMALL_WINDOW:,} the profile is small)"
    )
