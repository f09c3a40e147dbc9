"""How an answer of a shape is asked for in words."""

import pytest

from bookwright.agents.backends.schema import schema_request
from bookwright.models.tree.plan import PlanOutput


@pytest.mark.parametrize("locale", ["en", "zh", "ja"])
def test_whoever_writes_json_by_hand_is_told_how_to_escape(locale: str) -> None:
    asked = schema_request(PlanOutput, locale)

    assert '`\\"`' in asked
    assert "`\\\\`" in asked
    assert asked.endswith("}")
