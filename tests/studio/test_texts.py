"""The pages in two languages."""

import re
from pathlib import Path

from starlette.testclient import TestClient

import bookwright.studio
from bookwright.app.status.desk import WORDS
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.model_name import ROLES
from bookwright.models.step import Activity
from bookwright.storage.stores import BookStorage
from bookwright.studio.pages import done_words, kind_words
from bookwright.studio.texts import table

STUDIO = Path(bookwright.studio.__file__).parent
SAID = re.compile(r'(?:say|speaker\(request\))\(\s*"((?:[^"\\]|\\.)*)"\s*[,)]')


def test_the_pages_speak_chinese(page: TestClient, book: BookStorage) -> None:
    page.cookies.set("studio_language", "zh")

    shown = page.get("/").text

    assert '<html lang="zh">' in shown
    assert "书架" in shown


def test_a_browser_that_asks_for_chinese_gets_it(page: TestClient) -> None:
    shown = page.get("/", headers={"accept-language": "fr;q=1, zh-TW;q=0.9, en;q=0.8"}).text

    assert '<html lang="zh">' in shown


def test_every_text_has_its_chinese() -> None:
    files = [*(STUDIO / "templates").glob("*.j2"), *STUDIO.rglob("*.py")]
    said = {text for file in files for text in SAID.findall(file.read_text("utf-8"))}

    assert len(said) > 200
    assert sorted(said - table("zh").keys()) == []


def test_every_word_of_the_domain_has_its_chinese() -> None:
    words = {
        *WORDS.values(), *map(done_words, Activity), *map(kind_words, DocumentKind), *ROLES,
        *(state.value for state in BookState),
    }  # fmt: skip

    assert sorted(words - table("zh").keys()) == []


def test_placeholders_are_the_same_in_both_languages() -> None:
    fields = re.compile(r"\{(\w+)\}")

    assert [key for key, told in table("zh").items() if set(fields.findall(key)) != set(fields.findall(told))] == []
