"""Lengths of sentences and paragraphs, and runs of what is alike."""

import pytest

from bookwright.agents.relay.figures.measure import repetition_of
from bookwright.agents.relay.figures.style import equal_runs, rhythm_of
from bookwright.models.text.language import Language


def test_sentences_and_paragraphs_are_measured() -> None:
    rhythm = rhythm_of("One two. One two three four.\n\n* * *\n\nMr. Hale sat down by the old fire.", Language.EN)

    assert (rhythm.sentences, rhythm.longest, rhythm.paragraphs) == (3, 8, 2)
    assert rhythm.mean == pytest.approx(14 / 3, abs=0.01)
    assert rhythm.spread == pytest.approx(2.49, abs=0.01)
    assert (rhythm.paragraph_mean, rhythm.paragraph_spread) == (7.0, 1.0)


@pytest.mark.parametrize(
    ("language", "text", "mean"),
    [
        (Language.ZH, "雨停了。他抬头看天。", 5.0),
        (Language.JA, "「行け」と言った。雨が降る。", 7.0),
        (Language.KO, "비가 온다. 그는 갔다.", 5.0),
    ],
)
def test_a_sentence_counts_characters_where_words_do_not_stand_apart(
    language: Language, text: str, mean: float
) -> None:
    assert rhythm_of(text, language).mean == mean


def test_a_run_is_four_of_one_length_or_more() -> None:
    assert equal_runs([10, 10, 11, 9, 30, 10, 10, 10]) == [4]
    assert equal_runs([5, 5, 5]) == []
    assert equal_runs([40, 42, 44, 38, 40]) == [5]
    assert equal_runs([]) == []


def test_endings_alike_are_counted_in_the_narration() -> None:
    japanese = "雨が降る。彼は歩いた。「寒い」風が吹いた。灯が消えた。"
    korean = "비가 왔다. 그는 왔다. 배가 왔다. 별이 떴다."

    assert rhythm_of(japanese, Language.JA).same_ending_run == 2
    assert rhythm_of(korean, Language.KO).same_ending_run == 3


def test_a_repeated_passage_is_quoted_whole_and_once() -> None:
    said = "the lamp on the sill went out at nine"
    text = f"First {said} again. Nothing moved here. Then {said} twice. A bell. And {said} thrice."

    found = repetition_of(text, Language.EN)

    assert [(phrase.quote, phrase.count) for phrase in found.phrases] == [(said, 3)]
    assert found.share == pytest.approx(15 / 21, abs=0.01)


@pytest.mark.parametrize(
    ("language", "said", "between"),
    [
        (Language.ZH, "她把灯放在窗台上等着潮水退去", "钟响了两下。"),
        (Language.JA, "灯を窓辺に置いて潮が引くのを待った", "鐘が鳴った。"),
        (Language.KO, "그녀는 등불을 창가에 놓고 썰물을 기다렸다", "종이 울렸다."),
    ],
)
def test_repetition_is_found_in_every_script(language: Language, said: str, between: str) -> None:
    found = repetition_of(
        f"{said}。{between}{said}。" if language is not Language.KO else f"{said}. {between} {said}.", language
    )

    assert [phrase.quote for phrase in found.phrases] == [said]


def test_sentences_that_begin_alike_are_counted() -> None:
    found = repetition_of("He was late. He was wet. She sat. He was cold.", Language.EN)

    assert [(opening.quote, opening.count) for opening in found.openings] == [("he was", 3)]
    assert found.alike_share == pytest.approx(1 / 3, abs=0.001)


def test_prose_without_repetition_has_none() -> None:
    assert repetition_of("Rain fell. A bell rang twice and stopped.", Language.EN).phrases == ()
    assert repetition_of("", Language.ZH).share == 0.0
