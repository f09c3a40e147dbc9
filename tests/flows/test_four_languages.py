"""The same brief in four languages: nothing that is kept, shown or exported is in a wrong one."""

import zipfile
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.exports.files import export
from bookwright.flows.hold import Surroundings
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.run_book import run_book
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.language import Language, is_in
from bookwright.models.settings import load_settings
from bookwright.storage.stores import BookStorage

PREMISES = {
    Language.EN: "A keeper owes the island's owner an old debt.",
    Language.ZH: "守灯人欠着岛主一笔旧账。",
    Language.JA: "灯台守は島の主に古い借りがある。",
    Language.KO: "등대지기는 섬 주인에게 묵은 빚이 있다.",
}


@pytest.mark.parametrize("language", Language)
def test_whatever_a_book_keeps_and_exports_is_in_its_language(language: Language, tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, model="rehearsal:exact", embedding="hashing", free_megabytes=0)
    database = open_library(settings)
    brief = make_brief({"premise": PREMISES[language], "length": 6_000, "language": language, "profile": "standard"})
    models = ModelService(settings)
    book = run_book(find_or_create(database, brief).id, Surroundings(settings, database, models))
    models.close()
    storage = BookStorage(database, book.id, language)

    with storage.read() as stores:
        documents = stores.documents.after(0, DocumentKind, 1_000)
        nodes = [stores.nodes.get(document.node) for document in documents]
    foreign = [document.text[:60] for document in documents if document.text and not is_in(language, document.text)]
    titles = " ".join(f"{node.title} {node.goal}" for node in nodes)
    pages = [export(storage, name, tmp_path / f"book.{name}") for name in ("txt", "epub")]
    chapters = [
        archive.read(name).decode()
        for archive in [zipfile.ZipFile(pages[1])]
        for name in archive.namelist()
        if name.endswith(".xhtml")
    ]

    assert book.state is BookState.FINISHED
    assert foreign == []
    assert is_in(language, titles)
    assert is_in(language, pages[0].read_text(encoding="utf-8"))
    assert all(f'lang="{language.value}"' in chapter for chapter in chapters)
    database.dispose()
