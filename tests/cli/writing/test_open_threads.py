"""What a finished book still owes its readers is told at the end of `write`, and in the report."""

from pathlib import Path

import pytest

from bookwright.app.access import OpenBook
from bookwright.cli.writing.result import Result, show_result
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.judgements import SCORE_NAMES, review_lines
from bookwright.exports.report.layout import laid_out
from bookwright.models.codex.extraction import ConsistencyReport, FoundCheck
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.leak import Leak, LeakReport, LeakRound
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.story.quality import QualityIssue, QualityReport, Recommendation, Scores
from bookwright.models.tree.plan import TaskType
from tests.support.books import finish, make_book, make_settings

LEAK = Leak(
    found_by="code", kind="forbidden_keyword", severity="critical", excerpt="the forger", detail="it stands here"
)
CLASH = FoundCheck(check="world", text="The bell was new.", record="The bell is cracked.", result="error")


SCORES = dict.fromkeys(
    ("coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance"), 0.6
)
JUDGED = QualityReport(
    unit="1.1", scores=Scores(**SCORES | {"pacing": 0.31, "overall": 0.72}), assessment="It holds.",
    issues=(QualityIssue(category="pacing", severity="warning", description="It sags.", suggestion="Cut the quay."),),
    recommendations=(
        Recommendation(priority="low", action="Name the boat."),
        Recommendation(priority="high", action="Cut the quay."),
    ),
)  # fmt: skip


def test_scores_proposals_and_alerts_are_told_at_the_end_and_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = make_settings(tmp_path)
    storage = make_book(settings, [{"level": "chapter", "title": "One", "text": "The bell was new."}], title="The Lamp")
    finish(storage)
    checks = {"characters": "passed", "world": "error", "timeline": "warning", "foreshadowing": "passed"}
    with storage.write() as stores:
        for title, status in (("The bell", ThreadStatus.REINFORCED), ("The coat", ThreadStatus.REGISTERED)):
            seed = {"planned_at": 1}
            stores.codex.add(Foreshadowing(id=title[4:], title=title, status=status, seed=seed), Origin.AUTHOR)
        (unit,) = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        found = ConsistencyReport(unit="1.1", results=checks)
        for kind, data in ((DocumentKind.QUALITY, JUDGED), (DocumentKind.CONSISTENCY, found)):
            stores.documents.add(NewDocument(node=unit.key, kind=kind, text="x", data=data.model_dump_json()), None)
        opened = OpenBook(settings, storage, stores.books.get(storage.book))

    result = Result.of(opened, [], was_finished=True)
    show_result(result)
    report = report_of(storage, settings)
    shown, pages = capsys.readouterr().out, (laid_out(report, "md"), laid_out(report, "html"))

    assert "scores: overall 0.72 (good); coherence 0.60, pacing 0.31, prose 0.60, characters 0.60" in shown
    assert "checks against the codex: 2 passed, 1 warning, 1 error" in shown
    assert shown.index("to do, chapter 1, high: Cut the quay.") < shown.index("to do, chapter 1, low: Name the boat.")
    assert "alert: 'The coat' was to be planted by now and is not" in shown
    assert shown.count("The bell") == 2, "once as open, once in the register"
    assert result.alerts[0] == "'The bell' is open at the end of the book"
    for page in pages:
        assert all(name in page for name in SCORE_NAMES.values())
        assert all(words in page for words in ("0.31", "It holds.", "Name the boat.", "→ Cut the quay.", "2 passed"))
        assert "was to be planted by now" in page
    storage.database.dispose()


def test_what_a_repair_followed_is_no_longer_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = make_settings(tmp_path)
    chapters = [{"level": "chapter", "title": name, "text": "The bell was new."} for name in ("One", "Two")]
    storage = make_book(settings, chapters, title="The Lamp")
    finish(storage)
    with storage.write() as stores:
        repaired, untouched = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        for unit in (repaired, untouched):
            judgement = NewDocument(node=unit.key, kind=DocumentKind.QUALITY, text="x", data=JUDGED.model_dump_json())
            stores.documents.add(judgement, None)
        text = NewDocument(
            node=repaired.key, kind=DocumentKind.PROSE, text="The bell was cracked.", origin=DocumentOrigin.REPAIR
        )
        stores.documents.add(text, None)
        opened = OpenBook(settings, storage, stores.books.get(storage.book))
        lines = [review_lines(stores, unit) for unit in (repaired, untouched)]

    show_result(Result.of(opened, [], was_finished=True))

    shown = capsys.readouterr().out
    assert "scores of 2 chapters (1 put right since): overall 0.72 (good);" in shown
    assert "to do, chapter 2, high: Cut the quay." in shown
    assert "to do, chapter 1" not in shown
    assert [each.count("put right after this judgement") for each in lines] == [1, 0]
    storage.database.dispose()


def test_a_repair_of_a_part_of_a_part_is_one_of_its_chapter(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    scene = {"level": "scene", "title": "Quay", "parts": [{"level": "beat", "title": "Bell", "text": "It rang."}]}
    storage = make_book(settings, [{"level": "chapter", "title": "One", "parts": [scene]}], title="The Lamp")
    finish(storage)
    with storage.write() as stores:
        (chapter,) = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        judgement = NewDocument(node=chapter.key, kind=DocumentKind.QUALITY, text="x", data=JUDGED.model_dump_json())
        stores.documents.add(judgement, None)
        before = review_lines(stores, chapter)
        ((beat, _),) = stores.prose_below(chapter)
        text = NewDocument(node=beat.key, kind=DocumentKind.PROSE, text="It fell.", origin=DocumentOrigin.REPAIR)
        stores.documents.add(text, None)

        after = review_lines(stores, chapter)

    assert after == ["put right after this judgement", *before]
    storage.database.dispose()


def test_checks_of_which_none_came_to_a_result_are_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = make_settings(tmp_path)
    storage = make_book(settings, [{"level": "chapter", "title": "One", "text": "The bell was new."}], title="The Lamp")
    finish(storage)
    found = ConsistencyReport(unit="1.1", results={"characters": "not_evaluated", "world": "not_evaluated"})
    with storage.write() as stores:
        (unit,) = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        new = NewDocument(node=unit.key, kind=DocumentKind.CONSISTENCY, text="x", data=found.model_dump_json())
        stores.documents.add(new, None)
        opened = OpenBook(settings, storage, stores.books.get(storage.book))
        lines = review_lines(stores, unit)

    show_result(Result.of(opened, [], was_finished=True))

    assert "against the codex" not in capsys.readouterr().out
    assert lines == []
    assert report_of(storage, settings).chapters[0].checks == {}
    storage.database.dispose()


def test_open_threads_and_what_was_let_pass_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = make_settings(tmp_path)
    parts = [{"level": "chapter", "title": "One", "text": "The bell was new. It rang for the forger."}]
    storage = make_book(settings, parts, title="The Lamp")
    finish(storage)
    with storage.write() as stores:
        for title, status in (("The bell", ThreadStatus.REINFORCED), ("The coat", ThreadStatus.REVEALED)):
            stores.codex.add(Foreshadowing(id=title[4:], title=title, status=status), Origin.AUTHOR)
        (unit,) = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        leaks = LeakReport(unit="1.1", rounds=(LeakRound(result="rejected", leaks=(LEAK,)),), decided_by="brief")
        found = ConsistencyReport(unit="1.1", details=(CLASH,), refused=("1.1: too early",))
        for kind, report in ((DocumentKind.LEAK_REVIEW, leaks), (DocumentKind.CONSISTENCY, found)):
            new = NewDocument(node=unit.key, kind=kind, text=report.as_text, data=report.model_dump_json())
            stores.documents.add(new, None)
        opened = OpenBook(settings, storage, stores.books.get(storage.book))

    show_result(Result.of(opened, [], was_finished=True))
    (chapter,) = report_of(storage, settings).chapters

    assert "1 thread is still open: The bell;" in capsys.readouterr().out
    contradiction, refused, passed = chapter.notes
    assert "“The bell was new.” stands beside “The bell is cracked.”" in contradiction
    assert refused == "1.1: too early"
    assert "was let pass (brief)" in passed
    storage.database.dispose()
