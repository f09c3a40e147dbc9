"""Lines that bind are carried on or released by name."""

import pytest

from bookwright.models.text.binding import binding_lines, lost_lines, released_lines, without_releases

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
    assert released_lines(after, binding_lines(BEFORE)) == ["§ Ines owes 7,000 crowns."]


@pytest.mark.parametrize("arrow", ["->", "→", "⇒"])
@pytest.mark.parametrize("reason", [" -> the road was closed", "", " -> b -> c"])
def test_a_line_that_holds_an_arrow_itself_can_be_released(arrow: str, reason: str) -> None:
    line = f"§ The road: Aber {arrow} Bree {arrow} Cor"

    assert lost_lines(line, f"Text.\n§- {line}{reason}") == []


def test_a_release_frees_the_longest_line_it_can_mean_and_no_other() -> None:
    short, long = "§ Aber -> Bree", "§ Aber -> Bree -> Cor"

    assert lost_lines(f"{short}\n{long}", f"§- {long} -> closed") == [short]
    assert lost_lines(f"{short}\n{long}", f"§- {short} -> closed") == [long]
    assert lost_lines(short, "§- Aber -> closed") == [short]


@pytest.mark.parametrize(
    "dressed", ["`§ {}`", "1. § {}", "- `§ {}`", "**§ {}**", "12) § {}", "3、§ {}", "（2）§ {}", "> * § {}", "_§ {}_"]
)
def test_a_line_binds_however_it_is_dressed(dressed: str) -> None:
    told = "Ines owes 7,000 crowns."

    assert binding_lines(dressed.format(told)) == [f"§ {told}"]
    assert lost_lines(f"§ {told}", dressed.format(told)) == []
    assert lost_lines(dressed.format(told), f"§- {told} -> paid") == []


@pytest.mark.parametrize("line", ["`§- § Ines owes nothing. -> paid`", "2. §- Ines owes nothing. -> paid", "- §- x"])
def test_a_release_is_known_and_left_out_however_it_is_dressed(line: str) -> None:
    assert binding_lines(line) == []
    assert without_releases(f"Text.\n{line}") == "Text."


def test_a_mark_within_a_line_is_no_mark() -> None:
    assert binding_lines("See § 4 of the harbour law.\nIn 1881 § 4 was new.") == []


def test_what_is_kept_no_longer_tells_what_was_released() -> None:
    after = "§ Ines owes nothing.\n\n§- Ines owes 7,000 crowns -> paid\n\nShe hums."

    assert without_releases(after) == "§ Ines owes nothing.\n\nShe hums."


def test_a_mark_by_itself_binds_nothing() -> None:
    assert binding_lines("§\n- §  \n§ .") == []
