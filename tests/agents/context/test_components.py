"""The components as data."""

import pytest

from bookwright.agents.context.components import (
    COMPONENTS,
    PROSE_COMPONENTS,
    WHOLE_DESIGNS,
    ChangeRate,
    components_of,
    lasts,
)
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.step import Activity
from tests.support.tags import BLOCK_TAGS, PROSE_TAGS


def test_the_components_stand_in_the_order_of_the_blocks():
    assert tuple(component.tag for component in COMPONENTS) == BLOCK_TAGS


def test_shares_add_up_to_the_whole():
    assert sum(component.share for component in COMPONENTS) == pytest.approx(1)
    assert sum(component.small_share for component in COMPONENTS) == pytest.approx(1)


def test_what_changes_by_the_unit_only_leads():
    changes = [component.change for component in COMPONENTS]

    assert changes[:7] == [ChangeRate.BY_UNIT] * 7
    assert ChangeRate.BY_UNIT not in changes[7:]


@pytest.mark.parametrize("activity", [
    Activity.PLAN, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE, Activity.BRIEF,
])  # fmt: skip
def test_every_activity_that_makes_something_of_a_unit_has_all(activity):
    assert components_of(activity, "planner", PROFILES[ProfileName.STANDARD]) == COMPONENTS


def test_a_division_has_all_with_what_each_part_changes_at_the_end():
    shown = components_of(Activity.DIVIDE, "planner", PROFILES[ProfileName.STANDARD])

    assert {component.tag for component in shown} == {component.tag for component in COMPONENTS}
    assert WHOLE_DESIGNS in shown
    assert [component.tag for component in shown if lasts(component, Activity.DIVIDE)] == [
        "book_level_design", "upper_level_design", "upper_level_search", "search_dependent", "design_dependent",
    ]  # fmt: skip
    assert all(lasts(component, Activity.DIVIDE) for component in shown[:5])


@pytest.mark.parametrize("profile", [ProfileName.ECONOMY, ProfileName.STANDARD, ProfileName.FINE])
def test_whoever_writes_prose_has_components_of_its_own(profile):
    assert components_of(Activity.WRITE, "writer", PROFILES[profile]) == PROSE_COMPONENTS
    assert tuple(component.tag for component in PROSE_COMPONENTS) == PROSE_TAGS
    assert {component.tag for component in COMPONENTS} & {component.tag for component in PROSE_COMPONENTS} == {
        "text_summary", "latest_text", "search_dependent", "current_task",
    }  # fmt: skip


def test_wishes_stand_in_one_line_and_begin_with_the_text_before():
    for components in (COMPONENTS, PROSE_COMPONENTS):
        wishing = sorted((component.wish, component.tag) for component in components if component.wish)
        assert [wish for wish, _ in wishing] == list(range(1, len(wishing) + 1))
        assert wishing[0][1] == "latest_text"
        after = [tag for _, tag in wishing if tag.endswith(("book_design", "level_design", "summary"))]
        assert "book" in after[0]
        assert after[1] == "text_summary"


def test_who_sums_a_text_up_has_its_designs_and_nothing_else_of_how_it_was_planned():
    shown = components_of(Activity.CLOSE, "evaluator", PROFILES[ProfileName.STANDARD])

    assert [component.tag for component in shown] == [
        "book_level_design", "upper_level_design", "global_state_summary", "text_summary", "design_dependent",
        "current_task",
    ]  # fmt: skip
