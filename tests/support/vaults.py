"""A small book with a folder, and a sync as the command line does it."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from bookwright.app.access import at_rest
from bookwright.flows.vault.rendering import Vault
from bookwright.flows.vault.sync import Plan, Sync, finish
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret, Section
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings, new_library

LAMP = "Rain fell on the pier. The lamp went out.\n\nShe counted the ships again.\n\nNobody came."
CHAPTERS = [
    {"level": "chapter", "title": "The Lamp", "text": LAMP},
    {"level": "chapter", "title": "The Log", "parts": [
        {"level": "scene", "title": "Hand", "text": "She read her own hand."},
        {"level": "scene", "title": "Date", "text": "It was dated tomorrow."},
    ]},
]  # fmt: skip


def a_vault(home: Path, chapters: list[dict] | str = CHAPTERS, **brief: object) -> Vault:
    """The rendered folder of a book with chapters, a design, a character and a secret."""
    settings = make_settings(home)
    storage = make_book(settings, chapters, **{"title": "Night Watch"} | brief)
    with storage.write() as stores:
        root = stores.nodes.root()
        item = PlanNode(task_type=TaskType.DESIGN, title="Motive", goal="Say why she stays.")
        [task] = stores.nodes.add(root, [item], unit=root.key, level=Level.BOOK.value, planning_round=1)
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text="She is afraid."), None)
        stores.nodes.change(task.key, status=NodeStatus.DONE.value)
        sections = (Section(name="past", text="At sea."),)
        stores.codex.add(CodexEntry(id="mira", kind=EntryKind.CHARACTER, name="Mira", sections=sections), Origin.AUTHOR)
        stores.codex.add(Secret(id="the-log", content="She wrote the log herself."), Origin.AUTHOR)
    vault = opened(storage, home)
    vault.render()
    return vault


def a_copied_vault(home: Path) -> Vault:
    """The folder of such a book as another process opens it: made once, and copied for each test that changes it."""
    identity, language, made = _made()
    shutil.copytree(made, home, dirs_exist_ok=True)
    return opened(BookStorage(new_library(make_settings(home)), identity, language), home)


@cache
def _made() -> tuple[str, Language, Path]:
    """The book that is copied, and the data folder that it is in, which stays until all tests have ended."""
    home = Path(tempfile.mkdtemp())
    storage = a_vault(home).storage
    storage.database.dispose()
    return storage.book, storage.language, home


def opened(storage: BookStorage, home: Path) -> Vault:
    """The folder of a stored book, as another process would open it."""
    with storage.read() as stores:
        return Vault(storage, stores.books.get(storage.book), make_settings(home))


def sync(vault: Vault, home: Path) -> Plan:
    """Take in what was changed by hand, and render."""
    vault = opened(vault.storage, home)
    with at_rest(vault.storage) as stores:
        work = Sync(vault, stores)
        plan = work.look()
        work.apply()
    finish(vault, plan)
    return plan


def outcomes(plan: Plan) -> dict[str, str]:
    """What became of each file."""
    return {finding.path: finding.outcome.value for finding in plan.findings}


def contents(vault: Vault) -> dict[str, bytes]:
    """Every file of the folder by its path."""
    return {path: (vault.folder.root / path).read_bytes() for path in vault.folder.files()}


def revise(vault: Vault, label: str, text: str, kind: DocumentKind = DocumentKind.PROSE) -> None:
    """Give a document other words in the book."""
    with vault.storage.write() as stores:
        node = stores.nodes.by_label(label)
        stores.documents.add(NewDocument(node=node.key, kind=kind, text=text), None)


def text_of(vault: Vault, label: str, kind: DocumentKind = DocumentKind.PROSE) -> str:
    """What a document says in the book."""
    with vault.storage.read() as stores:
        document = stores.documents.current(stores.nodes.by_label(label).key, kind)
        assert document is not None
        return document.text


def change(vault: Vault, path: str, old: str, new: str) -> None:
    """Change words of a file, as a person does."""
    file = vault.folder.root / path
    before = file.read_text("utf-8")
    assert old in before
    file.write_text(before.replace(old, new), "utf-8")
