"""The writing of told prose."""

from pathlib import Path

import pytest

from tests.flows.activities.told import Told


@pytest.mark.parametrize(
    ("length", "profile", "most", "mended"), [(1_500, "standard", 1_538, 1), (1_500, "economy", 1_575, 0)]
)
def test_who_tells_a_story_again_leaves_half_of_its_room_to_repairs_that_come(
    tmp_path: Path, length: int, profile: str, most: int, mended: int
) -> None:
    book = Told(tmp_path, length=length, profile=profile)
    [again], repairs = book.prompts("1 write/refine"), book.prompts("1 write/repair")
    book.close()

    assert f"1425 to {most}." in again
    assert ["1425 to 1575;" in repair for repair in repairs] == [True] * mended
