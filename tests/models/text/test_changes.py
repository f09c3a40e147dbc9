"""Taking replacements for numbered sentences into a text."""

from bookwright.models.text.changes import Change, repaired
from bookwright.models.text.language import Language
from bookwright.models.text.length import LengthRange

TEXT = "The keeper rowed out. She had no lamp. Nobody saw her go.\n\n“Wait,” he said. She did not wait."


def after(*changes: Change) -> str:
    return repaired(TEXT, changes, LengthRange(low=1, high=100), Language.EN, lambda words: False)


def test_a_passage_is_replaced_and_its_neighbours_stand() -> None:
    told = after(Change(first="1.2", last="1.3", text="She had no lamp, and her brother slept."))

    assert told == (
        "The keeper rowed out. She had no lamp, and her brother slept.\n\n“Wait,” he said. She did not wait."
    )


def test_a_blank_line_beside_a_change_begins_a_paragraph_and_none_where_one_begins_anyway() -> None:
    rowed, waited = "The keeper rowed out.", "Nobody saw her go.\n\n“Wait,” he said."

    assert after(Change(first="1.2", text="\n\nNo lamp was lit.")) == (
        f"{rowed}\n\nNo lamp was lit. {waited} She did not wait."
    )
    assert after(Change(first="2.1", text="\n\n“Stay,” he said.")) == TEXT.replace("Wait,", "Stay,")
    assert after(Change(first="1.2", text="“No lamp?”\n\n")) == f"{rowed} “No lamp?”\n\n{waited} She did not wait."
    assert after(Change(first="1.3", text="Nobody at all.\n\n")) == TEXT.replace("Nobody saw her go.", "Nobody at all.")


def test_a_passage_over_paragraphs_leaves_what_stood_behind_it_where_its_words_end() -> None:
    words = "No lamp was lit. “Wait,” she heard."
    across = Change(first="1.2", last="2.1", text=words)

    assert after(across) == f"The keeper rowed out. {words} She did not wait."
    assert after(across, Change(first="2.2", text="She rowed.")) == f"The keeper rowed out. {words} She rowed."
    assert after(Change(first="1.2", last="2.1", text=f"{words}\n\n")).endswith(f"{words}\n\nShe did not wait.")
    assert after(Change(first="1.2", last="2.2", text=words)) == f"The keeper rowed out. {words}"
    assert after(Change(first="1.2", last="2.1")) == "The keeper rowed out.\n\nShe did not wait."


def test_a_passage_over_paragraphs_joins_no_scenes_and_leaves_no_speech_open() -> None:
    def mended(text: str, first: str, last: str, words: str, *more: Change) -> str:
        changes = [Change(first=first, last=last, text=words), *more]
        return repaired(text, changes, LengthRange(low=1, high=100), Language.EN, lambda words: False)

    scenes, speech = "A ran. B ran.\n\n◇\n\nC ran. D ran.", "A ran. B ran.\n\n“C ran. D ran.” E ran."
    assert mended(scenes, "1.2", "3.1", "B and C.") == "A ran. B and C.\n\nD ran."
    assert mended(speech, "1.2", "2.1", "“B and C.") == "A ran. “B and C. D ran.” E ran."
    assert mended(speech, "1.2", "2.1", "B and C.") == speech
    assert mended("“A ran. B ran.\n\n“C ran.” D ran.", "1.2", "2.1", "X.") == "“A ran. B ran.\n\n“C ran.” D ran."
    assert mended(TEXT, "1.2", "2.1", "Done.", Change(first="2.2", text="\n\nShe left.")) == (
        "The keeper rowed out. Done.\n\nShe left."
    )


def test_a_passage_over_paragraphs_may_begin_a_scene() -> None:
    words = "No lamp was lit.\n\n***\n\nAt dawn she was there."

    assert after(Change(first="1.2", last="2.1", text=words)) == f"The keeper rowed out. {words} She did not wait."


def test_passages_over_paragraphs_that_meet_are_one_paragraph() -> None:
    text = "A ran. B ran.\n\nC ran. D ran. E ran.\n\nF ran. G ran."
    met = [Change(first="2.3", last="3.1", text="E and F."), Change(first="1.2", last="2.1", text="B and C.")]
    told = repaired(text, met, LengthRange(low=1, high=100), Language.EN, lambda words: False)

    assert told == "A ran. B and C. D ran. E and F. G ran."


def test_a_change_without_words_strikes_and_one_for_a_last_sentence_leaves_no_space() -> None:
    assert after(Change(first="[1.2]")).startswith("The keeper rowed out. Nobody saw her go.\n\n")
    assert after(Change(first="2.2", text="She rowed.")).endswith("“Wait,” he said. She rowed.")


def test_all_sentences_of_a_paragraph_may_go() -> None:
    assert after(Change(first="2.1", last="2.2")) == TEXT.partition("\n\n")[0]


def test_what_is_not_there_leaves_speech_open_or_was_changed_already_is_passed_over() -> None:
    wrong = [
        Change(first="9.1", text="a"), Change(first="1.3", last="1.1"), Change(first="2.1", text="“Wait, he said."),
        Change(first="one", text="c"),
    ]  # fmt: skip
    twice = [Change(first="1.1", text="He rowed out."), Change(first="1.1", last="1.2", text="Nobody rowed.")]

    assert after(*wrong) == TEXT
    assert after(*twice) == TEXT.replace("The keeper rowed out.", "He rowed out.")


def test_a_quotation_that_was_left_open_may_be_closed_unless_the_next_paragraph_goes_on_with_it() -> None:
    broken = "“She is his mother.” He put down the pen. “She died. “You may scold. Not him.”\n\nShe sat down."
    going_on = "“It came at night.\n\n“And it went.”"

    def mended(text: str, number: str, words: str) -> str:
        change = Change(first=number, text=words)
        return repaired(text, [change], LengthRange(low=1, high=100), Language.EN, lambda words: False)

    assert mended(broken, "1.4", "You may scold.") == broken.replace("“You may", "You may")
    assert mended(broken, "1.4", "““You may scold.") == broken
    assert mended(going_on, "1.1", "“It came at night.”") == going_on


def test_a_change_that_does_not_fit_is_left_out_and_the_others_are_taken() -> None:
    wanted = [Change(first="1.1", text="The king rowed out."), Change(first="1.2", text="She had a lamp.")]

    told = repaired(TEXT, wanted, LengthRange(low=1, high=100), Language.EN, lambda words: "king" in words)

    assert told == TEXT.replace("She had no lamp.", "She had a lamp.")


def test_changes_count_as_one_set_and_the_last_that_leads_out_of_the_limits_goes() -> None:
    longer = Change(first="1.1", text="The keeper rowed out before anybody was awake.")
    shorter = Change(first="1.3", text="Nobody saw.")
    last = Change(first="2.2", text="She did not wait, and did not look back at him either.")
    limits = LengthRange(low=15, high=24)

    told = repaired(TEXT, [longer, shorter, last], limits, Language.EN, lambda words: False)

    assert told.startswith("The keeper rowed out before anybody was awake. She had no lamp. Nobody saw.")
    assert told.endswith("“Wait,” he said. She did not wait.")


def test_what_was_left_out_for_a_longer_change_is_taken_after_all() -> None:
    far_too_long = Change(first="1.1", text=" ".join(["The keeper rowed out."] * 9))
    longer = Change(first="2.2", text="She did not wait long.")
    limits = LengthRange(low=10, high=Language.EN.measure(TEXT) + 1)

    told = repaired(TEXT, [far_too_long, longer], limits, Language.EN, lambda words: False)

    assert told == TEXT.replace("She did not wait.", "She did not wait long.")
