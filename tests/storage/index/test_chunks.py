"""Passages: cut at sentence ends, none too long, nothing lost."""

from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.prose import paragraphs, sentences
from bookwright.storage.index.chunks import LIMIT, chunks, join_sentences, weigh
from tests.places import RECORDED

DESIGN = (RECORDED / "design.md").read_text(encoding="utf-8").strip()


def test_english_is_cut_at_sentence_ends_after_about_thirty_words():
    text = " ".join(f"Sentence {number} has six words here." for number in range(60))

    found = chunks(text)

    assert all(chunk.endswith("here.") for chunk in found)
    assert {len(chunk.split()) for chunk in found} == {30}


def test_chinese_is_cut_at_sentence_ends_after_about_sixty_characters():
    found = chunks("林小雨每天夜里数灯塔的台阶，从不出错。" * 30)

    assert all(chunk.endswith("。") for chunk in found)
    assert all(45 < len(chunk) <= 70 for chunk in found[:-1])


def test_a_heading_stays_with_what_follows_it():
    body = "Every night she counts the steps of the tower twice. " * 9

    found = chunks(f"# Ines\n{body}\n# Bruno\nHe owns the island.")

    assert found[-1] == "# Bruno\nHe owns the island."


def test_an_empty_text_has_no_passages():
    assert chunks("") == chunks(" \n\n ") == []


def test_sentences_are_joined_as_their_script_is():
    assert join_sentences(["He left.", "“Stop!”", "She ran."]) == "He left. “Stop!” She ran."
    assert join_sentences(["他走了。", "“停！”", "她跑了。"]) == "他走了。“停！”她跑了。"


@given(st.text(max_size=2_000))
def test_nothing_is_lost_and_no_passage_is_much_too_long(text):
    found = chunks(text)

    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(weigh(chunk) <= LIMIT * 1.3 or len(sentences(chunk)) == 1 for chunk in found if "\n" not in chunk)
    assert all(weigh(chunk) <= LIMIT * 5.3 for chunk in found)


def test_a_passage_ends_with_a_sentence_however_long_it_is():
    found = chunks(DESIGN)

    ends = {sentence for paragraph in paragraphs(DESIGN) for sentence in sentences(paragraph)}
    assert len(found) > 8
    assert [chunk for chunk in found if sentences(paragraphs(chunk)[-1])[-1] not in ends] == []
