"""Figures about prose, and the places they point at: few, quoted, none where nothing is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.quality import collisions, repetition, spots_in, tokens_of
from bookwright.models.text.language import Language

PLAIN = {
    Language.EN: "Rain fell on the tower. Nobody counted the ships. A bell rang twice and stopped.",
    Language.ZH: "雨落在塔上。没有人数船。钟响了两下，停了。",
    Language.JA: "雨が塔に降る。船を数える者はいない。鐘は二度鳴り、やんだ。",
    Language.KO: "비가 탑에 내린다. 배를 세는 사람은 없다. 종이 두 번 울리고 그쳤다.",
}
PHRASES = {
    Language.EN: "she put the lamp on the sill and waited for the tide to turn",
    Language.ZH: "她把灯放在窗台上等着潮水退去",
    Language.JA: "灯を窓辺に置いて潮が引くのを待った",
    Language.KO: "그녀는 등불을 창가에 놓고 썰물이 오기를 말없이 오래 기다렸다",
}


@pytest.mark.parametrize(("language", "text"), PLAIN.items())
def test_plain_prose_has_no_spots(language: Language, text: str) -> None:
    assert spots_in(text, language) == []
    assert repetition(text, language) == 0.0


@pytest.mark.parametrize(("language", "phrase"), PHRASES.items())
def test_a_phrase_that_comes_back_is_shown_once_with_its_count(language: Language, phrase: str) -> None:
    between = PLAIN[language]

    spots = spots_in(f"{phrase}. {between} {phrase}. {phrase}.", language)

    assert len(spots) == 1
    assert spots[0].startswith("occurs 3 times: ")


def test_different_phrases_are_shown_each_though_they_share_words() -> None:
    first, second = "the man who held the lamp was not her father", "the boat that came in the night was empty"

    spots = spots_in(f"{first}. Rain fell. {second}. {first}! It was dry. {second}!", Language.EN)

    assert len(spots) == 2


@pytest.mark.parametrize("line", ["# The Door", "**The Door**", "Chapter 3", "第三章", "第12节", "제 3 장"])
def test_a_heading_that_was_left_in_is_found(line: str) -> None:
    spots = spots_in(f"{line}\n\n{PLAIN[Language.EN]}", Language.EN)

    assert spots == [f'a heading stands in the prose: "{line}"']


def test_four_sentences_that_open_alike_are_found() -> None:
    text = "She rose. She drank. She listened. She left. Rain fell."

    assert spots_in(text, Language.EN) == ['four sentences in a row open alike: "She rose."']
    assert spots_in(text.replace("She listened", "Then she listened"), Language.EN) == []


@pytest.mark.parametrize(
    ("language", "text", "share"),
    [
        (Language.EN, "a b c d e a b c d e", 1 / 3),
        (Language.ZH, "雨落在塔上" * 2, 1 / 3),
        (Language.EN, "one two", 0.0),
        (Language.EN, "", 0.0),
        (Language.EN, "a a a a a a", 1.0),
    ],
)
def test_repetition_is_the_share_of_runs_that_occur_again(language: Language, text: str, share: float) -> None:
    assert repetition(text, language) == pytest.approx(share)


def test_what_repeats_is_a_word_or_a_character_by_language() -> None:
    assert tokens_of("Rain fell!", Language.EN) == ["rain", "fell"]
    assert tokens_of("비가 온다.", Language.KO) == ["비가", "온다"]
    assert tokens_of("雨落。", Language.ZH) == ["雨", "落"]


def test_spots_are_told_in_the_language_of_the_prompts() -> None:
    phrase = PHRASES[Language.ZH]
    text = f"第三章\n\n{phrase}。{phrase}。{phrase}。\n\n她走。她走。她走。她走。"

    spots = spots_in(text, Language.ZH, "zh")

    assert spots[0] == "正文里混进了标题：“第三章”"
    assert spots[1].startswith("前后出现 3 次：“")
    assert spots[-1] == "接连四句开头一样：“她走。”"
    assert not [spot for spot in spots if any("a" <= letter.lower() <= "z" for letter in spot)]
    assert spots_in(text, Language.ZH, "ja") == spots_in(text, Language.ZH)  # no such prompts: the English ones serve


@given(st.text(max_size=400), st.sampled_from(Language))
def test_any_text_has_few_spots_and_a_share_between_0_and_1(text: str, language: Language) -> None:
    assert len(spots_in(text, language)) <= 6
    assert 0.0 <= repetition(text, language) <= 1.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"There was the pole, with nobody to pole." "I thought I would wait."', 'pole." "I'),
        ("“Who has piles?” “So the county has a bridge.”", "piles?” “So"),
        ("「来た。」「誰が。」", "来た。」「誰が。"),
        ("“走吧。”“去哪？”", "走吧。”“去哪？"),
    ],
)
def test_two_speeches_with_nothing_between_them_are_found(text: str, found: str) -> None:
    assert collisions(text) == [f"two speeches stand side by side, with nothing between them: {found}"]


@pytest.mark.parametrize(
    "text",
    [
        '"Yes," she said. "No."',
        '"Yes."\n\n"No."',
        "“Yes,” and “no”.",
        "「来た」と言った。「誰が」",
        "“走吧。”他说。“去哪？”",
        'He said "stop" "go" and laughed.',
    ],
)
def test_speeches_with_words_or_a_paragraph_between_them_are_not(text: str) -> None:
    assert collisions(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "雨停了。\n\n“她是老鲁的娘。”老冯把笔放下来，“小脚，八一年腊月过世。“你骂别的我都不开口。这一条没有。”",
            "小脚，八一年腊月过世。“你骂别的我都不开口。这一条没有。",
        ),
        ("“She came. “I saw her,” he said.", "She came. “I saw her,"),
        ("「来た。「誰が」と言った。", "来た。「誰が"),
    ],
)
def test_a_quotation_that_opens_again_before_it_is_closed_is_named(text: str, found: str) -> None:
    assert collisions(text) == [f"a quotation opens again before it is closed: {found}"]
    assert collisions(text, "zh") == [f"引号没合上又开了一次：{found}"]


def test_a_speech_that_goes_on_in_the_next_paragraph_opens_its_mark_again() -> None:
    assert collisions("“Yes,” he said. “It came at night.\n\n“And it went.”") == []
