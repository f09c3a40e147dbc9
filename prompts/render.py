"""Turns a template's path and a card into text. The only place that knows their folders."""

from collections.abc import Callable, MutableMapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, Template, meta, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from bookwright.models.text.length import WORDS_PER_CHARACTER
from bookwright.prompts.card import BookCard, Card, FormCard, NodeCard

TEMPLATES = Path(__file__).parent

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

BLUEPRINT = "blueprint"
"""Begins the path of a template that stands in a blueprint's folder."""

PROSE_TAGS = (
    "order", "voice", "style_guide", "book_design", "unit_designs", "writers_brief", "current_task",
    "search_dependent", "hints", "text_summary", "earlier_pages", "latest_text",
)  # fmt: skip
"""The components that whoever writes prose sees, in order."""


@pass_context
def words(context: Context, count: int) -> str:
    """Name a number of words as the book counts: `25 | words` is "25 words", or "40 characters" in Japanese."""
    if context["book"].length_unit == "words":
        return f"{count} words"
    return f"{round(count / WORDS_PER_CHARACTER / 10) * 10} characters"


class _Templates(Environment):
    """Templates whose globals are a plain dict: each context is made of it, and Jinja's own chain of two is slow."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of all templates, with those of one laid over them."""
        return {**self.globals, **(d or {})}


@lru_cache(maxsize=8)
def environment(locale: str = "en") -> Environment:
    """The templates as a prompt language sees them: its overlay first, then the English set."""
    folders = [TEMPLATES] if locale == "en" else [TEMPLATES / "locales" / locale, TEMPLATES]
    made = _Templates(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
        auto_reload=False,
        cache_size=-1,  # all are ours: a dict, where Jinja's own cache looks through its whole queue each time
    )
    made.filters["words"] = words
    return made


@lru_cache(maxsize=16)
def environment_with(folder: Path, locale: str = "en") -> Environment:
    """The templates with those of a blueprint's folder beside them, under `blueprint/`; its overlay first.

    Whoever wrote the folder is a stranger: its templates can compute and reach nothing but their card.
    """
    own = FileSystemLoader([folder] if locale == "en" else [folder / locale, folder])
    inner = environment(locale).loader
    assert inner is not None  # ours has one
    made = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([PrefixLoader({BLUEPRINT: own}), inner]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        auto_reload=True,  # its author may be at work on it
    )
    made.filters["words"] = words
    return made


def render(path: str, card: Card, locale: str = "en", folder: Path | None = None) -> str:
    """Render the part of a prompt that is the step's own: role, method, output.

    `path` is relative to this folder without its ending, such as `"story/act/plan/critic"`, or begins with
    `blueprint/` for a template of the blueprint's `folder`.

    Raises:
        jinja2.UndefinedError: The template names something that no card holds.
    """
    return _template(path, locale, folder).render(vars(card)).strip()


def render_directions(path: str, card: FormCard, locale: str, folder: Path) -> str:
    """Render what a blueprint asks of a unit's form."""
    return _template(path, locale, folder).render(vars(card)).strip()


def fields_of(path: str, locale: str = "en", folder: Path | None = None) -> frozenset[str]:
    """Return what a template reads of its card, with all that it takes in."""
    name = f"{path}.md.j2"
    return _own_fields(name, locale) if folder is None else _theirs(name, environment_with(folder, locale))


@cache
def _own_fields(name: str, locale: str) -> frozenset[str]:
    return _fields(name, environment(locale), partial(_own_fields, locale=locale))


def _theirs(name: str, templates: Environment) -> frozenset[str]:
    return _fields(name, templates, partial(_theirs, templates=templates))


def _fields(name: str, templates: Environment, of_another: Callable[[str], frozenset[str]]) -> frozenset[str]:
    assert templates.loader is not None  # ours has one
    tree = templates.parse(templates.loader.get_source(templates, name)[0])
    taken = (found for found in meta.find_referenced_templates(tree) if found)
    return frozenset(meta.find_undeclared_variables(tree)).union(*map(of_another, taken))


def _template(path: str, locale: str, folder: Path | None) -> Template:
    if folder is None:
        return _own_template(path, locale)
    return environment_with(folder, locale).get_template(f"{path}.md.j2")


@cache
def _own_template(path: str, locale: str) -> Template:
    return environment(locale).get_template(f"{path}.md.j2")


@lru_cache(maxsize=8)
def render_system(book: BookCard, locale: str = "en", *, is_small: bool = False) -> str:
    """Render the system frame that all agents of a book share; the small profile has one of its own."""
    path = "story/small/system.md.j2" if is_small else "story/system.md.j2"
    return environment(locale).get_template(path).render(book=book).strip()


def render_state(state: object, language: str) -> str:
    """Render a `GlobalState` under headings of the book's own language, given by its English name."""
    return environment().get_template("story/_state.md.j2").render(state=state, language=language).strip()


def render_style_guide(profile: object, unit: str, locale: str = "en") -> str:
    """Render a `StyleProfile` as a writer reads it; `unit` names what lengths count, `"words"` or `"characters"`."""
    values = {"profile": profile, "unit": unit}
    return environment(locale).get_template("story/_style_guide.md.j2").render(values).strip()


def render_style_page(guide: object, locale: str = "en") -> str:
    """Render a `StyleGuide` as whoever writes on hears it."""
    return environment(locale).get_template("story/_style_page.md.j2").render(guide=guide).strip()


def render_problem(name: str, locale: str = "en", **values: object) -> str:
    """Say in the language of the prompts what is wrong with an answer; `name` is one of the template's."""
    return environment(locale).get_template("story/_problem.md.j2").render(name=name, values=values).strip()


def render_order(note: str, locale: str = "en") -> str:
    """Say in the language of the prompts that the author has rejected what was made, and what they order instead."""
    return environment(locale).get_template("story/_order.md.j2").render(note=note).strip()


def render_book_order(book: BookCard, unit: NodeCard, place: object, locale: str = "en") -> str:
    """Tell a writer what was ordered, and which part of it is theirs; `place` is a `UnitPlace`."""
    values = {"book": book, "unit": unit, "place": place}
    return environment(locale).get_template("story/_book_order.md.j2").render(values).strip()


def render_writers_task(
    goal: str, happens: Sequence[str], constraints: Sequence[str], criteria: Sequence[str],
    open_points: Sequence[str], locale: str = "en", setting: str = "",
) -> str:  # fmt: skip
    """Tell a writer what was planned for their unit, and when it is set; empty if there is nothing to tell."""
    values = {
        "goal": goal, "happens": happens, "constraints": constraints, "criteria": criteria, "open_points": open_points,
        "setting": setting,
    }  # fmt: skip
    return environment(locale).get_template("story/_writers_task.md.j2").render(values).strip()


def render_setting(setting: object, locale: str = "en") -> str:
    """Say when a unit is set; `setting` is a `Setting`."""
    return environment(locale).get_template("story/_setting.md.j2").render(setting=setting).strip()


@cache
def render_left_out(locale: str = "en") -> str:
    """Say that something is left out where this stands."""
    return _own_template("story/_left_out", locale).render().strip()


def render_taken_out(gaps: Sequence[object], locale: str = "en") -> str:
    """Show a writer its own sentences that were taken out, and why; never what is kept."""
    return _own_template("story/relay/_taken_out", locale).render(gaps=gaps).strip()


def render_secrets(secrets: Sequence[object], locale: str = "en") -> str:
    """List what is secret for whoever plans, each a `PlannedSecret`."""
    return environment(locale).get_template("story/_secrets.md.j2").render(secrets=secrets).strip()


def render_retelling(retelling: object, locale: str = "en") -> str:
    """Print a `Retelling` as those read it who are to put the text right."""
    return environment(locale).get_template("story/reading/_retelling.md.j2").render(told=retelling).strip()


def render_plot(plot: object, language: str) -> str:
    """Print the `Plot` of a short book under headings of its own language, given by its English name."""
    return environment().get_template("story/_plot.md.j2").render(plot=plot, language=language).strip()


def render_threads(threads: Sequence[object], locale: str = "en") -> str:
    """List the threads for whoever plans, each a `PlannedThread`."""
    return environment(locale).get_template("story/_threads.md.j2").render(threads=threads).strip()


def render_codex(entries: Sequence[object], locale: str = "en") -> str:
    """List who and what is on record for whoever plans, each a `PlannedEntry`."""
    return environment(locale).get_template("story/_codex.md.j2").render(entries=entries).strip()


def render_record(entry: object, locale: str = "en") -> str:
    """Print a `RecordedEntry` in one line, whole, as a text is held against it."""
    return environment(locale).get_template("story/relay/_record.md.j2").render(entry=entry).strip()


def render_no_room(count: int, locale: str = "en") -> str:
    """Say that a block had no room for so many more."""
    return environment(locale).get_template("story/_no_room.md.j2").render(count=count).strip()


def render_hints(sight: object, locale: str = "en") -> str:
    """Tell a writer what a `Sight` of the codex holds for them, a line each."""
    return environment(locale).get_template("story/_hints.md.j2").render(sight=sight).strip()


def has_frame(path: str, locale: str, folder: Path) -> bool:
    """True if a template of a blueprint's folder stands in another one, which has what every prompt needs."""
    found = environment_with(folder, locale)
    assert found.loader is not None  # it was given one
    source, _, _ = found.loader.get_source(found, f"{path}.md.j2")
    return found.parse(source).find(nodes.Extends) is not None


def render_correction(failure: str, problem: str, language: str, locale: str = "en") -> str:
    """Tell a model what its last answer failed by; `language` is the English name of the book's."""
    values = {"failure": failure, "problem": problem, "language": language}
    return environment(locale).get_template("story/_correction.md.j2").render(values).strip()


def render_lookups(steps: int, locale: str = "en", *, has_web: bool, is_researcher: bool) -> str:
    """Tell a step how to look things up: in how many replies, 0 without a tool, and whether outside the book."""
    values = {"steps": steps, "has_web": has_web, "is_researcher": is_researcher}
    return environment(locale).get_template("react/method.md.j2").render(values).strip()


def render_form(tools: Sequence[object], locale: str = "en") -> str:
    """Describe tools, and the text form in which they are asked for, to a model that cannot call them itself."""
    return environment(locale).get_template("react/form.md.j2").render(tools=tools).strip()


def render_turn(name: str, locale: str = "en") -> str:
    """Say what code has to say between two turns; `name` is one of the template's."""
    return environment(locale).get_template("react/turn.md.j2").render(name=name).strip()


def render_unverified(language: str) -> str:
    """Say in the book's language, given by its English name, that nothing was searched."""
    return environment().get_template("react/unverified.md.j2").render(language=language).strip()


def render_block(tag: str, text: str, locale: str = "en") -> str:
    """Wrap one context component in its heading, its note and its tag."""
    return environment(locale).get_template("story/block.md.j2").render(tag=tag, text=text).strip()


def render_agent(name: str, locale: str = "en", **values: object) -> str:
    """Render the system prompt of an agent that is no step of the walk."""
    return environment(locale).get_template(f"agents/{name}.md.j2").render(values).strip()


def render_chief_editor(verbs: Sequence[str], locale: str = "en") -> str:
    """Say which commands there are, what each takes, and how to answer with one."""
    return environment(locale).get_template("agents/chief_editor_commands.md.j2").render(verbs=verbs).strip()


def render_tool(name: str, locale: str = "en", **values: object) -> str:
    """Describe a tool to the model that may use it; `values` are its parameters' schema and its limits."""
    return environment(locale).get_template(f"tools/{name}.md.j2").render(values).strip()
