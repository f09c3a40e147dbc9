"""The studio in a real browser: a newcomer's way, decisions, conflicts, talks, files, undoing, branches."""

import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from bookwright.app.access import open_book
from bookwright.app.branches.forks import fork
from bookwright.models.document import DocumentKind
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.studio.browsing import SharedStudio, Visit, environment_of, playwright
from tests.studio.units import rewrite, text
from tests.support.browser import needs_browser
from tests.support.forks import reached
from tests.support.vaults import a_vault, change, text_of

pytestmark = [needs_browser, pytest.mark.slow]


def test_a_newcomer_gets_from_an_empty_shelf_to_a_changed_book(visit: Visit) -> None:
    """It comes first: the shelf that the tests share is empty for it alone."""
    page, expect = visit.tab(), playwright.expect
    page.get_by_role("link", name="Begin a book").click()
    page.get_by_label("What happens?").fill("A keeper of a lighthouse counts one ship too many.")
    page.get_by_label("Length").fill("2000")
    page.get_by_text("Standard", exact=True).click()
    page.get_by_role("button", name="What will it take?").click()
    expect(page.get_by_role("heading", name="The bill")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Begin the book").click()
    page.wait_for_url("**/books/*", timeout=60_000)
    expect(page.get_by_text("This book is written to its end.")).to_be_visible(timeout=120_000)  # nobody reloads

    page.get_by_role("link", name="Read", exact=True).first.click()
    page.locator(".contents a").first.click()
    page.locator("[data-edit]").first.wait_for()
    page.wait_for_load_state()
    page.keyboard.press("e")
    editor = page.locator("#sheet .cm-content")
    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Snow fell on the mole. ")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("Saved", timeout=60_000)

    page.get_by_role("link", name="Stale", exact=True).click()
    page.wait_for_url("**/stale")
    page.get_by_role("button", name="Make it anew").click()
    settled = re.compile(r"Directly stale\s*0|Nothing is stale")
    expect(page.locator("#stale")).to_contain_text(settled, timeout=120_000)
    expect(page.locator("#stale .note")).to_have_count(0, timeout=60_000)
    page.get_by_role("link", name="Exports").click()
    page.wait_for_url("**/exports")
    with page.expect_download() as download:
        page.locator("#get-epub").click()
    with ZipFile(BytesIO(Path(download.value.path()).read_bytes())) as epub:
        assert any(b"Snow fell on the mole." in epub.read(name) for name in epub.namelist())


def test_a_gate_is_decided_and_the_book_goes_on(visit: Visit, shared: SharedStudio) -> None:
    _bookwright(shared.home, "write", "--premise", "A keeper counts ships.", "--words", "900", "--profile", "economy",
                "--no-prefect", "--gate", "book_design", code=5)  # fmt: skip
    page, expect = visit.tab(), playwright.expect
    expect(page.locator("#waiting")).to_have_text("1")

    page.get_by_role("link", name="Inbox").click()
    page.wait_for_url("**/inbox")
    page.wait_for_load_state()  # the scripts of the page send the decision
    page.get_by_role("button", name="Have it done again").press("Enter")
    expect(page.locator("#notices")).to_contain_text("needs a note")
    page.get_by_role("button", name="Approve").press("Enter")  # wherever it has moved to
    expect(page.locator("#notices .trouble")).to_have_count(0)  # what was refused before is past
    visit.complaints.clear()  # the browser tells of the refusal
    page.get_by_role("link", name="To the book").click()

    expect(page.get_by_text("This book is written to its end.")).to_be_visible(timeout=120_000)


def test_two_tabs_in_conflict_lose_nothing(visit: Visit, shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="two")
    expect = playwright.expect
    first, second = visit.tab("/books/two/edit/1.1?kind=prose"), visit.tab("/books/two/edit/1.1?kind=prose")
    _type(first, "Snow fell. ")
    first.locator("#save").dblclick()  # in haste: it is one save, and in no conflict with itself
    expect(first.locator("#state")).to_have_text("Saved")

    _type(second, "Hail fell. ")
    second.locator("#save").click()
    expect(second.locator("#conflict-note")).to_be_visible()
    expect(second.locator("#sheet .cm-merge-a")).to_contain_text("Snow fell.")
    expect(second.locator("#sheet .cm-merge-b")).to_contain_text("Hail fell.")
    second.locator("#save").click()
    expect(second.locator("#state")).to_have_text("Saved")
    expect(first.locator("#conflict-note")).to_be_hidden()

    visit.complaints[:] = [said for said in visit.complaints if "409" not in said]  # the browser tells of the conflict
    with book.read() as stores:
        versions = stores.documents.versions(stores.nodes.by_label("1.1").key, DocumentKind.PROSE)
        texts = [stores.documents.text_of(one)[:10] for one in versions]
    assert texts == ["Rain fell.", "Snow fell.", "Hail fell."]


def test_a_draft_outlives_its_tab(visit: Visit, shared: SharedStudio) -> None:
    a_book(shared.settings, identity="draft")
    page = visit.tab("/books/draft/edit/1.1?kind=prose")
    _type(page, "Snow fell. ")
    playwright.expect(page.locator("#state")).to_have_text("Draft kept in this browser")
    page.close()

    again = visit.tab("/books/draft/edit/1.1?kind=prose")

    playwright.expect(again.locator("#sheet .cm-content")).to_contain_text("Snow fell.")
    playwright.expect(again.locator("#draft-note")).to_be_visible()
    asked: list[str] = []
    again.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    again.locator("#drop-draft").click()
    playwright.expect(again.locator("#draft-note")).to_be_hidden()
    playwright.expect(again.locator("#sheet .cm-content")).not_to_contain_text("Snow fell.")
    assert asked == []  # whether it is meant


def test_a_note_is_written_on_selected_words_and_marked(visit: Visit, shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="note")
    page, expect = visit.tab("/books/note/read/1.1"), playwright.expect
    expect(page.locator("#comments")).to_be_visible()

    page.locator("article.prose p").first.dblclick(position={"x": 12, "y": 12})  # the first word
    page.get_by_role("button", name="Write a note on these words").click()
    page.get_by_label("Your note", exact=True).fill("Does it rain too often?")
    page.get_by_role("button", name="Keep it").dblclick()  # it is one note all the same

    expect(page.locator("#comments")).to_contain_text("Does it rain too often?")
    expect(page.locator("#comment")).to_be_hidden()
    page.wait_for_function("() => CSS.highlights.get('notes')?.size === 1")
    with book.read() as stores:
        [kept] = stores.comments.of_nodes([stores.nodes.by_label("1.1").key])
    assert (kept.anchor.quote, kept.anchor.after) == ("Rain", "fell. The [red] lamp went out.")

    page.get_by_role("button", name="Have the model do it").click()
    expect(page.get_by_role("button", name="Have it done")).to_be_visible()
    with book.write() as stores:
        stores.comments.add(stores.nodes.by_label("1.1").key, kept.anchor, "Does it rain too little?")
        stores.books.change("note", title="Rain")  # news of the book renews the notes, and not under a bill
    page.wait_for_timeout(2_000)
    expect(page.get_by_role("button", name="Have it done")).to_be_visible()
    expect(page.locator("#comments")).not_to_contain_text("too little")
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator("#comments")).to_contain_text("Does it rain too little?")  # without any further news

    page = visit.tab("/books/note/edit/1.1?kind=prose")
    page.locator("#sheet .cm-line").first.dblclick(position={"x": 12, "y": 12})
    page.get_by_role("button", name="Write a note on these words").click()
    page.get_by_label("Your note", exact=True).fill("Or does it snow?")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("#comments")).to_contain_text("Or does it snow?")


def test_an_agent_answers_on_the_page_as_its_words_come(visit: Visit, shared: SharedStudio) -> None:
    a_book(shared.settings, identity="chat")
    page, expect = visit.tab("/books/chat/talk"), playwright.expect
    page.get_by_label("Your words").fill("What does she fear?")
    page.get_by_label("at most, in dollars").fill("a lot")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notices")).to_contain_text("an amount of dollars")
    visit.complaints.clear()  # the browser tells of the refusal
    page.get_by_label("at most, in dollars").fill("1")
    page.get_by_role("button", name="Say it").click()  # the words are there still

    expect(page.locator(".said.person")).to_have_text("What does she fear?")
    expect(page.locator(".said.agent")).to_contain_text("This is a rehearsal; no model wrote it.")
    expect(page.locator(".said.agent")).to_contain_text("tokens")
    expect(page.get_by_label("Your words")).to_have_value("")
    page.get_by_label("Your words").fill("how far is it?")
    page.get_by_text("Whoever does it").click()
    page.get_by_role("button", name="Say it").click()
    expect(page.get_by_text("I would do this:")).to_be_visible()


def test_files_of_ones_own_are_brought_along(visit: Visit, tmp_path: Path) -> None:
    outline, sample, manuscript = tmp_path / "lamp.md", tmp_path / "sample.txt", tmp_path / "night-watch.md"
    outline.write_text("# Lamp\n\n## Chapter 1: Rain\n\nIt rains.\n\n## Chapter 2: Snow\n\nIt snows.\n")
    sample.write_text("The rain came slantwise off the sea.")
    manuscript.write_text("# Night Watch\n\n" + "".join(
        f"## Chapter {number}\n\n" + "The keeper counted the ships twice over. " * 40 + "\n\n" for number in (1, 2)
    ))  # fmt: skip
    page, expect = visit.tab("/new"), playwright.expect
    page.get_by_text("More about the book").click()
    page.locator("#outline-file").set_input_files(outline)
    page.locator("#sample-file").set_input_files(sample)
    expect(page.locator("#outline-split li")).to_have_count(2)
    expect(page.locator("#style_sample")).to_have_value("The rain came slantwise off the sea.")

    page.get_by_role("link", name="Bring a manuscript along").click()
    page.wait_for_url("**/import")
    page.locator("#manuscript").set_input_files(manuscript)
    page.get_by_role("button", name="Show how it is split").click()
    expect(page.locator("#split tbody tr")).to_have_count(2)
    page.get_by_label("only take it in").check()
    page.get_by_role("button", name="Make a book of it").click()
    page.wait_for_url("**/books/*")
    expect(page.get_by_text("its text was imported")).to_be_visible()


def test_a_changed_file_of_the_folder_is_taken_in_by_a_click(visit: Visit, shared: SharedStudio) -> None:
    vault = a_vault(shared.home, identity="folder")
    path = next(one for one in vault.folder.files() if "Rain fell" in (vault.folder.root / one).read_text("utf-8"))
    change(vault, path, "Rain fell", "Hail fell")
    page = visit.tab("/books/folder/folder")

    page.get_by_role("button", name="Take it in as new versions").click()

    playwright.expect(page.get_by_text("Nothing was changed by hand.")).to_be_visible()
    assert text_of(vault, "1.1").startswith("Hail fell")


def test_a_save_is_undone_in_the_editor(visit: Visit, shared: SharedStudio) -> None:
    a_book(shared.settings, identity="undo")
    page, expect = visit.tab("/books/undo/edit/1.1?kind=prose"), playwright.expect
    _type(page, "Snow fell. ")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("Saved")

    page.get_by_role("button", name="Undo").click()

    expect(page.locator("#state")).to_have_text("version 3")
    expect(page.locator("#sheet .cm-content")).to_contain_text("Rain fell.")
    expect(page.locator("#sheet .cm-content")).not_to_contain_text("Snow fell.")


def test_keys_turn_chapters(visit: Visit, shared: SharedStudio) -> None:
    a_book(shared.settings, identity="keys")
    page = visit.tab("/books/keys/read/1.1")

    page.keyboard.press("j")
    page.wait_for_url(re.compile(r"/read/1\.2$"))  # once it is loaded
    page.keyboard.press("k")
    page.wait_for_url(re.compile(r"/read/1\.1$"))
    page.keyboard.press("?")

    playwright.expect(page.locator("#keys")).to_be_visible()


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
    page.wait_for_url("**/compare/she-stays-*/1.2")  # once it is loaded: before that its buttons do nothing
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


def _type(page: "playwright.Page", words: str) -> None:
    page.locator("#sheet .cm-content").first.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type(words)


def _bookwright(home: Path, *arguments: str, code: int) -> None:
    environment = environment_of(home)
    done = reached().run(["bookwright", *arguments], environment=environment)
    assert done.returncode == code, done.stderr.decode()
