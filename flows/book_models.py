"""Which model each role of a book asks, how much they take at once, and the profile and the length that fit them.

A model's window decides the profile and the room of prompts, so what its server said once is kept with the book and
holds whatever it says later, silent or started anew: a resumed book asks what an undisturbed one would.
"""

import json

from bookwright.agents.backends.windows import can_be_asked, found_window, window_of, with_known, with_windows
from bookwright.models.blueprint import CHARACTERS_A_WORD, Makes
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidBrief
from bookwright.models.model_name import ROLES
from bookwright.models.profile import PROFILES, Profile, ProfileName, fitted
from bookwright.models.settings import Settings
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage

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
    window = min(window_of(name, settings).tokens for name in names_of(brief, settings, option))
    return fitted(profile_of(brief, settings, option), window, brief.context_scale)


def opened_windows(
    book: Book, storage: BookStorage, journal: Journal, settings: Settings, option: str | None = None
) -> Settings:
    """Return the settings with the windows that a book's models have, asking the servers of those that are new to it.

    A model that has answered in the book without its window being kept was asked under the assumption, and goes on so.
    """
    unknown = [name for name in names_of(book.brief, settings, option) if can_be_asked(name, settings)]
    if not unknown:
        return settings
    with storage.read() as stores:
        settled = {name for name in unknown if book.calls and (name in book.windows or stores.steps.has_answered(name))}
    asked = with_windows([name for name in unknown if name not in settled], settings)
    found = {name: tokens for name, tokens in asked.windows.items() if name in unknown}
    kept = {**book.windows, **found}
    if kept != book.windows:
        journal.defer(lambda stores: stores.books.change(book.id, windows=json.dumps(kept)))
    return with_known(kept, settings)


def check_reach(brief: Brief, settings: Settings, option: str | None = None) -> None:
    """Raise `InvalidBrief` for a book that cannot come to its length in its profile, saying what would go further."""
    plan = blueprint_of(brief.blueprint, settings.home).plan if brief.blueprint else None
    if plan is None or plan.makes is not Makes.DESIGNS:
        return
    from bookwright.agents.steps.answers import SMALL_PAGE_WORDS  # brings the templates of prompts

    pages = sum(member.is_written for member in plan.members)
    words = pages * SMALL_PAGE_WORDS
    most = words if brief.length_unit == "words" else round(words * CHARACTERS_A_WORD)
    if brief.length > most and _profile_to_be(brief, settings, option) is ProfileName.SMALL:
        raise InvalidBrief(
            f"a {plan.name} of {brief.length:,} {brief.length_unit} is more than the profile small can make: it writes "
            f"two sentences a page, so the {pages} pages come to about {most:,} {brief.length_unit}. "
            f"Ask for that (--words {most}), or for more with {_way_on(brief, settings, option)}"
        )


def _profile_to_be(brief: Brief, settings: Settings, option: str | None) -> ProfileName:
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
