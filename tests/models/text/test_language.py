"""How a text's language is told, counted and checked. Source: S0-033 to S0-037."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.language import Language, detect_language, is_in, script_shares

PASSAGES = {
    Language.EN: "The keeper counted the ships, and wrote none of them down.",
    Language.ZH: "守塔人数着过往的船，却一艘也没有记下。",
    Language.JA: "灯台守は船を数えたが、一隻も書き留めなかった。",
    Language.KO: "등대지기는 배를 세었지만 한 척도 적지 않았다.",
}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A keeper counts ships.", Language.EN),
        ("", Language.EN),
        ("12:30 — 99 %", Language.EN),
        ("Смотритель считает корабли.", Language.EN),
        ("守塔人数着船。", Language.ZH),
        ("㐀", Language.ZH),
        ("A novel about 江湖", Language.ZH),
        ("船を数える", Language.JA),
        ("カタカナ", Language.JA),
        ("江湖の話", Language.JA),
        ("배를 세다", Language.KO),
        ("ᄒ", Language.KO),
        ("江湖 이야기", Language.KO),
        ("かな 한글", Language.JA),
        ("한글 かな", Language.KO),
    ],
)
def test_the_script_tells_the_language(text: str, language: Language) -> None:
    assert detect_language(text) is language


@pytest.mark.parametrize(("language", "passage"), PASSAGES.items())
def test_each_language_is_recognised_by_its_own_passage_alone(language: Language, passage: str) -> None:
    assert detect_language(passage) is language
    assert [other for other in Language if is_in(other, passage * 2)] == [language]


@pytest.mark.parametrize(
    ("language", "text", "length"),
    [
        (Language.EN, "The keeper's log-book held 12 names.", 6),
        (Language.EN, "It’s well-known — so what?", 4),
        (Language.EN, "", 0),
        (Language.EN, "... !?", 0),
        (Language.ZH, "雨落在塔上。\n\n“走！”", 10),
        (Language.JA, "雨が　降る。", 5),
        (Language.KO, "비가 내린다.", 6),
        (Language.ZH, " \t\n　", 0),
    ],
)
def test_words_count_in_english_and_characters_without_spaces_elsewhere(
    language: Language, text: str, length: int
) -> None:
    assert language.measure(text) == length


def test_english_counts_words_and_the_others_characters() -> None:
    units = {language: language.length_unit for language in Language}

    assert units == {
        Language.EN: "words",
        Language.ZH: "characters",
        Language.JA: "characters",
        Language.KO: "characters",
    }


def test_a_text_too_short_to_judge_is_in_any_language() -> None:
    assert all(is_in(language, "OK — OK.") for language in Language)


def test_names_and_loan_words_are_allowed() -> None:
    mixed = "守塔人把信交给了Catherine，信封上写着Harbour Street，她没有拆开，只是放进了抽屉里，锁好，走了出去。"

    assert is_in(Language.ZH, mixed)
    assert not is_in(Language.EN, mixed)


@pytest.mark.parametrize("sign", "½²ªµºωж語あ가é")
@given(share=st.integers(0, 30))
def test_what_is_told_at_a_glance_to_be_english_is_that_by_its_letters(sign: str, share: int) -> None:
    text = f"{sign} " * share + "a lamp " * (30 - share)

    assert is_in(Language.EN, text) == (script_shares(text)[Language.EN] >= 0.5)


def test_a_script_that_no_language_has_is_in_none() -> None:
    cyrillic = "Смотритель маяка считает корабли и ничего не пишет."

    assert not any(is_in(language, cyrillic) for language in Language)
    assert set(script_shares(cyrillic).values()) == {0.0}


@given(st.text("ab1_ '-.\n\t\x1c", max_size=40) | st.text(st.characters(max_codepoint=127), max_size=40))
def test_a_sign_beyond_ascii_changes_no_count_of_words(text: str) -> None:
    assert Language.EN.measure(text) == Language.EN.measure(f"{text} …")


@pytest.mark.parametrize(
    ("text", "count"), [("It's a well-to-do man's 'tis--no_1.", 6), ("a'b'c d''e 'f' g-", 5), ("- ' --", 0), ("", 0)]
)
def test_an_apostrophe_or_a_hyphen_joins_what_stands_on_both_sides(text: str, count: int) -> None:
    assert Language.EN.measure(text) == count
