"""A branch in a real browser: forked at a chapter, written on, compared, a chapter taken over, and taken back."""

import re

import pytest

from bookwright.app.access import open_book
from bookwright.app.branches.forks import fork
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.studio.browsing import SharedStudio, Visit, playwright
from tests.studio.test_browser_guarded import barriers
from tests.support.browser import needs_browser

pytestmark = [needs_browser, pytest.mark.slow]


def text(book: BookStorage, label: str) -> str:
    """The text of a unit."""
    with book.read() as stores:
        found = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
        assert found is not None
        return found.text


def rewrite(book: BookStorage, label: str, words: str) -> None:
    """Give a unit other words."""
    with book.write() as stores:
        node = stores.nodes.by_label(label)
        new = NewDocument(node=node.key, kind=DocumentKind.PROSE, text=words, origin=DocumentOrigin.AUTHOR)
        stores.documents.add(new, None)


def test_a_branch_is_begun_written_on_compared_taken_over_and_taken_back(visit: Visit, shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="fork", length=900, profile="economy")
    before = text(book, "1.2")
    page, expect = visit.tab("/books/fork/read/1.2"), playwright.expect
    # By a key: a page that is still being laid out may move it from under a click.
    page.get_by_text("What if … from here").press("Enter")
    page.get_by_label("Its name").fill("she stays")
    page.get_by_role("button", name="Begin the branch").click()
    page.wait_for_url(re.compile(r"/books/she-stays-\w+$"))
    expect(page.locator(".head .of-branch")).to_have_text("she stays")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("This book is written to its end.")).to_be_visible(timeout=120_000)

    page.get_by_role("link", name="Branches", exact=True).click()
    expect(page.locator("#branch-list > li")).to_have_count(2)
    expect(page.locator("svg.branches a.here .own")).to_have_count(1)
    page.locator("#branch-fork").get_by_role("link", name="Compare with this book").click()
    page.get_by_role("link", name="The other way round").click()
    page.wait_for_url("**/books/fork/compare/she-stays-*")
    expect(page.locator("#figures")).to_be_visible()
    page.locator("#units").get_by_role("link", name="The Log").click()
    expect(page.locator(".two ins").first).to_be_visible()
    page.get_by_role("button", name="only the text").click()
    expect(page.locator("#notices")).to_contain_text("Taken over.")
    expect(page.get_by_text("Both read the same.")).to_be_visible()
    assert text(book, "1.2") != before
    page.locator("#notices").get_by_role("button", name="Undo").click()
    expect(page.locator("#notices")).to_contain_text("It is taken back")
    expect(page.locator(".two ins").first).to_be_visible()
    assert text(book, "1.2") == before

    page.get_by_role("link", name="All that differs").click()
    counted = page.locator("#figures tr", has_text="The Log")
    expect(counted).to_be_visible()
    page.get_by_role("button", name="Take over: The Log").click()
    expect(page.locator("#notices")).to_contain_text("Taken over.")
    expect(counted).to_have_count(0)


def test_a_conflict_is_settled_with_keys_alone(visit: Visit, shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="settle")
    with open_book("settle", lambda line: None, shared.settings) as opened:
        made = fork(opened, None, "she goes").book
    rewrite(book, "1.1", "Snow fell.")
    rewrite(BookStorage(book.database, made, book.language), "1.1", "Hail fell.")
    page, expect = visit.tab(f"/books/settle/compare/{made}"), playwright.expect

    page.get_by_role("button", name="Take over: The Lamp").press("Enter")
    page.wait_for_url("**/merge/**")
    page.get_by_role("radio", name="she goes").press("Space")
    page.get_by_role("button", name="Take it over").press("Enter")

    expect(page.locator("#merge")).to_contain_text("Taken over.")
    assert text(book, "1.1") == "Hail fell."


def test_nothing_keeps_people_out_of_the_pages_of_branches(shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="open")
    with open_book("open", lambda line: None, shared.settings) as opened:
        made = fork(opened, None, "she hides").book
    other = BookStorage(book.database, made, book.language)
    rewrite(book, "1.1", "Snow fell.")
    rewrite(other, "1.1", "Hail fell.")
    rewrite(other, "1.2", "She hid the log.")
    pages = ("branches", f"compare/{made}", f"compare/{made}/1.2", f"merge/{made}", "read/1.2", "page/1.2")

    with shared.visiting() as visit:
        found = barriers(visit, [f"/books/open/{path}" for path in pages])
        assert visit.complaints == []

    assert found == {}
