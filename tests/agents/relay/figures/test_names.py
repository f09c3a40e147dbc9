"""Names that the codex does not have: slips for known ones, and strangers who are named again and again."""

import pytest

from bookwright.agents.relay.figures.names import differs_by, name_doubts
from bookwright.models.text.language import Language

EN, ZH, JA, KO = Language.EN, Language.ZH, Language.JA, Language.KO


def doubts(text: str, known: list[str], language: Language) -> list[tuple[str, int, str]]:
    return [(doubt.name, doubt.count, doubt.like) for doubt in name_doubts(text, known, language)]


@pytest.mark.parametrize(
    ("language", "known", "text", "slip"),
    [
        (EN, "Elara Voss", "Elara sat down. She told Elera so, and Voss nodded.", ("Elera", 1, "Elara Voss")),
        (EN, "Katherine", "It was Catherine who came, and Catherine who left.", ("Catherine", 2, "Katherine")),
        (ZH, "苏晚晴", "苏晚晴看了他一眼。他转头去看苏婉晴。", ("苏婉晴", 1, "苏晚晴")),
        (ZH, "林默", "林默说完就走。林墨说道：“走。”", ("林墨", 1, "林默")),
        (JA, "カタリナ", "カタリナは笑った。カタリーナが泣いた。", ("カタリーナ", 1, "カタリナ")),
        (JA, "斎藤", "斎藤さんが来た。斉藤さんは帰った。", ("斉藤", 1, "斎藤")),
        (KO, "김지훈", "김지훈은 웃었다. 김지혼이 말했다.", ("김지혼", 1, "김지훈")),
        (KO, "지훈", "지훈은 웃었다. 지흔이 말했다.", ("지흔", 1, "지훈")),
    ],
)
def test_a_name_that_is_nearly_a_known_one_is_a_slip(
    language: Language, known: str, text: str, slip: tuple[str, int, str]
) -> None:
    assert doubts(text, [known], language) == [slip]


@pytest.mark.parametrize(
    ("language", "known", "text"),
    [
        (EN, ["Elara Voss", "the Warden"], "Elara’s lamp. Voss slept. Mr. Voss woke. The Warden came, and Elara went."),
        (EN, ["Shōtarō"], "He saw Shotaro there. Shōtarō laughed."),
        (EN, ["Seo-yeon"], "He met Seoyeon in May, on a Monday."),
        (ZH, ["林默然", "阿林"], "默然说。林默然看着阿林。雨停了，他说。"),
        (JA, ["佐藤 健"], "佐藤さんは笑った。健が来た。斎藤という店だ。"),
        (KO, ["김지훈"], "지훈아, 하고 그가 불렀다. 김지훈이 왔다. 선생님은 웃었다."),
    ],
)
def test_known_names_their_parts_and_their_spellings_raise_no_doubt(
    language: Language, known: list[str], text: str
) -> None:
    assert doubts(text, known, language) == []


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        (EN, "“No,” said Tomas. They asked Tomas again. Then she left Tomas there.", "Tomas"),
        (ZH, "“走。”程望舒说。程望舒看着他。程望舒笑了。", "程望舒"),
        (JA, "田中さんが来た。田中さんは帰った。田中さんだけだ。", "田中"),
        (KO, "한도윤 씨가 왔다. 한도윤 씨는 갔다. 한도윤 씨였다.", "한도윤"),
    ],
)
def test_a_stranger_is_told_of_from_the_third_time_on(language: Language, text: str, name: str) -> None:
    twice = text[: text.rindex(name)]

    assert doubts(text, ["Nobody Else"], language) == [(name, 3, "")]
    assert doubts(twice, ["Nobody Else"], language) == []


def test_words_that_only_begin_a_sentence_are_no_names() -> None:
    assert doubts("Rain fell. Rain fell. Rain fell on the rain. Nothing. Nothing. Nothing.", ["Raina"], EN) == []


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("anna", "anna", 0), ("anna", "ana", 1), ("anna", "nana", 1), ("anna", "elsbeth", 3), ("brian", "brain", 1)],
)
def test_a_swap_of_neighbours_is_one_step(one: str, other: str, distance: int) -> None:
    assert differs_by(one, other) == distance
