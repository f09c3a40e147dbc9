"""How many new elements a text bears by its length, and what a card shows of a task."""

from itertools import pairwise

import pytest

from bookwright.agents.cards import element_allowance, node_card
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.templates import environment


@pytest.mark.parametrize(
    ("length", "allowed"),
    [(100, 2), (900, 3), (3_000, 10), (8_000, 14), (20_000, 20), (50_000, 29), (500_000, 69), (5_000_000, 167)],
)
def test_a_novel_bears_more_elements_than_a_story_and_not_in_proportion(length: int, allowed: int) -> None:
    assert element_allowance(length, Language.EN) == allowed


def test_five_characters_count_as_three_words() -> None:
    for words in (300, 3_000, 20_000, 60_000):
        assert element_allowance(words * 5 // 3, Language.ZH) == pytest.approx(
            element_allowance(words, Language.EN), abs=1
        )


def test_a_longer_text_never_bears_less() -> None:
    allowed = [element_allowance(length, Language.EN) for length in range(100, 60_000, 100)]

    assert all(later >= earlier for earlier, later in pairwise(allowed))
    assert max(later - earlier for earlier, later in pairwise(allowed)) == 1


@pytest.mark.parametrize(("locale", "told"), [("en", "its planner's guess: 6 of 10"), ("zh", "做计划的人估：6/10")])
def test_a_task_shows_what_its_planner_thought_of_it(locale: str, told: str) -> None:
    scored, unscored = (
        node_card(TaskNode(key=1, book="b", label="1.1", level="chapter", task_type="design", goal="g", **score))
        for score in ({"complexity_score": 6}, {})
    )
    template = environment(locale).get_template("story/_judged_tasks.md.j2")

    assert told in template.render(tasks=(scored,))
    assert told.partition("6")[0] not in template.render(tasks=(unscored,))
