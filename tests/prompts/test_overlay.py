"""The Chinese set is as whole as the English one, asks for the same, and is Chinese throughout."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from bookwright.agents.workflows import REVISION_MARK
from bookwright.models.document import DocumentKind
from bookwright.models.text.binding import MARK, RELEASE
from bookwright.models.tree.level import Level
from bookwright.prompts.card import BookCard
from bookwright.prompts.render import render, render_part, render_system
from bookwright.prompts.templates import environment
from tests.agents.everyone import EVERY_AGENT
from tests.prompts.cards import BOOKS, card_of, untold, untold_cards
from tests.prompts.sources import (
    ASKED,
    EVERY_TAG,
    OVERLAID,
    PATHS,
    STEP_WITHIN_A_LINE,
    faults,
    reachable,
    sentences_of_its_own,
    unheld,
    whole,
)

ZH = "zh"
OF_ITS_OWN = {"story/_levels"}
"""What the overlay alone needs: Chinese names for levels and units."""

SERVES_ALL = {"story/_state", "story/_plot"}
"""Printed in the book's language, whatever the prompts are in."""

ROOM = {"角色": 90, "工作流程": 450, "输出": 180}
"""Characters of a part; a tag, a key or a number counts as one. Source: CRAFT section 1."""

SMALL = {path for path in ASKED if path.startswith("story/small/")}
SMALL_CHARACTERS = 80
LONGEST_SHARED = 13
"""Characters of a sentence that may stand in two templates: an idiom, and no more."""

ARTEFACTS = {agent.artefact for agent in EVERY_AGENT if agent.artefact} | {
    "text", "part", "news", "current_document", "order", "gapped_text", "taken_out", "design", "reader", "before",
    "story", "story_a", "story_b", "plot", "opening", "forecast", "whole", "pages",
    "retelling", "draft_a", "draft_b", "carry_over", "description", "amended",
}  # fmt: skip
DATA = {
    "tasks",
    "open_points",
    "brief",
    "draw",
    "secrets",
    "codex",
    "threads",
    "due_secrets",
    "times",
    "unknown_yet",
    "ledger",
    "meant",
    "found",
    "orders",
}
"""Tags around what code puts into a template."""

MARKERS = (REVISION_MARK, "@after", MARK, RELEASE, "->")

PROSE = {agent.prompt for agent in EVERY_AGENT if agent.is_prose} | {"story/write/lengthen"}
MACHINE_PROSE = (
    "瞳孔", "倒吸", "一股", "莫名", "说不清道不明", "不是.*而是", "与其说", "缓缓", "淡淡", "微微", "这一刻",
    "终于明白", "或许", "殊不知", "就在这时", "仿佛", "宛如", "犹如", "交织", "洗礼", "命运", "齿轮", "与此同时",
    "不仅如此", "的时候", "林默", "苏晚", "小结", "下一章",
)  # fmt: skip
"""Source: CRAFT section 6, Chinese column: to name it is to plant it."""

_COUNTED = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9_.<>/%]+")
_TAG = re.compile(r"<([a-z_]+)>")
_KEY = re.compile(r"`([a-z_]+)`")
_SENTENCE_OF_LATIN = re.compile(r"[A-Za-z][\w'’-]*(?:[ ,;.]+[A-Za-z][\w'’-]*){2,}")


@cache
def rendered(path: str, locale: str = ZH) -> tuple[tuple[str, str], ...]:
    """A template on every card of its levels, with nothing of the book's own: each text once, and a card it came of."""
    levels = [level for level in Level if f"/{level}/" in path] or list(Level)
    names = {render(path, card, locale): f"{level} {name}" for level in levels for name, card in untold_cards(level)}
    return tuple((name, text) for text, name in names.items())


def parts(text: str) -> dict[str, str]:
    """What stands under the three headings, without what code put there between tags."""
    pieces = re.split(rf"^# ({'|'.join(ROOM)})$", text, flags=re.MULTILINE)
    data = rf"^<({'|'.join(DATA)})>$.*?^</\1>$"
    bodies = [re.sub(data, "", body, flags=re.DOTALL | re.MULTILINE) for body in pieces[2::2]]
    return dict(zip(pieces[1::2], bodies, strict=True))


def characters(text: str) -> int:
    """How many characters a person would count, marks aside."""
    return len(_COUNTED.findall(text))


def keys_of(schema: Any) -> Iterator[str]:
    """All property names of a JSON schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from keys_of(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from keys_of(item)


def test_every_template_has_its_overlay_and_no_overlay_is_without_a_template() -> None:
    assert set(PATHS) - set(OVERLAID[ZH]) == SERVES_ALL
    assert set(OVERLAID[ZH]) - set(PATHS) == OF_ITS_OWN


def test_every_overlay_template_is_asked_by_somebody() -> None:
    assert set(OVERLAID[ZH]) - reachable(ZH) == set()


def traces(text: str) -> list[str]:
    """What is left in a text of the making of its template."""
    marks = (
        r"\{[{%#]|[%#}]\}|\bNone\b|（）|<built-in", r"\n{3,}|[ \t]+\n|\S {2,}\S|[ ][，。；：、]",
        r"[，。；：、][，。；：、]", STEP_WITHIN_A_LINE,
    )  # fmt: skip
    return [found.group() for mark in marks if (found := re.search(mark, text))] if text else ["it is empty"]


def strangers(text: str) -> list[str]:
    """What is not Chinese in a text, tags, keys and closed values aside."""
    own = re.sub(r"</?[a-z_]+>|`[^`\n]*`", "", text)
    return _SENTENCE_OF_LATIN.findall(own) + re.findall(r"[\u4e00-\u9fff][,;:?!()]", own)


def sizes_out_of_room(text: str) -> dict[str, int]:
    """How long each part is, where one is missing, empty or too long."""
    sizes = {part: characters(body) for part, body in parts(text).items()}
    fit = list(sizes) == list(ROOM) and all(0 < sizes[part] <= room for part, room in ROOM.items())
    return {} if fit else {"parts": len(sizes), **sizes}


def test_an_overlay_names_only_what_a_card_holds_or_it_imports() -> None:
    assert {path: names for path in OVERLAID[ZH] if (names := unheld(path, ZH))} == {}


def test_an_overlay_reads_the_same_artefacts() -> None:
    missing, unknown = {}, {}
    for path in ASKED:
        english, chinese = (set(_TAG.findall(whole(path, locale))) for locale in ("en", ZH))
        missing[path] = (english & ARTEFACTS) - chinese
        unknown[path] = chinese - ARTEFACTS - DATA - set(EVERY_TAG)

    assert {path: tags for path, tags in missing.items() if tags} == {}
    assert {path: tags for path, tags in unknown.items() if tags} == {}


def test_an_overlay_renders_on_every_card_without_a_trace_of_its_making() -> None:
    assert faults(rendered, ASKED, traces) == {}


def test_an_overlay_is_chinese_but_for_tags_keys_and_closed_values() -> None:
    assert faults(rendered, ASKED, strangers) == {}


def test_an_overlay_keeps_within_its_room() -> None:
    assert faults(rendered, set(ASKED) - SMALL, sizes_out_of_room) == {}


def test_an_overlay_for_small_models_is_a_few_sentences() -> None:
    assert faults(rendered, SMALL, lambda text: characters(text) > SMALL_CHARACTERS) == {}


def test_no_sentence_stands_in_two_overlay_templates() -> None:
    places = defaultdict(set)
    for path in OVERLAID[ZH]:
        for sentence in sentences_of_its_own(path, ZH):
            if len(re.findall(r"[\u4e00-\u9fff]", sentence)) > LONGEST_SHARED:
                places[sentence].add(path)

    assert {sentence: found for sentence, found in places.items() if len(found) > 1} == {}


def test_what_writes_chinese_prose_never_reads_the_words_of_machine_prose() -> None:
    def of_machines(text: str) -> list[str]:
        return [pattern for pattern in MACHINE_PROSE if re.search(pattern, text)]

    assert faults(rendered, PROSE, of_machines) == {}


def test_what_writes_chinese_prose_is_told_its_length_with_its_unit() -> None:
    assert faults(rendered, PROSE - SMALL, lambda text: not re.search(r"\d+ [字词]", text)) == {}


def test_what_code_reads_back_is_asked_for_in_both_sets() -> None:
    def marks(path: str, locale: str) -> list[str]:
        asked = "".join(text for _, text in rendered(path, locale))
        return [mark for mark in MARKERS if mark in asked]

    assert {path: marks(path, ZH) for path in ASKED} == {path: marks(path, "en") for path in ASKED}


def test_the_fields_of_an_answer_are_named_in_both_sets() -> None:
    @cache
    def known(output: Any) -> set[str]:
        return set(keys_of(output.model_json_schema()))

    def named(locale: str) -> list[tuple[str, set[str]]]:
        texts = ((agent, "".join(text for _, text in rendered(agent.prompt, locale))) for agent in answering)
        return [(agent.prompt, known(agent.output).intersection(_KEY.findall(text))) for agent, text in texts]

    answering = [agent for agent in EVERY_AGENT if agent.output]
    assert named(ZH) == named("en")


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
@pytest.mark.parametrize("is_small", [False, True])
def test_the_chinese_frame_names_the_language_of_the_book(book: BookCard, is_small: bool) -> None:
    text = render_system(untold(book), ZH, is_small=is_small)

    assert {"Chinese": "中文", "English": "英文"}[book.language] in text
    assert _SENTENCE_OF_LATIN.findall(text) == []


@pytest.mark.parametrize("tag", EVERY_TAG)
def test_a_chinese_component_stands_between_its_tags_below_its_heading(tag: str) -> None:
    text = render_part("story/block", ZH, tag=tag, text="下雨了。\n她在等。")

    assert re.match(r"## [\u4e00-\u9fff]", text)
    assert text.endswith(f"<{tag}>\n下雨了。\n她在等。\n</{tag}>")


def test_a_language_without_a_set_of_its_own_is_asked_in_english() -> None:
    card = card_of(Level.CHAPTER)

    assert render("story/chapter/write/draft", card, "ja") == render("story/chapter/write/draft", card)


@pytest.mark.parametrize("locale", ["en", "zh", "ja"])
def test_the_line_before_a_text_names_every_kind_of_document_at_every_level(locale: str) -> None:
    template = environment(locale).get_template("story/_origin.md.j2")

    lines = {
        template.render(label="1.2", level=level.value, kind=kind.value, title="The Door").strip()
        for kind in DocumentKind
        for level in Level
    }

    assert len(lines) == len(DocumentKind) * len(Level)
    assert not any("_" in line for line in lines)
