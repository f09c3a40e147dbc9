"""A small book with everything in it that a command can show."""

import tempfile
from functools import cache
from pathlib import Path

from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Failure, Reply, StepKey, Usage
from bookwright.models.story.candidates import (
    Angle,
    CandidateChoice,
    CandidateDraft,
    Decided,
    DraftComparison,
    Opinion,
)
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores
from tests.support.books import lay, make_book, make_settings

CHAPTERS = [
    {"level": "chapter", "title": "The Lamp", "text": "Rain fell. The [red] lamp went out."},
    {"level": "chapter", "title": "The Log", "text": "She read her own hand."},
    {"level": "chapter", "title": "The Ship"},
]


def a_book(settings: Settings, **brief: object) -> BookStorage:
    """Make a resting book: two chapters of three written, one design task, three recorded attempts."""
    if brief or settings.database_url or settings.database_path.exists():
        return _made(settings, **brief)
    file, language = _usual_book()
    lay(settings, file)
    return BookStorage(open_database(settings), "lamp", language)


@cache
def _usual_book() -> tuple[bytes, Language]:
    """The file of a library with that book alone, made once by each process, and the book's language."""
    with tempfile.TemporaryDirectory() as home:
        settings = make_settings(Path(home))
        storage = _made(settings)
        storage.database.dispose()
        return settings.database_path.read_bytes(), storage.language


def _made(settings: Settings, **brief: object) -> BookStorage:
    storage = make_book(settings, CHAPTERS, title="Night Watch", pen_name="A. Hand", **brief)
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "the test", 60)
        task = _add_design(stores)
        first = stores.nodes.by_label("1.1")
    journal = Journal(storage, lease)
    journal.record(attempt(task, "planner", "no JSON", failure=Failure.UNPARSABLE), intent="1.4 planner")
    journal.record(attempt(task, "planner", "{}", number=2), intent="1.1 plan")
    journal.record(attempt(first, "draft", "Rain fell.", Activity.WRITE), intent="1.3 plan")
    with storage.write() as stores:
        lease.release(stores.connection)
    return storage


def add_choice(storage: BookStorage) -> None:
    """Keep two drafts of the second chapter, of which readers preferred the second in both orders."""
    drafts = tuple(
        CandidateDraft(number=number, angle=angle, step=f"draft.{number}", length=5, text=f"Draft {number}.")
        for number, angle in enumerate((Angle.PLAIN, Angle.ATTACK), 1)
    )
    opinions = tuple(Opinion(shown_first=first, better=2, reason="It begins where it hurts.") for first in (1, 2))
    comparison = DraftComparison(first=1, second=2, opinions=opinions)
    choice = CandidateChoice(
        revision=1, candidates=drafts, comparisons=(comparison,), preferred=2, chosen=2, by=Decided.JUDGE
    )
    with storage.write() as stores:
        chapter = stores.nodes.by_label("1.2")
        stores.documents.add(
            NewDocument(node=chapter.key, kind=DocumentKind.CANDIDATES, text=choice.as_text,
                        data=choice.model_dump_json()), None,
        )  # fmt: skip


def attempt(
    node: TaskNode, step: str, text: str, activity: Activity = Activity.EXECUTE, *, number: int = 1,
    failure: Failure | None = None,
) -> Attempt:  # fmt: skip
    """One answered call of 1 200 tokens of prompt and 300 of output for 4 500 millionths of a dollar."""
    key = StepKey(book=node.book, node=node.key, revision=1, activity=activity, round=1, step=step)
    usage = Usage(input_tokens=1_200, output_tokens=300)
    reply = Reply(text=text, model="openai:gpt-x", usage=usage, cost=4_500, duration_millis=1_500)
    return Attempt(
        key, number, "writer", f"story/{step}", ("The frame.", f"Ask for {step}."), reply, failure,
        "is no JSON" if failure else "",
    )  # fmt: skip


def tell_of_odo(storage: BookStorage) -> None:
    """Let the second chapter's text be all that has told the codex of somebody."""
    with storage.write() as stores:
        told = stores.documents.current(stores.nodes.by_label("1.2").key, DocumentKind.PROSE)
        assert told is not None
        odo = CodexEntry(id="odo", kind=EntryKind.CHARACTER, name="Odo")
        stores.codex.add(odo, Origin.PROSE, document=told.id)


def _add_design(stores: Stores) -> TaskNode:
    root = stores.nodes.root()
    item = PlanNode(task_type=TaskType.DESIGN, title="Motive", goal="Say why she stays.")
    [task] = stores.nodes.add(root, [item], unit=root.key, level=Level.BOOK.value, planning_round=1)
    for text in ("She is afraid.", "She waits for her brother."):
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=text), None)
    stores.nodes.change(task.key, status=NodeStatus.DONE.value)
    return task
