"""What a finished book still owes its readers is told at the end of `write`, and in the report."""

from pathlib import Path

import pytest

from bookwright.cli.writing.result import Result, show_result
from bookwright.exports.report.book_report import report_of
from bookwright.models.codex.extraction import ConsistencyReport, FoundCheck
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.leak import Leak, LeakReport, LeakRound
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.plan import TaskType
from tests.support.books import finish, make_book, make_settings

LEAK = Leak(
    found_by="code", kind="forbidden_keyword", severity="critical", excerpt="the forger", detail="it stands here"
)
CLASH = FoundCheck(check="world", text="The bell was new.", record="The bell is cracked.", result="error")


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
        book = stores.books.get(storage.book)

    show_result(Result.of(book, storage, settings, [], was_finished=True), as_json=False)
    (chapter,) = report_of(storage, settings).chapters

    assert "1 thread is still open: The bell;" in capsys.readouterr().out
    contradiction, refused, passed = chapter.notes
    assert "“The bell was new.” stands beside “The bell is cracked.”" in contradiction
    assert refused == "1.1: too early"
    assert "was let pass (brief)" in passed
    storage.database.dispose()
