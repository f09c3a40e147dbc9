"""Prose cut and added to in code: nothing is lost that was not asked for, and lengths come nearer."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.language import Language
from bookwright.models.text.length import is_off
from bookwright.models.text.prose import (
    Insertion,
    cut_to,
    last_sentence,
    lengthened,
    numbered_paragraphs,
    numbered_sentences,
    paragraphs,
    read_insertions,
    sentences,
    whole_sentences,
)

SENTENCES = {
    Language.EN: (
        "Rain fell.", "She counted the ships, twice.", '"Stop!" he said.', "“Why?” she asked… and left.",
        "It was 3.5 miles to St. Ives.", "Who else — and when?!", "He left!—and came back.", "(Nobody saw it.)",
    ),
    Language.ZH: (
        "雨落在塔上。", "“走！”他说。", "她数了两遍……没有记下。", "谁来？", "（没有人看见。）", "他说：“留下吧。”",
    ),
    Language.JA: ("雨が降る。", "「やめろ！」と彼は言った。", "船は、来ない……。", "誰が見たのか？", "『灯』だ！"),
    Language.KO: (
        "비가 내린다.", "“그만!” 그가 말했다.", "그녀는 배를 두 번 세었다…", "누가 오는가?", "(아무도 보지 못했다.)",
    ),
}  # fmt: skip
JOINTS = {Language.EN: " ", Language.ZH: "", Language.JA: "", Language.KO: " "}


@cache
def _paragraphs(language: Language, least: int) -> st.SearchStrategy[list[str]]:
    paragraph = st.lists(st.sampled_from(SENTENCES[language]), min_size=1, max_size=8).map(JOINTS[language].join)
    return st.lists(paragraph, min_size=least, max_size=6)


@st.composite
def texts(draw: st.DrawFn, min_paragraphs: int = 1) -> tuple[Language, str]:
    """A language and a text in it, of several paragraphs."""
    language = draw(st.sampled_from(Language))
    return language, "\n\n".join(draw(_paragraphs(language, min_paragraphs)))


@pytest.mark.parametrize(
    ("paragraph", "parts"),
    [
        ("Rain fell. Nobody came.", ["Rain fell.", "Nobody came."]),
        ('"Stop!" he said. "Why?" she said.', ['"Stop!" he said.', '"Why?" she said.']),
        ("“Stop!” He left.", ["“Stop!”", "He left."]),
        ("Well… maybe. Well…maybe.", ["Well… maybe.", "Well…maybe."]),
        ("It cost 3.5 pounds.", ["It cost 3.5 pounds."]),
        ("雨落在塔上。没有人来！谁知道呢？", ["雨落在塔上。", "没有人来！", "谁知道呢？"]),
        ("“走！”他说。“好。”", ["“走！”他说。", "“好。”"]),
        ("「灯だ。」彼は言った。", ["「灯だ。」彼は言った。"]),
        ("雨落。 没有人。", ["雨落。", "没有人。"]),
        ("비가 내린다. 아무도 없다!", ["비가 내린다.", "아무도 없다!"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_a_sentence_keeps_its_closing_marks(paragraph: str, parts: list[str]) -> None:
    assert sentences(paragraph) == parts


@given(texts())
def test_a_text_that_nothing_is_cut_from_is_unchanged(written: tuple[Language, str]) -> None:
    language, text = written

    assert lengthened(text, [], 10**6, language) == text
    assert cut_to(text, 10**6, language) == text


@given(st.text(max_size=200))
def test_sentences_hold_every_letter_of_any_text(text: str) -> None:
    kept = "".join("".join(sentences(paragraph)) for paragraph in paragraphs(text))

    assert re.sub(r"\s", "", kept) == re.sub(r"\s", "", text)


@given(texts())
def test_a_sentence_number_names_one_sentence(written: tuple[Language, str]) -> None:
    _, text = written

    shown = numbered_sentences(text)

    numbers = re.findall(r"\[(\d+\.\d+)\] ", shown)
    flat = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    assert len(set(numbers)) == len(numbers) == len(flat)
    assert re.split(r"\s*\[\d+\.\d+\] ", shown)[1:] == flat


@given(texts())
def test_taking_the_numbers_off_gives_the_text(written: tuple[Language, str]) -> None:
    _, text = written

    by_sentence = re.sub(r"\[\d+\.\d+\] ", "", numbered_sentences(text))
    by_paragraph = re.sub(r"^\[\d+\] ", "", numbered_paragraphs(text), flags=re.MULTILINE)

    assert re.sub(r"\s", "", by_sentence) == re.sub(r"\s", "", text)
    assert by_paragraph == text


@given(texts(), st.integers(1, 600), st.lists(st.tuples(st.integers(0, 9), texts()), max_size=8))
def test_passages_never_take_a_text_further_from_its_target(
    written: tuple[Language, str], target: int, passages: list[tuple[int, tuple[Language, str]]]
) -> None:
    language, text = written

    result = lengthened(text, [Insertion(after, passage) for after, (_, passage) in passages], target, language)

    before, after = language.measure(text), language.measure(result)
    assert abs(after - target) <= abs(before - target)
    assert set(paragraphs(text)) <= set(paragraphs(result))


@given(texts(), st.integers(150, 600))
def test_a_text_too_short_comes_within_tolerance_when_enough_is_offered(
    written: tuple[Language, str], target: int
) -> None:
    language, text = written
    offered = [Insertion(1, "\n\n".join(SENTENCES[language] * 3))] * 12

    result = lengthened(text, offered, target, language)

    if language.measure(text) < target:
        assert not is_off(target, language.measure(result))


@given(texts(), st.integers(1, 300))
def test_a_cut_text_is_a_beginning_that_ends_with_a_sentence(written: tuple[Language, str], limit: int) -> None:
    language, text = written

    kept = cut_to(text, limit, language)

    assert text.startswith(kept)
    assert not kept or kept[-1] in '.。！？!?…”’"）)」』—'
    assert abs(language.measure(kept) - limit) <= max(limit, abs(language.measure(text) - limit))


def test_passages_go_where_they_were_marked_in_the_order_given() -> None:
    reply = "@after 1\nFirst.\n\n@after 0\nBefore.\n@after 1\nSecond.\n@after 99\nLast."

    text = lengthened("One.\n\nTwo.", read_insertions(reply), 100, Language.EN)

    assert paragraphs(text) == ["Before.", "One.", "First.", "Second.", "Two.", "Last."]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("", []),
        ("  \n", []),
        ("Only prose.", [Insertion(10**9, "Only prose.")]),
        ("@after 2\n", []),
        ("Here they are:\n@after 2\nRain fell.", [Insertion(2, "Rain fell.")]),
        ("Look @after 2 here.", [Insertion(10**9, "Look @after 2 here.")]),
        ("@after " + "9" * 5_000 + "\nx", [Insertion(10**9, "@after " + "9" * 5_000 + "\nx")]),
    ],
)
def test_marks_are_read_as_passages(reply: str, found: list[Insertion]) -> None:
    assert read_insertions(reply) == found


def test_the_last_sentence_is_the_one_at_the_end() -> None:
    assert last_sentence("One. Two.\n\nThree. Four!") == "Four!"
    assert last_sentence("") == ""


@pytest.mark.parametrize(
    ("text", "whole"),
    [("Rain fell. The sea", "Rain fell."), ("The sea", ""), ("", ""), ("雨落。没有", "雨落。"), ("“走！”他", "“走！”")],
)
def test_the_whole_sentences_of_a_text_are_what_comes_before_one_that_is_not_ended(text: str, whole: str) -> None:
    assert whole_sentences(text) == whole
