"""The components as data."""

import pytest

from bookwright.agents.context.components import COMPONENTS, Change, components_of
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.step import Activity
from bookwright.prompts.render import BLOCK_TAGS


def test_the_components_stand_in_the_order_of_the_blocks():
    assert tuple(component.tag for component in COMPONENTS) == BLOCK_TAGS


def test_shares_add_up_to_the_whole():
    assert sum(component.share for component in COMPONENTS) == pytest.approx(1)
    assert sum(component.small_share for component in COMPONENTS) == pytest.approx(1)


def test_what_changes_by_the_unit_only_leads():
    changes = [component.change for component in COMPONENTS]

    assert changes[:4] == [Change.BY_UNIT] * 4
    assert Change.BY_UNIT not in changes[4:]


@pytest.mark.parametrize("activity", [
    Activity.PLAN, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE, Activity.DIVIDE,
    Activity.WRITE, Activity.CLOSE,
])  # fmt: skip
def test_every_activity_of_a_unit_has_all_ten(activity):
    assert components_of(activity, "planner", PROFILES[ProfileName.STANDARD]) == COMPONENTS
