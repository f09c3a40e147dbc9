"""What a step is told of tools: in both prompt languages, with the same values, in words of its own."""

import re

import pytest

from bookwright.agents.backends.protocol import ToolSpec
from bookwright.prompts.render import render_part, render_turn, render_unverified
from bookwright.prompts.templates import TEMPLATES
from tests.prompts.sources import PATHS, sentences_of_its_own, variables, words

REACT = sorted(path.relative_to(TEMPLATES).as_posix().removesuffix(".md.j2") for path in TEMPLATES.glob("react/*.j2"))
HANDED = {
    "react/method": {"steps", "has_web", "is_researcher"}, "react/form": {"tools"}, "react/turn": {"name"},
    "react/unverified": {"language"},
}  # fmt: skip
IN_THE_BOOKS_LANGUAGE = {"react/unverified"}
TURNS = ("last_step", "no_step_left", "no_action", "no_answer")
SPEC = ToolSpec("look", "Finds <things> & more.", {"type": "object"})


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_template_names_only_what_code_hands_it(locale: str) -> None:
    assert {path: variables(path, locale) for path in REACT} == HANDED


def test_every_template_but_what_is_said_in_the_books_language_has_an_overlay() -> None:
    overlaid = {f"react/{path.name.removesuffix('.md.j2')}" for path in TEMPLATES.glob("locales/zh/react/*.j2")}

    assert set(REACT) - overlaid == IN_THE_BOOKS_LANGUAGE


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("steps", [0, 12])
@pytest.mark.parametrize("has_web", [True, False])
def test_a_step_is_told_how_to_look_and_a_researcher_where_nothing_can_be_looked_up(
    locale: str, steps: int, has_web: bool
) -> None:
    told = render_part("react/method", locale, steps=steps, has_web=has_web, is_researcher=True)

    assert ("12" in told) is bool(steps)
    assert any(mark in told for mark in ("No search is configured", "没有配置搜索")) is not has_web
    assert not re.search(r"\n{3,}|[ \t]+\n|\{[{%#]", told)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_the_form_holds_the_tools_as_they_are(locale: str) -> None:
    told = render_part("react/form", locale, tools=[SPEC])

    assert "## look\nFinds <things> & more." in told
    assert '{"type": "object"}' in told
    assert told.count("Action: ") == 2
    assert "Finish[" in told


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_every_turn_has_its_words(locale: str) -> None:
    told = [render_turn(name, locale) for name in TURNS]

    assert len(set(told)) == len(TURNS)
    assert all(told)


def test_what_nobody_searched_for_says_so_in_each_language() -> None:
    told = {language: render_unverified(language) for language in ("English", "Chinese", "Japanese", "Korean")}

    assert len(set(told.values())) == 4


def test_no_sentence_of_a_story_template_is_said_again() -> None:
    said = {sentence for path in REACT for sentence in sentences_of_its_own(path) if words(sentence) >= 8}

    assert [path for path in PATHS if said & sentences_of_its_own(path)] == []
