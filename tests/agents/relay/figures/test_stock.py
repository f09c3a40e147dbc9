"""Stock phrases: the lists that ship, what they find and pass over, and an author's own changes."""

from pathlib import Path

import pytest

from bookwright.agents.relay.figures.stock import changed, shipped_list, stock_in, stock_list
from bookwright.models.errors import InvalidSetting
from bookwright.models.text.language import Language

MACHINE = {
    Language.EN: (
        "She let out a breath she didn’t know she was holding. Little did he know. A chill ran down his spine.\n\n"
        "Moreover, it was a testament to something unspoken."
    ),
    Language.ZH: "他倒吸一口凉气，瞳孔微缩。\n\n殊不知，命运的齿轮已经转动。她淡淡道，嘴角微微上扬。",
    Language.JA: "彼女は息を呑んだ。言いようのない不安が胸の奥でざわめいた。\n\n知る由もなかった。",
    Language.KO: "그는 숨을 삼켰다. 알 수 없는 감정이 밀려왔다.\n\n그때였다. 그녀가 나직이 말했다.",
}
HUMAN = {
    Language.EN: "He breathed on the glass and wiped it with his sleeve. The bus was late. More coal came on Friday.",
    Language.ZH: "他把煤球一块块码进筐里，擦了擦手。公交车晚点了二十分钟，站牌底下蹲着个卖菜的。",
    Language.JA: "父は靴を脱ぎ、新聞を畳んだ。バスは二十分遅れて来た。台所では米が煮えている。",
    Language.KO: "아버지는 신발을 벗고 신문을 접었다. 버스는 이십 분 늦게 왔다. 부엌에서 밥 냄새가 났다.",
}


@pytest.mark.parametrize("language", Language)
def test_a_list_has_eighty_entries_each_with_its_reason(language: Language) -> None:
    phrases = shipped_list(language)

    assert len(phrases) >= 80
    assert len({phrase.group for phrase in phrases}) >= 8
    assert all(needle == needle.lower() for phrase in phrases for words in phrase.needles for needle in words)


@pytest.mark.parametrize("language", Language)
def test_machine_prose_is_found_and_plain_prose_is_not(language: Language) -> None:
    machine, human = stock_in(MACHINE[language], language), stock_in(HUMAN[language], language)

    assert machine.count >= 4
    assert human.hits == ()


@pytest.mark.parametrize("language", Language)
def test_the_letters_that_spare_a_search_stand_in_every_find(language: Language) -> None:
    for phrase in shipped_list(language):
        for text in (MACHINE[language], "\n".join(MACHINE.values())):
            for find in phrase.pattern.finditer(text.lower().replace("’", "'")):
                held = (any(needle in find.group() for needle in words) for words in phrase.needles)
                assert all(held) or find.group() == ""


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("(?:said|spoke) (?:softly|gently)", "He spoke gently."),
        ("(?:big|(?:very|quite) small) (?:cat|dog)", "A quite small dog."),
        ("(?:he|she)? (?:cried|wept){1,2} a[nt]", "She wept at once."),
        ("(?:re|un)(?:lock|bolt)? it", "Un it!"),
        ("(?:(?:red|blue)|green) (?:ink|wax)", "Green wax."),
        (r"a silence \u2014 long", "There was a silence — long and cold."),
        (r"\x61 thousand \N{COLON} yes", "A thousand : yes."),
        (r"[]x\]a]bc so{2}n", "It is abc soon."),
    ],
)
def test_whatever_a_pattern_leaves_open_it_is_found(entry: str, text: str) -> None:
    phrases = changed(shipped_list(Language.EN), [entry], Language.EN)

    assert entry in [hit.entry for hit in stock_in(text, Language.EN, phrases).hits]


def test_a_hit_has_its_group_its_count_and_places() -> None:
    [hit] = stock_in("It was a tapestry. Oh, TAPESTRY!", Language.EN).hits

    assert (hit.entry, hit.group, hit.count) == ("tapestry", "lofty noun", 2)
    assert hit.quotes == ("It was a tapestry. Oh, TAPESTRY!", "…a tapestry. Oh, TAPESTRY!")


def test_the_rate_is_for_a_thousand_units() -> None:
    text = " ".join(["rain"] * 499 + ["tapestry"])

    assert stock_in(text, Language.EN).per_thousand == 2.0


def test_a_listed_name_is_found_and_not_rated() -> None:
    found = stock_in("Elara sat. Elara stood.", Language.EN)

    assert [(hit.group, hit.count) for hit in found.hits] == [("default name", 2)]
    assert found.per_thousand == 0.0


def test_words_are_matched_whole_and_openings_only_at_openings() -> None:
    assert stock_in("The tapestryman voted. He said moreover nothing.", Language.EN).hits == ()
    assert [hit.group for hit in stock_in("Rain.\n\nMoreover, rain.", Language.EN).hits] == ["essay joint"]


def test_traditional_characters_are_found_too() -> None:
    assert stock_in("他倒吸一口涼氣，瞳孔微縮。", Language.ZH).count == 2


def test_an_author_adds_and_takes_off(tmp_path: Path) -> None:
    folder = tmp_path / "stock_phrases"
    folder.mkdir()
    (folder / "en.txt").write_text("# mine\n-tapestry\n[my tics]\nsort of (?:a|an)\n", "utf-8")

    found = stock_in("A tapestry, sort of a rug.", Language.EN, stock_list(Language.EN, tmp_path))

    assert [(hit.entry, hit.group) for hit in found.hits] == [("sort of (?:a|an)", "my tics")]


def test_a_line_that_is_no_pattern_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "stock_phrases"
    folder.mkdir()
    (folder / "zh.txt").write_text("好\n(坏\n", "utf-8")

    with pytest.raises(InvalidSetting, match="line 2 of"):
        stock_list(Language.ZH, tmp_path)
