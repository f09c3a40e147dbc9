"""Pages of code are whole where a book has little to tell: no empty heading, no acts run together, no stray blank."""

from bookwright.agents.blueprints.pages import page_text, register_page, report_text
from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen, PageSeen
from bookwright.models.faults import BlueprintReport, CheckResult, CheckState, VerdictKind
from bookwright.models.story.register import Register, RegisteredThread, ThreadRole
from bookwright.models.text.language import Language


def chapter(number: int, label: str, part: str) -> ChapterSeen:
    return ChapterSeen(number, label, f"Night {number}", 50, 50, number, part=part)


def test_two_acts_of_one_title_are_two_parts() -> None:
    snapshot = BookSnapshot("Case", Language.EN, chapters=(chapter(1, "1.2.1", "Rain"), chapter(2, "1.3.1", "Rain")))

    page = page_text("arc_index", snapshot, is_spoiler=False)

    assert page == "## Rain\n\n- 1. Night 1, 50 words\n\n## Rain\n\n- 2. Night 2, 50 words"


def test_an_index_of_nobody_has_no_empty_heading() -> None:
    page = page_text("cast_index", BookSnapshot("Case", Language.JA), is_spoiler=False)

    assert page == "何も見つからなかった。"


def test_somebody_with_a_page_and_a_place_in_the_codex_is_listed_once() -> None:
    pages = tuple(
        PageSeen(label=f"1.{number}", title=title, text="", length=0, member="suspects", stage="Characters", document=1,
                 is_entry=True)
        for number, title in enumerate(("Dr Hale, the ship's doctor", "Ann"), 1)
    )  # fmt: skip
    snapshot = BookSnapshot(
        "Case", Language.EN, pages=pages, people={"Tobias Hale": (1, 3), "Annabel": ()},
        aliases={"Tobias Hale": ("Tobias Hale", "Dr Hale")},
    )  # fmt: skip

    page = page_text("cast_index", snapshot, is_spoiler=False)

    assert [line for line in page.splitlines() if line.startswith("- ")] == [
        "- **Ann**: not on any page that was seen", "- **Annabel**: not on any page that was seen",
        "- **Tobias Hale**: chapter 1, chapter 3",
    ]  # fmt: skip


def test_a_clue_of_which_nobody_said_what_it_means_leaves_no_double_blank() -> None:
    thread = RegisteredThread(title="The coat", seed="It hangs wet.", role=ThreadRole.CLUE, planted_in=1, answered_in=2)

    page = register_page(BookSnapshot("Case", Language.EN, register=Register(threads=(thread,))))

    assert page.endswith("- **The coat**: It hangs wet. (chapter 1) (answered: chapter 2)")


def test_a_verdict_with_open_points_does_not_say_that_there_are_none() -> None:
    check = CheckResult(check="clues_before_reveal", state=CheckState.NOT_CHECKED)
    report = BlueprintReport(checks=(check,), verdict=VerdictKind.OPEN_POINTS)

    text = report_text(report, "en")

    assert "passed with open points" in text
    assert "No fault was found. What is not checked above is left for you to read." in text
    assert "Nothing was found." not in text
