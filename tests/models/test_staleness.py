"""What is stale and what is only superseded, on a few versions made by hand."""

from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.staleness import DependencyGraph, Version

STATE, SUMMARY, PROSE = DocumentKind.GLOBAL_STATE, DocumentKind.SUMMARY, DocumentKind.PROSE
STEP, AUTHOR = DocumentOrigin.STEP, DocumentOrigin.AUTHOR


def version(
    identity: int, label: str, kind: DocumentKind, number: int, text: str, origin: DocumentOrigin = STEP
) -> Version:
    return Version(identity, int(label.replace(".", "")), label, kind, number, text, origin, identity)


def stale(versions: list[Version], inputs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The ids of what is directly and of what is indirectly stale."""
    found = DependencyGraph(versions, inputs).stale()
    return [one.document.id for one in found if one.is_direct], [one.document.id for one in found if not one.is_direct]


def test_a_state_of_the_story_that_went_on_makes_nothing_stale() -> None:
    versions = [version(1, "1", STATE, 1, "a"), version(2, "1.2", PROSE, 1, "p"), version(3, "1", STATE, 2, "b")]

    assert stale(versions, [(2, 1), (3, 1)]) == ([], [])


def test_a_running_document_that_its_author_changed_makes_stale_what_its_old_words_stood_before() -> None:
    versions = [
        version(1, "1", STATE, 1, "a"), version(2, "1.2", PROSE, 1, "p"), version(3, "1", STATE, 2, "b"),
        version(4, "1.3", PROSE, 1, "q"), version(5, "1", STATE, 3, "c", AUTHOR), version(6, "1", STATE, 4, "d"),
    ]  # fmt: skip

    assert stale(versions, [(2, 1), (3, 1), (4, 3), (6, 5)]) == ([4], [])


def test_a_running_document_that_reads_as_before_again_leaves_all_whole() -> None:
    versions = [
        version(1, "1", STATE, 1, "a"), version(2, "1.2", PROSE, 1, "p"), version(3, "1", STATE, 2, "b", AUTHOR),
        version(4, "1", STATE, 3, "a", DocumentOrigin.RESTORE), version(5, "1", STATE, 4, "d"),
    ]  # fmt: skip

    assert stale(versions, [(2, 1), (5, 4)]) == ([], [])


def test_what_is_made_through_the_state_of_the_story_is_indirectly_stale_until_it_has_taken_the_news_in() -> None:
    versions = [
        version(1, "1.1", SUMMARY, 1, "s"), version(2, "1", STATE, 1, "a"), version(3, "1.2", PROSE, 1, "p"),
        version(4, "1.1", SUMMARY, 2, "t", AUTHOR), version(5, "1", STATE, 2, "b"), version(6, "1.3", PROSE, 1, "q"),
    ]  # fmt: skip
    taken_in = [(2, 1), (3, 2), (5, 2), (5, 4), (6, 5)]

    assert stale(versions, taken_in) == ([], [3])
    assert stale(versions, [pair for pair in taken_in if pair != (5, 4)]) == ([], [5, 3, 6])


def test_a_plan_that_a_note_has_changed_is_not_made_again_for_what_it_saw_of_the_story() -> None:
    plan = DocumentKind.BOOK_DESIGN
    versions = [
        version(1, "1", plan, 1, "a"), version(2, "1.1", SUMMARY, 1, "s"),
        version(3, "1", plan, 2, "b", DocumentOrigin.NOTE), version(4, "1.1", SUMMARY, 2, "t"),
    ]  # fmt: skip

    assert stale(versions, [(2, 1), (3, 1), (3, 2)]) == ([], [])


def test_an_earlier_version_of_itself_is_no_other_text() -> None:
    versions = [version(1, "1.1", PROSE, 1, "a"), version(2, "1.1", PROSE, 2, "b", DocumentOrigin.NOTE)]

    assert stale(versions, [(2, 1)]) == ([], [])


def test_a_text_that_was_put_right_and_then_left_as_it_was_makes_nothing_stale() -> None:
    repair, refresh = DocumentOrigin.REPAIR, DocumentOrigin.REFRESH
    versions = [
        version(1, "1.1", PROSE, 1, "a"), version(2, "1.1", SUMMARY, 1, "s"), version(3, "1.1", PROSE, 2, "b", repair),
        version(4, "1.1", PROSE, 3, "b", refresh),
    ]  # fmt: skip
    changed = [*versions[:3], version(4, "1.1", PROSE, 3, "c", refresh), version(5, "1.1", PROSE, 4, "b", repair)]

    assert stale(versions, [(2, 1)]) == ([], [])
    assert stale(changed, [(2, 1)]) == ([2], [])


def test_the_way_leads_to_a_document_with_a_cause_of_its_own() -> None:
    versions = [
        version(1, "1.1", DocumentKind.DESIGN, 1, "d"), version(2, "1.2", PROSE, 1, "p"),
        version(3, "1.2", SUMMARY, 1, "s"), version(4, "1.3", PROSE, 1, "q"),
        version(5, "1.1", DocumentKind.DESIGN, 2, "e", AUTHOR),
    ]  # fmt: skip

    found = {one.document.id: one for one in DependencyGraph(versions, [(2, 1), (3, 2), (4, 3)]).stale()}

    assert [(cause.old.id, cause.new.id) for cause in found[2].causes] == [(1, 5)]
    assert [step.id for step in found[4].through] == [3, 2]
