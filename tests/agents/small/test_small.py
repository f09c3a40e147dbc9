"""What code does for weak models: openings, grammar, biases, pieces, figures, divisions."""

import re
from collections import Counter

import pytest

from bookwright.agents.small.premise import (
    closing_of,
    distinct_events,
    in_past_tense,
    names_in,
    opening_of,
    pronoun_of,
    things_in,
)
from bookwright.agents.small.sampling import PROSE_GRAMMARS, narrow_biases, narrow_grammar, sampling_extra
from bookwright.agents.small.telling import better_of, ended, is_enough, joined, prefill_for, prose_score, trimmed
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode

EN = Language.EN
PREMISE = (
    "Clara Holt keeps the lighthouse on Gull Rock alone, since the sea took her father. One night in March a gull "
    "drops a brass key at her feet. It opens the one door in the tower that her father always kept locked. Behind the "
    "door hangs his coat, and the coat is still wet."
)
BOOK = TaskNode(key=1, book="b", level=Level.BOOK, task_type=TaskType.WRITE, goal=PREMISE, length=900)
NAMES, THINGS = names_in(PREMISE), things_in(PREMISE)

KEPT_TO = (
    "Clara stood on the rock and looked at the sea. Her father had carried the brass key for years. The door of the "
    "tower was cold under her hand. Behind it the coat dripped on the floor. A gull cried over the lighthouse. She "
    "turned the key once more and listened. Nobody came up the stairs. The wet coat moved a little in the wind. "
)
LENGTH = EN.measure(KEPT_TO)
LOOPED = "The bird looked at the cake. " * 11


@pytest.mark.parametrize(
    ("present", "past"),
    [
        ("Tom wakes up and finds that he can't move.", "Tom woke up and found that he couldn't move."),
        ("She carries it home, then tries the lock.", "She carried it home, then tried the lock."),
        ("He drops the lights and walks past her walks.", "He dropped the lights and walked past her walks."),
        ('"He lies," she says.', '"He lies," she said.'),
        ("Ana wants to leave; her brother doesn't.", "Ana wanted to leave; her brother didn't."),
        ("Nobody kept the keys.", "Nobody kept the keys."),
    ],
)
def test_a_premise_is_put_into_the_past(present: str, past: str) -> None:
    assert in_past_tense(present) == past


def test_names_and_things_of_a_premise_are_told_apart() -> None:
    assert NAMES == ("Clara Holt", "Gull Rock", "Clara", "March")
    assert {"lighthouse", "brass", "key", "door", "tower", "coat"} <= set(THINGS)
    assert not {"keeps", "took", "clara", "behind", "alone"} & set(THINGS)


def test_a_sentence_start_alone_makes_no_name() -> None:
    assert names_in("Lanterns burn. Behind them lies a door.") == ()
    assert names_in("Mara keeps bees.") == ("Mara",)


@pytest.mark.parametrize(
    ("premise", "pronoun"), [(PREMISE, "She"), ("Tom loses his dog.", "He"), ("I keep bees.", "I"), ("A war.", "")]
)
def test_the_hero_is_told_by_the_first_pronoun(premise: str, pronoun: str) -> None:
    assert pronoun_of(premise) == pronoun


def test_the_premise_opens_the_units_and_its_turn_the_last() -> None:
    openings = [opening_of(PREMISE, index, 3, EN) for index in range(3)]

    assert openings[0].startswith("Clara Holt kept the lighthouse")
    assert openings[0].endswith("dropped a brass key at her feet.")
    assert openings[1] == "It opened the one door in the tower that her father always kept locked."
    assert openings[2] == "Behind the door hung his coat, and the coat was still wet."


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20])
def test_every_sentence_of_a_premise_opens_one_unit(count: int) -> None:
    premise = "One came. Two came. Three came. Four came."

    opened = [opening_of(premise, index, count, EN) for index in range(count)]

    assert " ".join(opening for opening in opened if opening) == premise
    assert opened[0]
    assert opened[-1]


def test_a_long_premise_opens_a_unit_with_no_more_than_a_paragraph() -> None:
    premise = "Clara walked on through the rain and the wind. " * 400

    assert EN.measure(opening_of(premise, 0, 3, EN)) <= 70


@pytest.mark.parametrize(
    ("premise", "opening"),
    [
        ("A story about a keeper who finds a boot.", "There was once a keeper who found a boot."),
        ("Write a short story in which Mara loses her dog.", "Mara lost her dog."),
        ("A novel about two sisters.", "There were once two sisters."),
    ],
)
def test_what_only_names_a_book_is_told_as_a_story(premise: str, opening: str) -> None:
    assert opening_of(premise, 0, 3, EN) == opening


def test_other_languages_open_with_the_premise_as_it_is() -> None:
    assert opening_of("灯塔里住着林小雨。她捡到一把钥匙。", 0, 1, Language.ZH) == "灯塔里住着林小雨。她捡到一把钥匙。"


def test_the_authors_ending_is_the_last_sentence() -> None:
    closing = closing_of("She puts on the coat, and lights the lamp. The end of a long night.", EN)

    text = ended(KEPT_TO * 6 + "And half a", closing, 300, EN)

    assert closing == "She put on the coat, and lit the lamp."
    assert text.endswith(f"\n\n{closing}")
    assert abs(EN.measure(text) - 300) <= 10


def test_no_ending_closes_with_what_was_told() -> None:
    assert closing_of("", EN) == ""
    assert ended("One. Two. Thr", "", 300, EN) == "One. Two."


def test_a_text_is_cut_after_its_last_whole_sentence() -> None:
    assert trimmed('She said "no." Then she wen') == 'She said "no."'
    assert trimmed("她走了。然后她") == "她走了。"
    assert trimmed("no end") == ""


@pytest.mark.parametrize(
    ("text", "piece", "whole"),
    [
        ("Clara", "stood there.", "Clara stood there."),
        ("Clara", ", too, stood.", "Clara, too, stood."),
        ("", "Clara stood.", "Clara stood."),
        ("It was wet.", "\n\nShe left.", "It was wet.\n\nShe left."),
        ("她走了。", "天黑了。", "她走了。天黑了。"),
    ],
)
def test_a_piece_is_put_after_what_it_goes_on_from(text: str, piece: str, whole: str) -> None:
    assert joined(text, piece) == whole


def test_a_unit_has_enough_just_before_its_target() -> None:
    words = "word " * 284

    assert not is_enough(words, 300, EN)
    assert is_enough(words + "word", 300, EN)


def test_a_piece_sees_the_end_of_the_book_and_the_opening_first() -> None:
    assert prefill_for("The gull flew.", "It opened.", "", EN) == "The gull flew.\n\nIt opened."


def test_a_piece_sees_no_more_than_the_end_of_a_long_unit() -> None:
    prefill = prefill_for("The gull flew.", "It opened.", KEPT_TO * 4, EN)

    assert KEPT_TO.strip().endswith(prefill[-60:])
    assert EN.measure(prefill) <= 70


def test_prose_is_sampled_with_penalties_and_json_without() -> None:
    prose = sampling_extra(EN, is_prose=True, premise=PREMISE)
    json = sampling_extra(EN, is_prose=False, premise=PREMISE)

    assert (prose["repeat_penalty"], prose["repeat_last_n"], prose["dry_multiplier"]) == (1.1, 256, 0.8)
    assert not {"repeat_penalty", "dry_multiplier", "grammar", "logit_bias"} & set(json)


def test_the_narrow_grammar_knows_the_premises_names_alone() -> None:
    grammar = sampling_extra(EN, is_prose=True, premise=PREMISE)["grammar"]

    capitalised = set(re.findall(r'"([A-Z][^"]*)"', grammar.split("last ::=")[1]))
    assert capitalised == set(NAMES)
    assert 'heroname ::= "She"' in grammar


def test_a_sentence_ends_in_a_word_or_in_one_with_not_and_in_no_other_short_form() -> None:
    rules = dict(line.split(" ::= ") for line in narrow_grammar(("Clara",), "She").splitlines())

    assert rules["rest"].endswith('" " last [.]'), "after the most words a model goes on with the last: which's."
    assert rules["last"] == """[a-z]{1,13} | [a-z]{1,12} "n't" | "Clara\""""
    assert rules["word"].startswith("last | ")
    assert '"t"' not in rules["word"], "could't"


def test_no_opener_can_be_mistaken_for_the_wrong_pronoun() -> None:
    grammar = narrow_grammar((), "She")

    openers = re.findall(r'"([A-Z][^"]*)"', grammar.split("opener ::=")[1].split("\n")[0])
    assert not [opener for opener in openers if opener.startswith(("He", "Yo", "We"))]


def test_larger_models_may_let_people_speak() -> None:
    extra = sampling_extra(EN, is_prose=True, premise=PREMISE, model="embedded:qwen2.5-7b")

    assert extra["grammar"] == PROSE_GRAMMARS[EN]


@pytest.mark.parametrize("language", [Language.ZH, Language.JA, Language.KO])
def test_other_languages_get_a_grammar_of_their_script_and_no_english_biases(language: Language) -> None:
    extra = sampling_extra(language, is_prose=True, premise="x")

    assert extra["grammar"] != PROSE_GRAMMARS[EN]
    assert "logit_bias" not in extra


def test_biases_hold_strangers_down_and_the_premises_own_words_up() -> None:
    biases = dict(narrow_biases(PREMISE))

    assert biases[" woman"] < 0 < biases[" Clara"]
    assert biases[" key"] > 0
    assert biases[" father"] > 0
    assert biases[" I"] < biases[" you"] < 0
    assert biases[" "] <= -20


def test_no_word_is_biased_twice() -> None:
    counts = Counter(word for word, _ in narrow_biases(PREMISE))

    assert counts.most_common(1)[0][1] == 1


def test_a_first_person_premise_keeps_its_person() -> None:
    biases = dict(narrow_biases("I keep the lighthouse alone."))

    assert " I" not in biases
    assert '"I"' in narrow_grammar((), "I")


def test_a_telling_that_keeps_to_its_premise_scores_above_one_that_loops() -> None:
    kept = prose_score(KEPT_TO, NAMES, THINGS, LENGTH, EN)
    looped = prose_score(LOOPED, NAMES, THINGS, LENGTH, EN)

    assert kept > 0.9
    assert looped < 0.6


@pytest.mark.parametrize(
    "fault",
    [
        "In this story the reader meets a character. The scene is a testament to the plot. ",
        "I walked to my window and you saw me. We took our lamp and I gave you my hand. ",
        "The cake ate a cake with the cake. Another cake came after the cake and the cake. ",
        "Clara stood on the rock and looked at the sea. Clara stood on the rock and looked at the sea. ",
    ],
    ids=["talk about the text", "another person", "a word that takes over", "sentences again"],
)
def test_each_fault_costs_score(fault: str) -> None:
    faulty = KEPT_TO + fault

    length = EN.measure(faulty)

    assert prose_score(faulty, NAMES, THINGS, length, EN) < prose_score(KEPT_TO, NAMES, THINGS, LENGTH, EN)


def test_the_better_telling_is_kept() -> None:
    assert better_of(LOOPED, KEPT_TO, LENGTH, NAMES, EN, THINGS) == KEPT_TO
    assert better_of(KEPT_TO, LOOPED, LENGTH, NAMES, EN, THINGS) == KEPT_TO


def test_a_refined_telling_of_another_length_is_refused() -> None:
    assert better_of(LOOPED, KEPT_TO * 2, LENGTH, NAMES, EN, THINGS) == LOOPED


def events(*goals: str) -> list[PlanNode]:
    return [PlanNode(goal=goal) for goal in goals]


def test_events_that_differ_are_kept() -> None:
    units = events("Clara finds the brass key.", "The door opens at midnight.", "Her father comes home wet.")

    assert distinct_events(units, 3, BOOK, EN) == units


@pytest.mark.parametrize(
    "goals",
    [
        ("Clara finds the brass key.", "Clara finds the brass key.", "Clara then finds the brass key."),
        ("The Lighthouse", "The Key", "The End"),
        ("Clara finds the brass key.",),
        (),
    ],
    ids=["the same again", "titles", "too few", "none"],
)
def test_other_divisions_become_an_arc_over_the_premise(goals: tuple[str, ...]) -> None:
    units = distinct_events(events(*goals), 3, BOOK, EN)

    assert [unit.title for unit in units] == ["How it begins", "How it gets worse", "How it ends"]
    assert units[2].goal == "How it ends: Behind the door hung his coat, and the coat was still wet."
    assert {unit.task_type for unit in units} == {TaskType.WRITE}


def test_an_arc_of_many_units_has_no_title_twice() -> None:
    titles = [unit.title for unit in distinct_events([], 6, BOOK, EN)]

    assert len(set(titles)) == 6
    assert titles[-1] == "How it ends"


def test_more_events_than_needed_are_left_out() -> None:
    units = events("Clara finds a key.", "The door opens late.", "Her father comes home.", "The lamp burns down.")

    assert len(distinct_events(units, 3, BOOK, EN)) == 3
