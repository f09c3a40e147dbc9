"""What of a sentence is compared with a secret: neither names nor what both say."""

import pytest

from bookwright.agents.relay.leaks.wording import names_of, without_names, without_shared
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language


@pytest.mark.parametrize(
    ("language", "secret", "sentence", "left"),
    [
        (Language.EN, "Mara poisoned the old king.", "The old King's cup poisoned nobody.", "The cup nobody."),
        (Language.ZH, "班主向日本人告密。", "日本人来看戏，班主陪笑。", "人来看戏，陪笑。"),
        (Language.ZH, "国王死了。", "國王在喝茶。", "在喝茶。"),
        (Language.JA, "千代は夫を崖から落とした。", "崖の上で夫は笑った。", "の上では笑った。"),
        (Language.JA, "彼はスパイだ。", "スパイスの香り、スパイの影。", "スパイスの香り、の影。"),
        (Language.KO, "염전에 사람들을 가둔다.", "염전은 섬에서 가장 넓었다.", "섬에서 가장 넓었다."),
    ],
)
def test_shared_words_go_whatever_their_endings_and_script(
    language: Language, secret: str, sentence: str, left: str
) -> None:
    assert without_shared(sentence, secret, language) == left


def test_a_sentence_that_says_only_what_the_secret_says_leaves_no_word() -> None:
    assert without_shared("Poisoned king!", "She poisoned the king.", Language.EN).strip(" !") == ""


def test_names_are_those_that_secrets_are_about_and_the_parts_of_spelt_ones() -> None:
    secrets = [
        Secret(id=str(place), content="x", related_entity=name) for place, name in enumerate(("Dr. Anna Low", "왕", ""))
    ]

    assert names_of(secrets) == {"Dr. Anna Low", "Dr.", "Anna", "Low"}


def test_a_spelt_name_goes_as_a_word_and_another_with_its_particle() -> None:
    assert without_names("Tom met Tom's aunt tomorrow in Tomsk.", {"Tom"}, "X") == "X met X's aunt tomorrow in Tomsk."
    assert without_names("은주는 웃었다.", {"은주"}, "X") == "X는 웃었다."


def test_letters_that_mean_something_in_a_pattern_are_letters_in_a_name() -> None:
    assert without_names("(A+B) rang.", {"(A+B)"}, "X") == "X rang."
