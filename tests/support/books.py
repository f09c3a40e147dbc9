"""Books made row by row through the repositories, for tests that need one but no walk."""

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from bookwright.models.book import BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import Settings, load_settings
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, make_home, open_database
from bookwright.storage.stores import BookStorage, Stores

Tree = dict[str, Any]
"""`{"level": ..., "title": ..., "parts": [...]}` or, for a leaf, `"text"` instead of `"parts"`."""


_read: dict[str, Settings] = {}
"""Settings by what they were read from."""


def make_settings(home: Path, **values: Any) -> Settings:
    """Settings for a data folder of a test's own; what is said alike is read once, unless a file may say more."""
    options = {"embedding": "hashing", "model": "rehearsal:exact", **values}
    if any(file.exists() for file in (Path(".env"), home / ".env", home / "config.toml")):
        return load_settings(home=home, **options)
    said = [item for item in sorted(os.environ.items()) if item[0].upper().startswith(("BOOKWRIGHT_", "TAVILY_"))]
    key = repr(([item for item in said if item[0] != "BOOKWRIGHT_HOME"], options))
    if key not in _read:
        _read[key] = load_settings(home=home, **options)
    return _read[key].model_copy(update={"home": home})


def lay(settings: Settings, file: bytes) -> None:
    """Begin a data folder with the file of a library."""
    make_home(settings)
    settings.database_path.touch(0o600)
    settings.database_path.write_bytes(file)


def new_library(settings: Settings) -> Database:
    """Open a library as `open_library` does; a new one begins with a copy of tables that were made once."""
    if not settings.database_url and not settings.database_path.exists():
        lay(settings, _tables())
    database = open_database(settings)
    migrate.upgrade(database)
    return database


@cache
def _tables() -> bytes:
    """The file of a library without a book, made once by each process."""
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(home=Path(home))
        database = open_database(settings)
        migrate.upgrade(database)
        database.dispose()
        return settings.database_path.read_bytes()


def make_brief_of(**values: Any) -> Brief:
    """A brief with everything but what the test is about filled in."""
    brief: Brief = make_brief({"premise": "A keeper of a lighthouse counts ships.", "length": 9_000, **values})
    return brief


def make_book(settings: Settings, parts: list[Tree] | str, *, identity: str = "lamp", **brief: Any) -> BookStorage:
    """Store a book whose root has these parts, or is this one text; everything written is closed."""
    database = new_library(settings)
    checked = make_brief_of(**brief)
    storage = BookStorage(database, identity, checked.language)
    with storage.write() as stores:
        stores.books.create(identity, checked)
        root = stores.nodes.add_root(checked.title, checked.premise, checked.length)
        if isinstance(parts, str):
            _write(stores, root, parts)
        else:
            _add_parts(stores, root, parts)
    return storage


def finish(storage: BookStorage, blurb: str = "") -> None:
    """Mark a book finished, with a blurb if there is one."""
    with storage.write() as stores:
        root = stores.nodes.root()
        stores.nodes.change(root.key, status=NodeStatus.DONE.value)
        stores.books.set_state(storage.book, BookState.FINISHED)
        if blurb:
            stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.BLURB, text=blurb), None)


def _add_parts(stores: Stores, parent: TaskNode, parts: list[Tree]) -> None:
    items = [PlanNode(task_type=TaskType.WRITE, title=part["title"], goal=part["title"] or "go on") for part in parts]
    nodes = stores.nodes.add(
        parent, items, level=lambda i: Level(parts[i]["level"]).value, length=1_000, unit_index=lambda i: i + 1
    )
    for node, part in zip(nodes, parts, strict=True):
        if "parts" in part:
            _add_parts(stores, node, part["parts"])
        elif part.get("text"):
            _write(stores, node, part["text"])


def _write(stores: Stores, unit: TaskNode, text: str) -> None:
    document = stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)
    stores.nodes.change(unit.key, status=NodeStatus.DONE.value)
    stores.nodes.add_written(unit, document.length)
