"""Texts made shorter by shorter wordings: as far as the target asks, and never at the cost of what has to stay."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.changes import Change, Changes, is_balanced_like, shortened
from bookwright.models.text.language import Language
from bookwright.models.text.length import LengthRange
from bookwright.models.text.prose import paragraphs, sentences
from tests.models.text.test_prose import texts
from tests.places import RECORDED

LEAST = LengthRange(0, 0)
TEXT = "One came. Two came by the long road. Three stayed there.\n\nFour left. Five went home. Six slept."


def change(first: str, last: str = "", text: str = "") -> Change:
    return Change(first=first, last=last, text=text)


def test_a_passage_is_said_shorter_and_a_sentence_dropped() -> None:
    changes = [change("1.2", "1.3", "Two stayed."), change("[2.2]")]

    assert shortened(TEXT, changes, LEAST, Language.EN, ()) == "One came. Two stayed.\n\nFour left. Six slept."


def test_a_passage_may_run_over_paragraphs() -> None:
    assert shortened(TEXT, [change("1.2", "2.2", "All went.")], LEAST, Language.EN, ()) == (
        "One came. All went.\n\nSix slept."
    )


@pytest.mark.parametrize(
    "unfit",
    [
        change("1.1"), change("2.3"), change("1.1", "1.2", "Both."), change("2.2", "2.3", "End."), change("2.1", "1.2"),
        change("1.3", "1.3", "Three of them stayed there."), change("1.3", "1.3", "Three stayed there."), change(""),
        change("9.9"), change("1.0"), change("0.1"), change("1.2.3"), change("x.y"), change("²"), change("1.2", "1.9"),
        change("1.2", "1.2", "“Two came"), change("1." + "9" * 5_000),
    ],
)  # fmt: skip
def test_what_names_nothing_or_does_damage_is_passed_over(unfit: Change) -> None:
    assert shortened(TEXT, [unfit], LEAST, Language.EN, ()) == TEXT


def test_the_list_is_a_reserve_and_code_stops_where_enough_is_gone() -> None:
    text = shortened(TEXT, [change("2.2"), change("1.3"), change("1.2")], LengthRange(12, 16), Language.EN, ())

    assert text == "One came. Two came by the long road. Three stayed there.\n\nFour left. Six slept."


def test_no_change_leaves_less_than_there_may_be() -> None:
    text = shortened(TEXT, [change("1.2"), change("2.2")], LengthRange(14, 16), Language.EN, ())

    assert text == "One came. Two came by the long road. Three stayed there.\n\nFour left. Six slept."


def test_a_sentence_is_changed_once() -> None:
    changes = [change("1.2", "1.3", "Two came and stayed."), change("1.2"), change("1.3")]

    assert paragraphs(shortened(TEXT, changes, LEAST, Language.EN, ()))[0] == "One came. Two came and stayed."


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("It rained. “Let him see it. Let him see me.” She left. Nobody came.", change("1.2")),
        ('It rained. "Let him see it. Let him see me." She left. Nobody came.', change("1.3")),
        ("It rained. *Fri the eighth. Frost to the bar.* She left. Nobody came.", change("1.2")),
        ("It rained. *Fri the eighth. Frost to the bar.* She left. Nobody came.", change("1.2", "1.2", "*Friday.*")),
        ("雨落在塔上。她说：“看着吧。他会来的。”没有人来。灯灭了。", change("1.2")),
        ("雨が降る。「見ろ。あれが灯だ。」彼は言った。灯は消えた。", change("1.2")),
    ],
)
def test_no_quotation_is_left_open(text: str, cut: Change) -> None:
    assert shortened(text, [cut], LEAST, Language.EN, ()) == text


def test_a_whole_quotation_may_be_said_shorter() -> None:
    text = "It rained. “Let him see it. Let him see me.” She left. Nobody came."

    assert shortened(text, [change("1.2", "1.3", "“Let him.”")], LEAST, Language.EN, ()) == (
        "It rained. “Let him.” She left. Nobody came."
    )


def test_apostrophes_open_nothing() -> None:
    assert is_balanced_like("It’s the keeper’s, since ’38.", "Nothing.")
    assert not is_balanced_like("‘It’s his.", "Nothing.")


BOUND = (
    "§ Entry, page 40: *Sat. 9 Feb. 1963. Expected per* Constancia, *Vigo. One child, 19 kilos. Account 31. Unpaid.*",
    "§ 账页：“一个孩子，十九公斤，三十一号账，未付。”",
)


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("One child, 19 kilos.", True),
        ("She read it: one child, 19 KILOS.", True),
        ("Unpaid.", True),
        ("She counted the kilos of fish.", False),
        ("The account was long.", False),
        ("上面写着一个孩子，十九公斤。", True),
        ("她数了一个又一个孩子。", False),
    ],
)
def test_what_a_binding_line_demands_stays(said: str, is_kept: bool) -> None:
    language = Language.EN if said.isascii() else Language.ZH
    text = f"It rained.\n\n{said}\n\nNobody came."

    assert (said in shortened(text, [change("2.1")], LEAST, language, BOUND)) is is_kept


@given(texts(min_paragraphs=2), st.lists(st.tuples(*[st.integers(0, 9)] * 4, st.sampled_from(("", "雨。", "Rain.")))))
def test_whatever_is_offered_a_text_keeps_its_ends_and_its_least_length(
    written: tuple[Language, str], offered: list[tuple[int, int, int, int, str]]
) -> None:
    language, text = written
    whole = language.measure(text)
    limits = LengthRange(whole // 2, whole * 3 // 4)
    changes = [change(f"{a}.{b}", f"{c}.{d}", new) for a, b, c, d, new in offered]

    result = shortened(text, changes, limits, language, ())

    assert limits.low <= language.measure(result) <= whole
    assert is_balanced_like(result, text)
    assert result.startswith(sentences(paragraphs(text)[0])[0])
    assert result.endswith(sentences(paragraphs(text)[-1])[-1])  # in Chinese no space parts it from “Rain.”


@pytest.mark.parametrize(("name", "target"), [("standard_shorten", 600), ("economy_shorten", 3_000)])
def test_a_recorded_list_of_cuts_takes_nothing_any_more(name: str, target: int) -> None:
    text = (RECORDED / f"{name}.md").read_text(encoding="utf-8").strip()
    answer = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))

    assert answer["cuts"]
    assert Changes.model_validate(answer).changes == ()
    assert Language.EN.measure(text) > target
