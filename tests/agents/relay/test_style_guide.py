"""Passages by which a text is known to the ear."""

from bookwright.agents.relay.style_guide import passages_of
from bookwright.models.text.language import Language

TOLD = "\n\n".join(
    f"On day {n} she walked along the quay, past nets and barrels. The {word} hung low over the roofs. Nobody came. "
    f"She counted {n + 4} boats and wrote the number into the book that her father had ruled. It took her a long time, "
    "for the ink was thick with cold and the pen, which was older than she was, had a mind of its own about eights."
    for n, word in enumerate(("fog", "smoke", "moon", "rain", "light", "dust"))
)
TALK = (
    "\n\n“You are late,” said Bruno, and he put the lamp between them. “I am never late. The tide is early.” "
    "She sat. “Then tell the tide.” He laughed until he had to hold the table, and the cat left. When he could speak "
    "again he asked what she had brought, and she turned her pockets out: a key, a fish hook, eleven crowns, and the "
    "letter, which lay there and said nothing to either of them.\n\nThe end came on a Friday."
)


def test_two_passages_are_chosen_one_with_talk_each_of_whole_sentences() -> None:
    found = passages_of([TOLD + TALK], Language.EN)

    assert len(found) == 2
    assert sum("“" in passage for passage in found) == 1
    for passage in found:
        assert 60 <= Language.EN.measure(passage) <= 100
        assert all(line in TOLD + TALK for line in passage.splitlines())
        assert passage.endswith((".", "”"))


def test_what_readers_praised_comes_first() -> None:
    found = passages_of([TOLD + TALK], Language.EN, ["She counted 7 boats", "nowhere to be found"])

    assert "She counted 7 boats and wrote the number" in found[0]
    assert 60 <= Language.EN.measure(found[0]) <= 100


def test_a_chinese_text_has_passages_of_its_own_length() -> None:
    text = "\n".join(
        f"第{n}天，她沿着码头走，数过往的船。雨没有停。她把数目写进父亲划好的账本，字写得很慢。" * 3 for n in range(8)
    )

    found = passages_of([text], Language.ZH)

    assert len(found) == 2
    assert all(100 <= Language.ZH.measure(passage) <= 170 for passage in found)


def test_a_text_too_short_for_a_passage_has_none() -> None:
    assert passages_of(["She came. She went."], Language.EN) == ()
