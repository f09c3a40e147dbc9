"""Lines that bind are carried on or released by name."""

import pytest

from bookwright.models.binding import binding_lines, lost_lines, released_lines, without_releases

BEFORE = "## People\n- § Ines owes 7,000 crowns.\n- She hums.\n§ 守灯人不识字。\n"


def test_lines_with_the_mark_bind_with_or_without_a_bullet() -> None:
    assert binding_lines(BEFORE) == ["§ Ines owes 7,000 crowns.", "§ 守灯人不识字。"]


def test_a_line_is_kept_whatever_stands_around_it() -> None:
    after = "* §  ines owes 7,000 crowns\n\n> § 守灯人不识字\n"

    assert lost_lines(BEFORE, after) == []


@pytest.mark.parametrize(
    "after", ["", "§ Ines owes 9,000 crowns.\n§ 守灯人不识字。", "Ines owes 7,000 crowns.\n§ 守灯人不识字。"]
)
def test_a_line_that_is_gone_or_changed_or_no_longer_binds_is_lost(after: str) -> None:
    assert "§ Ines owes 7,000 crowns." in lost_lines(BEFORE, after)


def test_a_line_that_is_released_by_name_is_not_lost() -> None:
    after = "§ Ines owes nothing.\n§- § Ines owes 7,000 crowns. -> paid in 1.4\n§ 守灯人不识字。"

    assert lost_lines(BEFORE, after) == []
    assert released_lines(after) == [" § Ines owes 7,000 crowns."]


def test_what_is_kept_no_longer_tells_what_was_released() -> None:
    after = "§ Ines owes nothing.\n\n§- Ines owes 7,000 crowns -> paid\n\nShe hums."

    assert without_releases(after) == "§ Ines owes nothing.\n\nShe hums."


def test_a_mark_by_itself_binds_nothing() -> None:
    assert binding_lines("§\n- §  \n§ .") == []
