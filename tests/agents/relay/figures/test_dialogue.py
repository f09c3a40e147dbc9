"""What is spoken: each language's marks, nested and open quotations, and what only looks like speech."""

import pytest

from bookwright.agents.relay.figures.dialogue import dialogue_share, narration, speech_in
from bookwright.models.text.language import Language

EN, ZH, JA, KO = Language.EN, Language.ZH, Language.JA, Language.KO


def spoken(text: str, language: Language) -> list[str]:
    return [part[a:b] for part, spans in speech_in(text.split("\n"), language) for a, b in spans]


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        (EN, "“Go,” she said. “Now.”", ["“Go,”", "“Now.”"]),
        (EN, 'He said, "It\'s late." Then he left.', ['"It\'s late."']),
        (EN, "‘Don’t,’ said Ann. ‘It’s the boys’ boat.’", ["‘Don’t,’", "‘It’s the boys’ boat.’"]),
        (EN, "'Where?' he asked. 'Tis gone, the boys' boat.", ["'Where?'"]),
        (EN, "“He said, ‘Run!’ and ran,” she told us.", ["“He said, ‘Run!’ and ran,”"]),
        (EN, "«Come», she said, «at once».", ["«Come»", "«at once»"]),
        (EN, "—Come up, Kinch!", ["—Come up, Kinch!"]),
        (EN, "—Hello —he said—. Goodbye.", ["—Hello", "—. Goodbye."]),
        (EN, 'The word “rain” was on the wall, 6" high.', []),
        (ZH, "“走吧。”他说，“别回头。”", ["“走吧。”", "“别回头。”"]),
        (ZH, "「他叫我『快跑』，我就跑。」她說。", ["「他叫我『快跑』，我就跑。」"]),
        (ZH, "他说“好”，就走了。所谓“江湖”，不过如此。", ["“好”"]),
        (ZH, "他翻开《史记》，念了一段。", []),
        (JA, "「行け」と彼は言った。", ["「行け」"]),
        (JA, "「彼は『待て』と言ったの」", ["「彼は『待て』と言ったの」"]),
        (JA, "彼は「雨」という字を書き、『史記』を閉じた。", []),
        (KO, "“가자.” 그가 말했다. ‘안 돼.’ 그는 생각했다.", ["“가자.”"]),
        (KO, "그는 “가자”라고 했다.", ["“가자”"]),
        (KO, "그는 「무정」을 읽었다.", []),
    ],
)
def test_speech_is_what_stands_between_the_marks_of_the_language(
    language: Language, text: str, said: list[str]
) -> None:
    assert spoken(text, language) == said


def test_a_speech_may_run_over_paragraphs() -> None:
    english = "“I went down.\n“And I came up,” he said."
    japanese = "「一つ。\n二つ。\n三つ」と数えた。"

    assert spoken(english, EN) == ["“I went down.", "“And I came up,”"]
    assert spoken(japanese, JA) == ["「一つ。", "二つ。", "三つ」"]


def test_the_share_is_counted_in_the_unit_of_the_language() -> None:
    assert dialogue_share("“One two three.” Four five six.", EN) == 0.5
    assert dialogue_share("“走吧。”他说了五个。", ZH) == pytest.approx(5 / 11)
    assert dialogue_share("", EN) == 0.0
    assert dialogue_share("* * *", EN) == 0.0


def test_narration_is_the_rest() -> None:
    assert narration("Rain. “Go,” she said.\n\n“No.”\n\nHe went.", EN) == "Rain. she said.\nHe went."
