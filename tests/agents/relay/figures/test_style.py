"""A style in figures: what is told of each language, that one hand stays near itself, and that another does not."""

import pytest

from bookwright.agents.relay.figures.style import drift, profile_of
from bookwright.models.text.language import Language
from bookwright.prompts.render import render_part

PLAIN = (
    "The keeper climbed the stair and trimmed the lamp. Rain fell on the tower. He counted the ships, as he did every "
    "night, and wrote the number down with a blunt pencil that his brother had left there before the war.\n\n"
    "“Nine,” he said. “Nine again.”\n\nNobody answered him; the gulls had gone inland, and she was asleep.\n\n"
    "She had come in June with two cases and a cage. He had not asked her why. It was enough that she cooked.\n\n"
)
LOUD = (
    "I run! I fall! I get up... and what do I see? You! You are here, you are laughing, and I hate it! My hands are "
    "cold (always cold), my head is a drum — my heart is a drum — everything is a drum!\n\n"
    "“What?” “Nothing!” “What is it?” “Nothing!”\n\nI know. I know you know. I say so!\n\n"
)
SAMPLES = {
    Language.ZH: (
        "我推开门，屋里没有人。我坐下来，等了很久。“谁在那儿？”我问。我没有听见回答。我走到窗边，我看见雨停了。"
    ),
    Language.JA: (
        "私は駅まで歩きました。雨が降っていました。傘を忘れたのです。母が迎えに来ました。私は何も言いませんでした。"
        "空は暗いままです。私は待ちました。"
    ),
    Language.KO: (
        "나는 문을 열었어요. 방에는 아무도 없었어요. 나는 오래 기다렸어요. 비가 그쳤어요. 나는 창가로 갔어요. "
        "그때 종이 울렸어요. 나는 일어났어요."
    ),
}


def test_english_is_told_by_its_person_tense_and_marks() -> None:
    plain, loud = profile_of([PLAIN * 4], Language.EN), profile_of([LOUD * 4], Language.EN)

    assert (plain.person, plain.tense, plain.quotes) == ("third", "past", "“”")
    assert (loud.person, loud.tense) == ("first", "present")
    assert loud.punctuation["exclamation"] > 50 > plain.punctuation["exclamation"] == 0.0
    assert plain.dialogue == pytest.approx(3 / 89, abs=0.02)


@pytest.mark.parametrize(
    ("language", "person", "tense", "politeness"),
    [
        (Language.ZH, "first", "", ""),
        (Language.JA, "first", "past", "polite"),
        (Language.KO, "first", "past", "polite"),
    ],
)
def test_the_east_is_told_by_its_pronouns_and_endings(
    language: Language, person: str, tense: str, politeness: str
) -> None:
    profile = profile_of([SAMPLES[language]], language)

    assert (profile.person, profile.tense, profile.politeness) == (person, tense, politeness)


def test_plain_endings_are_no_polite_ones() -> None:
    japanese = "彼は駅まで歩いた。雨が降る。傘はない。母が来た。彼は黙っている。空は暗い。彼女は待った。"
    korean = "그는 문을 열었다. 방은 비어 있다. 그는 기다렸다. 비가 그친다. 종이 울렸다. 그는 갔다. 그는 왔다."

    assert profile_of([japanese], Language.JA).politeness == "plain"
    assert profile_of([korean], Language.KO).politeness == "plain"


def test_one_hand_is_near_itself_and_far_from_another() -> None:
    profile = profile_of([PLAIN * 6], Language.EN)

    same = drift(profile_of([PLAIN * 4], Language.EN), profile)
    other = drift(profile_of([LOUD * 6], Language.EN), profile)

    assert same.overall < 0.05
    assert other.overall >= 0.5
    assert {"person", "tense", "punctuation"} <= set(other.moved)
    assert list(other.parts.values()) == sorted(other.parts.values(), reverse=True)


def test_variety_does_not_sink_with_length() -> None:
    words = " ".join(f"word{number % 300}" for number in range(8_000))

    assert profile_of([words], Language.EN).variety == profile_of([words[: len(words) // 4]], Language.EN).variety


def test_an_empty_text_has_a_profile_without_claims() -> None:
    profile = profile_of([""], Language.JA)

    assert (profile.length, profile.person, profile.examples, profile.quotes) == (0, "", (), "")
    assert drift(profile, profile).overall == 0.0


@pytest.mark.parametrize(("locale", "said"), [("en", "Sentences run to"), ("zh", "一句平均")])
def test_the_guide_tells_the_figures_with_sentences_of_the_text(locale: str, said: str) -> None:
    profile = profile_of([PLAIN], Language.EN)

    guide = render_part("story/_style_guide", locale, profile=profile, unit="words")

    assert guide.startswith(f"- {said}")
    assert f"> {profile.examples[0]}" in guide
    assert "“”" in guide
    assert "\n\n" not in guide
