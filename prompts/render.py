"""Turns a template's path and a card, or what else it tells, into text."""

from functools import lru_cache
from pathlib import Path

from bookwright.prompts.card import BookCard, Card, FormCard
from bookwright.prompts.templates import own_template, template


def render(path: str, card: Card | FormCard, locale: str = "en", folder: Path | None = None) -> str:
    """Render the part of a prompt that is the step's own (role, method, output), or a blueprint's directions.

    `path` is relative to this folder without its ending, such as `"story/act/plan/critic"`, or begins with
    `blueprint/` for a template of the blueprint's `folder`.

    Raises:
        jinja2.UndefinedError: The template names something that no card holds.
    """
    return template(path, locale, folder).render(vars(card)).strip()


def render_part(path: str, locale: str = "en", /, **values: object) -> str:
    """Render one of our templates that reads values and no card; its head says which values, and what it tells."""
    return own_template(path, locale).render(values).strip()


@lru_cache(maxsize=8)
def render_system(book: BookCard, locale: str = "en", *, is_small: bool = False) -> str:
    """Render the system frame that all agents of a book share; the small profile has one of its own."""
    path = "story/small/system" if is_small else "story/system"
    return render_part(path, locale, book=book)


def render_problem(name: str, locale: str = "en", **values: object) -> str:
    """Say in the language of the prompts what is wrong with an answer; `name` is one of the template's."""
    return render_part("story/_problem", locale, name=name, values=values)


def render_order(note: str, locale: str = "en") -> str:
    """Say in the language of the prompts that the author has rejected what was made, and what they order instead."""
    return render_part("story/_order", locale, note=note)


def render_retelling(retelling: object, locale: str = "en") -> str:
    """Print a `Retelling` as those read it who are to put the text right."""
    return render_part("story/reading/_retelling", locale, told=retelling)


def render_plot(plot: object, language: str) -> str:
    """Print a `Plot` under headings of its own language, given by its English name."""
    return render_part("story/_plot", plot=plot, language=language)


def render_no_room(count: int, locale: str = "en") -> str:
    """Say that a block had no room for so many more."""
    return render_part("story/_no_room", locale, count=count)


def render_turn(name: str, locale: str = "en") -> str:
    """Say what code has to say between two turns; `name` is one of the template's."""
    return render_part("react/turn", locale, name=name)


def render_unverified(language: str) -> str:
    """Say in the book's language, given by its English name, that nothing was searched."""
    return render_part("react/unverified", language=language)


def render_agent(name: str, locale: str = "en", **values: object) -> str:
    """Render the system prompt of an agent that is no step of the walk."""
    return render_part(f"agents/{name}", locale, **values)
