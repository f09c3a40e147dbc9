"""Taking replacements for numbered sentences into a text."""

from bookwright.models.changes import changed
from bookwright.models.retelling import Change

TEXT = "The keeper rowed out. She had no lamp. Nobody saw her go.\n\n“Wait,” he said. She did not wait."


def always(text: str) -> bool:
    return True


def test_a_passage_is_replaced_and_its_neighbours_stand() -> None:
    after = changed(TEXT, [Change(first="1.2", last="1.3", text="She had no lamp, and her brother slept.")], always)

    assert after == (
        "The keeper rowed out. She had no lamp, and her brother slept.\n\n“Wait,” he said. She did not wait."
    )


def test_a_change_without_words_strikes_and_one_for_a_last_sentence_leaves_no_space() -> None:
    assert changed(TEXT, [Change(first="[1.2]")], always).startswith("The keeper rowed out. Nobody saw her go.\n\n")
    assert changed(TEXT, [Change(first="2.2", text="She rowed.")], always).endswith("“Wait,” he said. She rowed.")


def test_all_sentences_of_a_paragraph_may_go() -> None:
    assert changed(TEXT, [Change(first="2.1", last="2.2")], always) == TEXT.partition("\n\n")[0]


def test_what_is_not_there_runs_over_paragraphs_or_was_changed_already_is_passed_over() -> None:
    wrong = [
        Change(first="9.1", text="a"), Change(first="1.1", last="2.1", text="b"), Change(first="1.3", last="1.1"),
        Change(first="one", text="c"),
    ]  # fmt: skip
    twice = [Change(first="1.1", text="He rowed out."), Change(first="1.1", last="1.2", text="Nobody rowed.")]

    assert changed(TEXT, wrong, always) == TEXT
    assert changed(TEXT, twice, always) == TEXT.replace("The keeper rowed out.", "He rowed out.")


def test_a_change_that_does_not_fit_is_left_out_and_the_others_are_taken() -> None:
    wanted = [Change(first="1.1", text="The king rowed out."), Change(first="1.2", text="She had a lamp.")]

    after = changed(TEXT, wanted, lambda text: "king" not in text)

    assert after == TEXT.replace("She had no lamp.", "She had a lamp.")
