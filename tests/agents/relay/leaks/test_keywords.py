"""Forbidden keywords are found however they are spelt, and point at the text as it was written."""

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.leaks import respelling
from bookwright.agents.relay.leaks.folding import canonical_han, fold
from bookwright.agents.relay.leaks.keywords import KeywordHit, find_keyword
from bookwright.models.text.language import Language

WORDS = {
    Language.EN: ("nightshade", "poisoner", "the silver key", "Rowan's boy", "bastard"),
    Language.ZH: ("乌头", "告密者", "备份记忆", "伪造末日", "灭门"),
    Language.JA: ("突き落とした", "ゴーストライター", "替え玉", "覚醒剤", "ガラスの国"),
    Language.KO: ("방화범", "염전 노예", "값진 삶", "안드로이드", "남편을 죽"),
}
FRAMES = {
    Language.EN: ("He said ", " and left."),
    Language.ZH: ("他说：", "！然后走了。"),
    Language.JA: ("彼は「", "」と言った。"),
    Language.KO: ('그는 "', '"라고 말했다.'),
}
INSERTED = st.sampled_from(["\u200b", "\u00ad", "\u2060", "·", "*", "-", "_", "~", "."])


def shown(text: str, keyword: str) -> list[str]:
    return [text[found.start : found.end] for found in find_keyword(fold(text), keyword)]


def certain(text: str, keyword: str) -> list[bool]:
    return [found.is_certain for found in find_keyword(fold(text), keyword)]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_keyword_respelt_in_any_combination_of_ways_is_found_where_it_stands(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(list(Language)))
    keyword = data.draw(st.sampled_from(WORDS[language]))
    ways = data.draw(st.lists(st.sampled_from(_ways(language)), max_size=3, unique=True))
    sign, is_everywhere = data.draw(INSERTED), data.draw(st.booleans())
    spaced = respelling.between(sign) if is_everywhere else respelling.once(sign)
    before, after = FRAMES[language]
    ways.sort(key=lambda way: way is not respelling.capitals)  # a capital of a look-alike looks like another letter
    written = reduce(lambda word, way: way(word), ways, spaced(keyword))
    text = f"{before}{written}{after}"

    found = find_keyword(fold(text), keyword)

    assert [(each.start, each.end) for each in found] == [(len(before), len(before) + len(written))]


def _ways(language: Language) -> list[respelling.Respelling]:
    common = [respelling.capitals, respelling.decomposed]
    return (
        common
        + {
            Language.EN: [respelling.wide, respelling.cyrillic, respelling.greek],
            Language.ZH: [respelling.traditional],
            Language.JA: [respelling.old_kanji, respelling.katakana, respelling.half_kana],
            Language.KO: [respelling.jamo],
        }[language]
    )


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80), st.text(min_size=1, max_size=6))
def test_places_lie_in_the_text_and_never_cross_one_another(text: str, keyword: str) -> None:
    found = find_keyword(fold(text), keyword)

    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert sorted(each.start for each in found) == [each.start for each in found]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80))
def test_each_letter_knows_where_it_stands(text: str) -> None:
    folded = fold(text)

    assert len(folded.letters) == len(folded.starts) == len(folded.ends)
    assert all(start < end for start, end in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)


@pytest.mark.parametrize(
    ("keyword", "text", "expected"),
    [
        ("art", "The party started at the apartment.", []),
        ("art", "Arts and ART; the art's worth.", ["Arts", "ART", "art's"]),
        ("art", "p.a.r.t.y and s t a r t", []),
        ("poison", "Poisoned, poisoning, two poisons, poisonous", ["Poisoned", "poisoning", "poisons"]),
        ("duchy", "two duchies", ["duchies"]),
        ("forge", "forging", ["forging"]),
        ("42", "1423, but 42", ["42"]),
        ("naïve café", "NAIVE  CAFE", ["NAIVE  CAFE"]),
        ("fire", "ＦＩＲＥ ﬁre 🅵🅸🆁🅴", ["ＦＩＲＥ", "ﬁre", "🅵🅸🆁🅴"]),
        ("凶手", "兇手就在这里", ["兇手"]),
        ("竜", "龍が", ["龍"]),
        ("国", "國と国", ["國", "国"]),
        ("秘密", "祕密與秘密", ["祕密", "秘密"]),
        ("台灯", "臺燈", ["臺燈"]),
        ("群", "羣和群", ["羣", "群"]),
        ("调查", "調査", ["調査"]),
        ("屋檐", "屋簷", ["屋簷"]),
        ("ヴァイオリン", "ｳﾞｧｲｵﾘﾝ", ["ｳﾞｧｲｵﾘﾝ"]),
        ("간", "가나다라", []),
        ("밀", "ㅁㅣㄹ", ["ㅁㅣㄹ"]),
        ("人人", "人々", ["人々"]),
        ("", "anything", []),
        ("!?", "what!?", []),
    ],
)
def test_what_is_found(keyword: str, text: str, expected: list[str]) -> None:
    assert shown(text, keyword) == expected


def test_the_one_form_of_a_han_character_is_its_own_one_form() -> None:
    common = map(chr, range(0x4E00, 0xA000))

    assert [han for han in common if canonical_han(canonical_han(han)) != canonical_han(han)] == []


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("Iran", "In the end I ran."),
        ("凶手", "他很凶，手里拿着刀。"),
        ("가방", "아버지가 방에 들어갔다."),
        ("カネ", "それはしかねない。"),
    ],
)
def test_words_that_meet_by_chance_are_found_in_doubt(keyword: str, text: str) -> None:
    assert certain(text, keyword) == [False]


@pytest.mark.parametrize(
    ("keyword", "text"),
    [("Iran", "I r a n"), ("告密者", "告，密，者"), ("凶手", "凶 手"), ("안드로이드", "안 드 로 이 드")],
)
def test_letters_spread_one_by_one_are_no_chance(keyword: str, text: str) -> None:
    assert certain(text, keyword) == [True]


def test_a_keyword_is_reported_at_each_of_its_places() -> None:
    text = "Nightshade. No: night-shade!"

    assert find_keyword(fold(text), "nightshade") == [
        KeywordHit("nightshade", 0, 10, True),
        KeywordHit("nightshade", 16, 27, True),
    ]
