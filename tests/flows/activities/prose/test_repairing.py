"""What the writer of a repair reads of the orders for it."""

import pytest

from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.flows.activities.prose.repairing import readable
from bookwright.models.story.retelling import RepairOrder

SECRET = "Jakob knocked at the yard door until he died."
ORDER = RepairOrder(
    quote="they found him in the alcove",
    trouble="Jakob knocked at the yard door until he died, as chapter 4 tells.",
    order="Let them find him behind the yard door.",
)


def test_an_order_whose_reason_tells_what_is_kept_back_comes_without_it() -> None:
    told = readable(ORDER, Guard(Withholding((SECRET,))))

    assert told == "“they found him in the alcove” → Let them find him behind the yard door."


@pytest.mark.parametrize("prose", [(), (f"{SECRET} Then it was quiet.",)])
def test_an_order_that_tells_nothing_new_comes_whole(prose: tuple[str, ...]) -> None:
    guard = Guard(Withholding((SECRET,))).beside(prose) if prose else Guard.idle()

    assert readable(ORDER, guard) == ORDER.line
