"""The branches of the book that the pictures are taken of, and which pages show them."""

from bookwright.app.access import OpenBook
from bookwright.app.branches.forks import fork
from bookwright.app.branches.merging import MergeOrder, merge
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.settings import Settings
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage, Stores

STAYS = "she-tells-the-priest-f15bbe"
BRANCH_PAGES = {
    "branches": "/branches", "compare": f"/compare/{STAYS}", "beside": f"/compare/{STAYS}/1.4",
    "settle": f"/merge/{STAYS}?take=1.4",
}  # fmt: skip
_OTHER = (
    ("the radiator", "the organ"), ("Dermot", "Father Keane"), ("sit down", "kneel down"), ("She ", "He "),
    ("nobody", "not a soul"),
)  # fmt: skip


def branch_off(book: BookStorage, settings: Settings) -> None:
    """Fork the book at a chapter, the branch once more, and the whole of it; give each words of its own."""
    priest = _forked(book, settings, "1.3", "She tells the priest")
    with book.read() as stores:
        texts = {label: _prose(stores, label) for label in ("1.3", "1.4", "1.5")}
    _write(priest, {label: _changed(text) for label, text in texts.items()})
    ormerod = _forked(priest, settings, "1.5", "Mr Ormerod knew")
    _write(ormerod, {"1.5": _changed(texts["1.4"])})
    louder = _forked(book, settings, None, "Told louder")
    first = _revised(louder, "1.1", "I am superb.", "I was SUPERB.")
    merge(_opened(book, settings), MergeOrder(louder.book, take=first))
    _revised(book, "1.4", "there's nobody the poorer", "there's no one a penny the poorer")
    _revised(book, "1.4", "And the radiator started.", "And the radiator began, as if it had been asked.")


def _forked(origin: BookStorage, settings: Settings, at: str | None, name: str) -> BookStorage:
    made = fork(_opened(origin, settings), at, name)
    return BookStorage(origin.database, made.book, origin.language)


def _opened(storage: BookStorage, settings: Settings) -> OpenBook:
    with storage.read() as stores:
        return OpenBook(settings, storage, stores.books.get(storage.book))


def _prose(stores: Stores, label: str) -> str:
    found = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
    assert found is not None
    return found.text


def _changed(text: str) -> str:
    """Other words for every third paragraph."""
    paragraphs = text.split("\n\n")
    for place in range(1, len(paragraphs), 3):
        for before, after in _OTHER:
            paragraphs[place] = paragraphs[place].replace(before, after)
        paragraphs[place] += " I told him so to his face."
    return "\n\n".join(paragraphs)


def _write(branch: BookStorage, texts: dict[str, str]) -> None:
    with branch.write() as stores:
        for label, text in texts.items():
            unit = stores.nodes.by_label(label)
            made = stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.change(unit.key, status=NodeStatus.DONE.value)
            stores.nodes.add_written(unit, made.length)


def _revised(book: BookStorage, label: str, before: str, after: str) -> str:
    with book.write() as stores:
        unit, text = stores.nodes.by_label(label), _prose(stores, label)
        own = text.replace(before, after, 2) if before in text else f"{text}\n\n{after}"
        old = stores.documents.current(unit.key, DocumentKind.PROSE)
        assert old is not None
        document = NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=own, origin=DocumentOrigin.AUTHOR)
        stores.nodes.add_written(unit, stores.documents.add(document, None).length - old.length)
    return label
