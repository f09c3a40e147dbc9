"""Turns a template's path and a card, or what else it tells, into text."""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from bookwright.prompts.card import BookCard, Card, FormCard, NodeCard
from bookwright.prompts.templates import own_template, template

BLOCK_TAGS = (
    "book_level_design", "upper_level_design", "upper_level_search", "global_state_summary",
    "latest_text", "text_summary", "overall_planning", "search_dependent", "design_dependent", "more_summary",
    "current_task",
)  # fmt: skip
"""The components of a context, in order of change, seldom first.

What is known of a unit before it is planned stands still meanwhile: the text before it, what happened, the tree of
units. What its tasks produce only grows at its end, the findings less often than the designs. What a task asks for by
itself, and the task with its unit's other tasks, are new with each. A cache serves more of a book so than in the order
of DESIGN section 9 (docs/benchmarks.md).
"""

PROSE_TAGS = (
    "order", "voice", "style_guide", "book_design", "unit_designs", "writers_brief", "current_task",
    "search_dependent", "hints", "text_summary", "earlier_pages", "latest_text",
)  # fmt: skip
"""The components that whoever writes prose sees, in order."""


def render(path: str, card: Card | FormCard, locale: str = "en", folder: Path | None = None) -> str:
    """Render the part of a prompt that is the step's own (role, method, output), or a blueprint's directions.

    `path` is relative to this folder without its ending, such as `"story/act/plan/critic"`, or begins with
    `blueprint/` for a template of the blueprint's `folder`.

    Raises:
        jinja2.UndefinedError: The template names something that no card holds.
    """
    return template(path, locale, folder).render(vars(card)).strip()


@lru_cache(maxsize=8)
def render_system(book: BookCard, locale: str = "en", *, is_small: bool = False) -> str:
    """Render the system frame that all agents of a book share; the small profile has one of its own."""
    path = "story/small/system" if is_small else "story/system"
    return own_template(path, locale).render(book=book).strip()


def render_state(state: object, language: str) -> str:
    """Render a `GlobalState` under headings of the book's own language, given by its English name."""
    return own_template("story/_state").render(state=state, language=language).strip()


def render_style_guide(profile: object, unit: str, locale: str = "en") -> str:
    """Render a `StyleProfile` as a writer reads it; `unit` names what lengths count, `"words"` or `"characters"`."""
    values = {"profile": profile, "unit": unit}
    return own_template("story/_style_guide", locale).render(values).strip()


def render_style_page(guide: object, locale: str = "en") -> str:
    """Render a `StyleGuide` as whoever writes on hears it."""
    return own_template("story/_style_page", locale).render(guide=guide).strip()


def render_problem(name: str, locale: str = "en", **values: object) -> str:
    """Say in the language of the prompts what is wrong with an answer; `name` is one of the template's."""
    return own_template("story/_problem", locale).render(name=name, values=values).strip()


def render_order(note: str, locale: str = "en") -> str:
    """Say in the language of the prompts that the author has rejected what was made, and what they order instead."""
    return own_template("story/_order", locale).render(note=note).strip()


def render_book_order(book: BookCard, unit: NodeCard, place: object, locale: str = "en") -> str:
    """Tell a writer what was ordered, and which part of it is theirs; `place` is a `UnitPlace`."""
    values = {"book": book, "unit": unit, "place": place}
    return own_template("story/_book_order", locale).render(values).strip()


def render_writers_task(
    goal: str, happens: Sequence[str], constraints: Sequence[str], criteria: Sequence[str],
    open_points: Sequence[str], locale: str = "en", setting: str = "",
) -> str:  # fmt: skip
    """Tell a writer what was planned for their unit, and when it is set; empty if there is nothing to tell."""
    values = {
        "goal": goal, "happens": happens, "constraints": constraints, "criteria": criteria, "open_points": open_points,
        "setting": setting,
    }  # fmt: skip
    return own_template("story/_writers_task", locale).render(values).strip()


def render_setting(setting: object, locale: str = "en") -> str:
    """Say when a unit is set; `setting` is a `Setting`."""
    return own_template("story/_setting", locale).render(setting=setting).strip()


@cache
def render_left_out(locale: str = "en") -> str:
    """Say that something is left out where this stands."""
    return own_template("story/_left_out", locale).render().strip()


def render_taken_out(gaps: Sequence[object], locale: str = "en") -> str:
    """Show a writer its own sentences that were taken out, and why; never what is kept."""
    return own_template("story/relay/_taken_out", locale).render(gaps=gaps).strip()


def render_secrets(secrets: Sequence[object], locale: str = "en") -> str:
    """List what is secret for whoever plans, each a `PlannedSecret`."""
    return own_template("story/_secrets", locale).render(secrets=secrets).strip()


def render_retelling(retelling: object, locale: str = "en") -> str:
    """Print a `Retelling` as those read it who are to put the text right."""
    return own_template("story/reading/_retelling", locale).render(told=retelling).strip()


def render_plot(plot: object, language: str) -> str:
    """Print the `Plot` of a short book under headings of its own language, given by its English name."""
    return own_template("story/_plot").render(plot=plot, language=language).strip()


def render_threads(threads: Sequence[object], locale: str = "en") -> str:
    """List the threads for whoever plans, each a `PlannedThread`."""
    return own_template("story/_threads", locale).render(threads=threads).strip()


def render_codex(entries: Sequence[object], locale: str = "en") -> str:
    """List who and what is on record for whoever plans, each a `PlannedEntry`."""
    return own_template("story/_codex", locale).render(entries=entries).strip()


def render_record(entry: object, locale: str = "en") -> str:
    """Print a `RecordedEntry` in one line, whole, as a text is held against it."""
    return own_template("story/relay/_record", locale).render(entry=entry).strip()


def render_no_room(count: int, locale: str = "en") -> str:
    """Say that a block had no room for so many more."""
    return own_template("story/_no_room", locale).render(count=count).strip()


def render_hints(sight: object, locale: str = "en") -> str:
    """Tell a writer what a `Sight` of the codex holds for them, a line each."""
    return own_template("story/_hints", locale).render(sight=sight).strip()


def render_correction(failure: str, problem: str, language: str, locale: str = "en") -> str:
    """Tell a model what its last answer failed by; `language` is the English name of the book's."""
    values = {"failure": failure, "problem": problem, "language": language}
    return own_template("story/_correction", locale).render(values).strip()


def render_lookups(steps: int, locale: str = "en", *, has_web: bool, is_researcher: bool) -> str:
    """Tell a step how to look things up: in how many replies, 0 without a tool, and whether outside the book."""
    values = {"steps": steps, "has_web": has_web, "is_researcher": is_researcher}
    return own_template("react/method", locale).render(values).strip()


def render_form(tools: Sequence[object], locale: str = "en") -> str:
    """Describe tools, and the text form in which they are asked for, to a model that cannot call them itself."""
    return own_template("react/form", locale).render(tools=tools).strip()


def render_turn(name: str, locale: str = "en") -> str:
    """Say what code has to say between two turns; `name` is one of the template's."""
    return own_template("react/turn", locale).render(name=name).strip()


def render_unverified(language: str) -> str:
    """Say in the book's language, given by its English name, that nothing was searched."""
    return own_template("react/unverified").render(language=language).strip()


def render_block(tag: str, text: str, locale: str = "en") -> str:
    """Wrap one context component in its heading, its note and its tag."""
    return own_template("story/block", locale).render(tag=tag, text=text).strip()


def render_agent(name: str, locale: str = "en", **values: object) -> str:
    """Render the system prompt of an agent that is no step of the walk."""
    return own_template(f"agents/{name}", locale).render(values).strip()


def render_chief_editor(verbs: Sequence[str], locale: str = "en") -> str:
    """Say which commands there are, what each takes, and how to answer with one."""
    return own_template("agents/chief_editor_commands", locale).render(verbs=verbs).strip()


def render_tool(name: str, locale: str = "en", **values: object) -> str:
    """Describe a tool to the model that may use it; `values` are its parameters' schema and its limits."""
    return own_template(f"tools/{name}", locale).render(values).strip()
