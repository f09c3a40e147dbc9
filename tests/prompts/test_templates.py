"""Every template renders on every card, says nothing twice, stays within its room, and is asked by somebody."""

import re
from collections import defaultdict
from dataclasses import fields, replace
from functools import cache

import pytest
from jinja2 import UndefinedError

from bookwright.models.tree.level import Level
from bookwright.prompts.card import BookCard, Card, NodeCard
from bookwright.prompts.render import render, render_part, render_system
from tests.agents.everyone import EVERY_AGENT
from tests.prompts.cards import BOOKS, NOVEL, card_of, cards, filled
from tests.prompts.sources import (
    ASKED,
    EVERY_TAG,
    OWN_VARIABLES,
    PATHS,
    STEP_WITHIN_A_LINE,
    attributes,
    faults,
    reachable,
    sentences_of_its_own,
    unheld,
    variables,
    words,
)

ROOM = {"Role": 60, "Method": 315, "Output": 130}
"""Words of a part, the data that code puts into it aside. Source: CRAFT section 1."""

SMALL = {path for path in ASKED if path.startswith("story/small/")}
SMALL_WORDS = 60
UNUSED_FIELDS = {"piece"}
"""Read by the rehearsal author."""

PROSE = {agent.prompt for agent in EVERY_AGENT if agent.is_prose} | {"story/write/lengthen"}
MACHINE_PROSE = (
    r"breath (?:she|he|they) didn't know", r"jaw (?:tightened|clenched)", r"\ba sense of\b", r"something shifted",
    r"\bwasn't\b[^.]*\bit was\b", r"\bnot (?:just|only|merely)\b", r"\bsaid (?:softly|quietly)\b", r"\bslowly\b",
    r"\b(?:realised|realized) that\b", r"\bfor the first time\b", r"\blittle did\b", r"\blike an? [a-z]+ of\b",
    r"\bthe way an? [a-z]+ (?:does|would|might)\b", r"\btapestry\b", r"\btestament\b", r"\bechoes\b", r"\bmoreover\b",
    r"\bultimately\b", r"\ba mixture of\b", r"\belara\b", r"\belias\b", r"\blighthouse\b", r"\bin this chapter\b",
    r"\bvivid", r"\bworld-class\b", r"\bhigh.quality\b", r"\bmasterful",
)  # fmt: skip
"""Source: CRAFT section 6, English column: to name it is to plant it."""


def levels_of(path: str) -> list[Level]:
    """The levels a template is asked at: its own, or all."""
    return [level for level in Level if f"/{level}/" in path] or list(Level)


@cache
def rendered(path: str) -> tuple[tuple[str, str], ...]:
    """A template on every card of its levels, each text that comes of it once, with the name of a card it came of."""
    names = {render(path, card): f"{level} {name}" for level in levels_of(path) for name, card in cards(level)}
    return tuple((name, text) for text, name in names.items())


def parts(text: str) -> dict[str, str]:
    """What stands under Role, Method and Output."""
    pieces = re.split(r"^# (Role|Method|Output)$", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def without_data(text: str) -> str:
    """A part without what code put into it between tags."""
    tags = "tasks|open_points|brief|secrets|codex|threads|due_secrets|times|unknown_yet|ledger|meant|found|orders"
    data = rf"^<({tags})>$.*?^</\1>$"
    return re.sub(data, "", text, flags=re.DOTALL | re.MULTILINE)


def traces(text: str) -> list[str]:
    """What is left in a text of the making of its template."""
    marks = (
        r"\{[{%#]|[%#}]\}|\bNone\b|\(\)|<built-in", r"\n{3,}|[ \t]+\n|\S {2,}\S|[ ][.,;:](?:\s|$)",
        STEP_WITHIN_A_LINE,
    )  # fmt: skip
    return [found.group() for mark in marks if (found := re.search(mark, text))] if text else ["it is empty"]


def sizes_out_of_room(text: str) -> dict[str, int]:
    """How long each part is, where one is missing, empty or too long."""
    sizes = {part: words(without_data(body)) for part, body in parts(text).items()}
    fit = list(sizes) == list(ROOM) and all(0 < sizes[part] <= room for part, room in ROOM.items())
    return {} if fit else {"parts": len(sizes), **sizes}


def test_a_template_renders_on_every_card_without_a_trace_of_its_making() -> None:
    assert faults(rendered, ASKED, traces) == {}


def test_a_template_has_a_role_a_method_and_an_output_within_their_room() -> None:
    assert faults(rendered, set(ASKED) - SMALL, sizes_out_of_room) == {}


def test_a_template_for_small_models_is_a_few_sentences() -> None:
    assert faults(rendered, SMALL, lambda text: words(text) > SMALL_WORDS) == {}


def test_a_short_unit_never_gets_a_longer_prompt() -> None:
    longer = []
    for path in (path for path in ASKED if "/write/" in path):
        for level in levels_of(path):
            card = filled(card_of(level))
            short, long = (replace(card, unit=replace(card.unit, length=length)) for length in (120, 3_000))
            if words(render(path, short)) > words(render(path, long)):
                longer.append((path, level))

    assert longer == []


def test_a_template_names_only_what_a_card_holds() -> None:
    assert {path: names for path in PATHS if (names := unheld(path))} == {}


def test_a_card_holds_only_what_some_template_names() -> None:
    named = set[str]().union(*(variables(path) for path in PATHS if path not in OWN_VARIABLES))

    assert {field.name for field in fields(Card)} - named == UNUSED_FIELDS


@pytest.mark.parametrize(("card", "names"), [(BookCard, ["book"]), (NodeCard, ["unit", "task"])])
def test_a_book_and_a_node_hold_only_what_some_template_reads(card: type, names: list[str]) -> None:
    read = set[str]().union(*(attributes(path, name) for path in PATHS for name in names))

    assert {field.name for field in fields(card)} <= read


def test_every_template_is_asked_by_somebody() -> None:
    assert set(PATHS) - reachable() == set()


def test_no_sentence_stands_in_two_templates() -> None:
    places = defaultdict(set)
    for path in PATHS:
        for sentence in sentences_of_its_own(path):
            if words(sentence) >= 8:
                places[sentence].add(path)

    assert {sentence: found for sentence, found in places.items() if len(found) > 1} == {}


def test_what_writes_prose_never_reads_the_words_of_machine_prose() -> None:
    def of_machines(text: str) -> list[str]:
        return [pattern for pattern in MACHINE_PROSE if re.search(pattern, text, re.IGNORECASE)]

    assert faults(rendered, PROSE, of_machines) == {}


def test_what_writes_prose_is_told_its_length_with_its_unit() -> None:
    told = re.compile(r"\d+ (?:words|characters)")

    assert faults(rendered, PROSE - SMALL, lambda text: not told.search(text)) == {}


@pytest.mark.parametrize(("language", "mark"), [("Japanese", "「」"), ("Korean", "존댓말"), ("Chinese", "“”")])
def test_prose_is_asked_for_in_the_manner_of_its_language(language: str, mark: str) -> None:
    card = card_of(Level.CHAPTER)
    card = replace(card, book=replace(card.book, language=language))

    assert mark in render("story/chapter/write/draft", card)
    assert mark not in render("story/chapter/write/draft", card_of(Level.CHAPTER))


def test_a_book_that_counts_characters_is_never_asked_for_a_number_of_words() -> None:
    asked = {(path, level): render(path, card_of(level, "serial")) for path in ASKED for level in levels_of(path)}

    assert [place for place, text in asked.items() if re.search(r"\b\d{2,} words\b", text)] == []


def test_a_number_of_words_is_named_as_the_book_counts() -> None:
    asked = {name: render("story/relay/quality", card_of(Level.CHAPTER, name)) for name in ("novel", "serial")}

    assert "up to 60 words" in asked["novel"]
    assert "up to 100 characters" in asked["serial"]


def test_what_a_template_names_and_no_card_holds_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("story/_tree", card_of(Level.BOOK))


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_the_system_frame_states_language_and_length_in_the_same_bytes_each_time(book: BookCard) -> None:
    text = render_system(book)

    assert text == render_system(replace(book))
    assert f"{book.length} {book.length_unit} in {book.language}" in text
    assert (f'"{book.title}"' in text) is bool(book.title)


@pytest.mark.parametrize("tag", EVERY_TAG)
def test_a_context_component_stands_between_its_tags_below_its_heading(tag: str) -> None:
    text = render_part("story/block", tag=tag, text="Rain fell.\nShe waited.")

    assert text.startswith("## ")
    assert text.endswith(f"<{tag}>\nRain fell.\nShe waited.\n</{tag}>")


def test_what_an_author_wrote_is_never_read_as_a_template() -> None:
    trick = replace(NOVEL, premise="{{ book.title }} {% include 'x' %} {#", genre="{{ 1 + 1 }}")
    card = replace(card_of(Level.BOOK), book=trick)

    text = render("story/book/design/guideline_strategist", card)

    assert "{{ book.title }} {% include 'x' %} {#" in text
    assert "{{ 1 + 1 }}" in text
