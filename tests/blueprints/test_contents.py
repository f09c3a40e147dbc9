"""Every blueprint of the package holds together, is told in four languages, and asks in two without a slip."""

import re
from collections import Counter, defaultdict
from dataclasses import fields
from pathlib import PurePosixPath

import pytest
from jinja2 import meta

from bookwright.models.blueprint import MemberKind
from bookwright.models.text.language import Language, detect_language
from bookwright.models.tree.level import Level
from bookwright.prompts.card import Card, FormCard
from bookwright.prompts.render import render
from bookwright.prompts.templates import environment, fields_of, source_in
from tests.blueprints.contents import (
    LANGUAGES,
    LOCALES,
    NAMES,
    asked,
    blueprint,
    directions,
    form_texts,
    prompts,
    step_cards,
    step_texts,
    steps,
    templates,
    texts,
)
from tests.prompts.sources import PATHS, sentences_of_its_own, words
from tests.prompts.test_overlay import MACHINE_PROSE as CHINESE_MACHINE_PROSE
from tests.prompts.test_overlay import characters
from tests.prompts.test_overlay import parts as parts_zh
from tests.prompts.test_templates import MACHINE_PROSE, parts

STEPS = [(name, template) for name in NAMES for template in sorted(steps(name))]
DIRECTIONS = [(name, template) for name in NAMES for template in sorted(directions(name))]
SLIPS = re.compile(
    r"\n{3,}|[ \t]+\n|\S {2,}\S|[ ][.,;:](?:\s|$)|[ ][，。；：、]|[，。；：、][，。；：、]"
    r"|\S\d\. \*\*|\{[{%#]|[%#}]\}|\bNone\b"
)
"""Traces of how a text was made: gaps, doubled marks, a step glued to the one before it, bits of Jinja."""

CLOSED = {"critical", "minor", "hook", "markdown", "document", "register", "design_dependent", "search_dependent"} | {
    "upper_level_search", "book", "units", "levels", "word_allowance", "length_unit", "length", "chapters",
}  # fmt: skip
"""What stays English in a Chinese template."""

UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]|^[. ]|[. ]$')
"""What some file system takes in no name."""


def test_there_are_three() -> None:
    assert NAMES == ["mystery", "web-serial", "worldbuild"]


@pytest.mark.parametrize("name", NAMES)
def test_it_bears_the_name_of_its_folder(name: str) -> None:
    assert blueprint(name).name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_given_in_each_of_the_four_languages(name: str) -> None:
    for place, given in texts(name):
        assert set(given) == set(LANGUAGES), place
        assert all(text.strip() == text and text for text in given.values()), place


@pytest.mark.parametrize("name", NAMES)
def test_every_goal_is_one_sentence_of_its_language(name: str) -> None:
    for member in blueprint(name).members:
        for language, goal in member.goals.items():
            assert detect_language(goal) is Language(language), (member.name, goal)
            assert len(re.findall(r"[.。！？!?](?:\s|$)|[。？]", goal)) <= 2, (member.name, goal)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_members_share_a_folder_and_a_title(name: str, language: str) -> None:
    book = blueprint(name)
    places = Counter[tuple[str, str]]()
    for stage in book.stages:
        for member in stage.members:
            folders = member.folders or stage.folders
            assert folders, member.name
            places[folders[language].casefold(), member.titles[language].casefold()] += 1

    assert max(places.values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_folders_and_titles_can_be_names_of_files(name: str) -> None:
    for place, given in texts(name):
        for text in given.values():
            if place.endswith("folders"):
                assert not PurePosixPath(text).is_absolute(), place
                assert not any(UNSAFE.search(part) for part in text.split("/")), (place, text)
            elif place.endswith("titles"):
                assert not UNSAFE.search(text), (place, text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("locale", LOCALES)
def test_every_template_that_is_named_is_there_and_no_other(name: str, locale: str) -> None:
    assert set(templates(name, locale)) == steps(name) | directions(name) | {"quality"}


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_leaves_no_level_without_its_directions(name: str) -> None:
    book = blueprint(name)
    for variant in book.variants:
        units = book.varied(variant).units

        assert {level for level, plan in units.items() if plan.directions} == {
            level for level, plan in book.units.items() if plan.directions
        }


@pytest.mark.parametrize(("name", "template"), STEPS)
@pytest.mark.parametrize("locale", LOCALES)
def test_a_template_renders_on_every_card_without_a_trace_of_its_making(name: str, template: str, locale: str) -> None:
    for text in step_texts(name, template, locale):
        assert not SLIPS.search(text), text


@pytest.mark.parametrize(("name", "template"), STEPS)
@pytest.mark.parametrize("locale", LOCALES)
def test_the_standard_of_a_blueprint_is_a_paragraph_of_its_own(name: str, template: str, locale: str) -> None:
    card = next(step_cards())
    text = render(f"blueprint/{template}", card, locale, prompts(name))
    standard = render("blueprint/quality", card, locale, prompts(name))

    assert standard not in text or f"\n\n{standard}\n\n" in text


@pytest.mark.parametrize(("name", "template"), STEPS)
def test_role_and_method_keep_within_their_room(name: str, template: str) -> None:
    for english in map(parts, step_texts(name, template, "en")):
        assert words(english["Role"]) <= 60
        assert words(english["Method"]) <= 300
    for chinese in map(parts_zh, step_texts(name, template, "zh")):
        assert characters(chinese["角色"]) <= 90
        assert characters(chinese["工作流程"]) <= 450


@pytest.mark.parametrize(("name", "template"), STEPS)
def test_a_page_with_little_room_is_asked_for_no_more_than_one_with_much(name: str, template: str) -> None:
    sizes = defaultdict[int, list[int]](list)
    for card in step_cards():
        sizes[card.word_allowance].append(words(render(f"blueprint/{template}", card, "en", prompts(name))))
    short, long = sorted(sizes)

    assert min(sizes[short]) <= min(sizes[long])


@pytest.mark.parametrize(("name", "template"), STEPS)
@pytest.mark.parametrize("locale", LOCALES)
def test_a_template_of_a_step_reads_only_cards_and_never_the_secrets(name: str, template: str, locale: str) -> None:
    read = fields_of(f"blueprint/{template}", locale, prompts(name)) - {"units", "levels", "tongues"}

    assert read <= {field.name for field in fields(Card)}
    assert "secrets" not in read


@pytest.mark.parametrize(("name", "template"), DIRECTIONS)
@pytest.mark.parametrize("locale", LOCALES)
def test_directions_render_for_every_unit_as_plain_sentences(name: str, template: str, locale: str) -> None:
    for text in form_texts(name, template, locale):
        assert text
        assert not re.search(r"[{}<>#]|\n{2,}| {2}| [.,;:]|\bNone\b|[，。；：、][，。；：、]", text), text
        assert words(text) <= 130
        assert characters(text) <= 300 or locale == "en"


@pytest.mark.parametrize(("name", "template"), DIRECTIONS)
def test_directions_read_a_unit_s_place_and_nothing_of_the_story(name: str, template: str) -> None:
    known = {field.name for field in fields(FormCard)}

    for locale in LOCALES:
        read = fields_of(f"blueprint/{template}", locale, prompts(name)) - {"units", "levels", "tongues"}
        source = source_in(environment(locale, prompts(name)), f"blueprint/{template}.md.j2")[0]

        assert read <= known
        assert set(re.findall(r"\bbook\.(\w+)", source)) <= {"length_unit", "language", "length_class", "length"}


@pytest.mark.parametrize(("name", "template"), DIRECTIONS)
def test_directions_name_no_member_that_tells_the_end(name: str, template: str) -> None:
    spoilers = [member for member in blueprint(name).members if member.is_spoiler]

    for locale in LOCALES:
        told = form_texts(name, template, locale)
        assert not [member.name for member in spoilers if any(member.titles[locale] in text for text in told)]


@pytest.mark.parametrize(("name", "template"), DIRECTIONS)
def test_directions_never_plant_the_words_of_machine_prose(name: str, template: str) -> None:
    for locale, patterns in (("en", MACHINE_PROSE), ("zh", CHINESE_MACHINE_PROSE)):
        for text in form_texts(name, template, locale):
            assert [pattern for pattern in patterns if re.search(pattern, text, re.IGNORECASE)] == []


def _sentences(name: str, template: str, locale: str) -> set[str]:
    folder = prompts(name) if locale == "en" else prompts(name) / locale
    text = (folder / f"{template}.md.j2").read_text(encoding="utf-8")
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "_", text, flags=re.DOTALL)
    found = [part for line in text.splitlines() for part in re.split(r"(?<=[.!?:;])\s+|[。！？；：]", line)]
    return {" ".join(re.findall(r"[\w'’-]+", part.lower())) for part in found}


@pytest.mark.parametrize(("locale", "longest"), [("en", 7), ("zh", 13)])
def test_no_sentence_stands_in_two_templates(locale: str, longest: int) -> None:
    count = words if locale == "en" else len
    places = defaultdict(set)
    for name in NAMES:
        for template in templates(name, locale):
            for sentence in _sentences(name, template, locale):
                places[sentence].add(f"{name}/{template}")
    for path in PATHS:
        for sentence in sentences_of_its_own(path, locale):
            places[sentence].add(path)

    own = {sentence: found for sentence, found in places.items() if any("story/" not in place for place in found)}
    assert {sentence: found for sentence, found in own.items() if len(found) > 1 and count(sentence) > longest} == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_chinese_templates_are_chinese_but_for_tags_keys_and_closed_values(name: str) -> None:
    for template in templates(name, "zh"):
        text = " ".join(_sentences(name, template, "zh"))

        assert set(re.findall(r"[a-z_]{2,}", text)) <= CLOSED, template


def test_members_that_lay_down_a_register_rest_on_the_frame_of_registers() -> None:
    for name, template in asked(MemberKind.REGISTER):
        source = (prompts(name) / f"{template}.md.j2").read_text(encoding="utf-8")

        assert meta.find_referenced_templates(environment(folder=prompts(name)).parse(source))
        assert "story/blueprint/register_frame.md.j2" in source


def test_a_mystery_is_cut_into_three_acts_of_four_chapters() -> None:
    units = blueprint("mystery").units

    assert (units[Level.BOOK].child, units[Level.BOOK].count) == (Level.ACT, 3)
    assert (units[Level.ACT].child, units[Level.ACT].count) == (Level.CHAPTER, 4)
    assert units[Level.CHAPTER].length == (2_000, 4_000)


def test_a_world_has_the_stages_of_its_source_in_order() -> None:
    assert [stage.name for stage in blueprint("worldbuild").stages] == [
        "research", "overview", "foundation", "cultures", "power_structures", "details", "narrative", "glossary",
        "validation", "readme",
    ]  # fmt: skip
