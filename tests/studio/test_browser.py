"""The studio in a real browser: a newcomer's way, decisions, conflicts, strangers, what keeps people out."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from bookwright.models.codex.entries import CodexEntry
from bookwright.models.codex.record import Origin
from bookwright.models.comment import Anchor
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.settings import Settings
from bookwright.models.story_time.value import StoryTime
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.studio.browsing import RunningStudio, Visit, playwright, running_studio, visiting
from tests.support.browser import needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

BOOK_PAGES = (
    "", "/read", "/read/1.1", "/edit/1.1", "/history/1.1", "/page/1.4", "/codex", "/codex/entry/mira", "/threads",
    "/story", "/stale", "/journal", "/journal/1", "/exports", "/edits", "/talk",
    "/brief", "/folder",
)  # fmt: skip


@pytest.fixture
def studio(home: Path) -> Iterator[RunningStudio]:
    with running_studio(home) as running:
        yield running


@pytest.fixture
def visit(studio: RunningStudio) -> Iterator[Visit]:
    """A visit that nobody complained of in the end: no error in the console, nothing that the policy refused."""
    with visiting(studio) as visit:
        yield visit
        assert visit.complaints == []


def test_a_newcomer_gets_from_an_empty_shelf_to_a_changed_book(visit: Visit, home: Path) -> None:
    page, expect = visit.tab(), playwright.expect
    page.get_by_role("link", name="Begin a book").click()
    page.get_by_label("What happens?").fill("A keeper of a lighthouse counts one ship too many.")
    page.get_by_label("Length").fill("6000")
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
    page.get_by_role("button", name="Make it anew").click()
    settled = re.compile(r"Directly stale\s*0|Nothing is stale")
    expect(page.locator("#stale")).to_contain_text(settled, timeout=120_000)
    expect(page.locator("#stale .note")).to_have_count(0, timeout=60_000)
    page.get_by_role("link", name="Exports").click()
    with page.expect_download() as download:
        page.locator("#get-epub").click()
    with ZipFile(BytesIO(Path(download.value.path()).read_bytes())) as epub:
        assert any(b"Snow fell on the mole." in epub.read(name) for name in epub.namelist())


def test_a_gate_is_decided_and_the_book_goes_on(visit: Visit, home: Path) -> None:
    _bookwright(home, "write", "--premise", "A keeper counts ships.", "--words", "900", "--profile", "economy",
                "--no-prefect", "--gate", "book_design", code=5)  # fmt: skip
    page, expect = visit.tab(), playwright.expect
    expect(page.locator("#waiting")).to_have_text("1")

    page.get_by_role("link", name="Inbox").click()
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("link", name="To the book").click()

    expect(page.get_by_text("This book is written to its end.")).to_be_visible(timeout=120_000)


def test_two_tabs_in_conflict_lose_nothing(visit: Visit, settings: Settings) -> None:
    book = a_book(settings)
    expect = playwright.expect
    first, second = visit.tab("/books/lamp/edit/1.1?kind=prose"), visit.tab("/books/lamp/edit/1.1?kind=prose")
    _type(first, "Snow fell. ")
    first.locator("#save").click()
    expect(first.locator("#state")).to_have_text("Saved")

    _type(second, "Hail fell. ")
    second.locator("#save").click()
    expect(second.locator("#conflict-note")).to_be_visible()
    expect(second.locator("#sheet .cm-merge-a")).to_contain_text("Snow fell.")
    expect(second.locator("#sheet .cm-merge-b")).to_contain_text("Hail fell.")
    second.locator("#save").click()
    expect(second.locator("#state")).to_have_text("Saved")

    visit.complaints[:] = [said for said in visit.complaints if "409" not in said]  # the browser tells of the conflict
    with book.read() as stores:
        versions = stores.documents.versions(stores.nodes.by_label("1.1").key, DocumentKind.PROSE)
        texts = [stores.documents.text_of(one)[:10] for one in versions]
    assert texts == ["Rain fell.", "Snow fell.", "Hail fell."]


def test_a_draft_outlives_its_tab(visit: Visit, settings: Settings) -> None:
    a_book(settings)
    page = visit.tab("/books/lamp/edit/1.1?kind=prose")
    _type(page, "Snow fell. ")
    playwright.expect(page.locator("#state")).to_have_text("Draft kept in this browser")
    page.close()

    again = visit.tab("/books/lamp/edit/1.1?kind=prose")

    playwright.expect(again.locator("#sheet .cm-content")).to_contain_text("Snow fell.")
    playwright.expect(again.locator("#draft-note")).to_be_visible()


def test_a_note_is_written_on_selected_words_and_marked(visit: Visit, settings: Settings) -> None:
    book = a_book(settings)
    page, expect = visit.tab("/books/lamp/read/1.1"), playwright.expect
    expect(page.locator("#comments")).to_be_visible()

    page.locator("article.prose p").first.dblclick(position={"x": 12, "y": 12})  # the first word
    page.get_by_role("button", name="Write a note on these words").click()
    page.get_by_label("Your note", exact=True).fill("Does it rain too often?")
    page.get_by_role("button", name="Keep it").click()

    expect(page.locator("#comments")).to_contain_text("Does it rain too often?")
    expect(page.locator("#comment")).to_be_hidden()
    page.wait_for_function("() => CSS.highlights.get('notes')?.size === 1")
    with book.read() as stores:
        [kept] = stores.comments.of_nodes([stores.nodes.by_label("1.1").key])
    assert (kept.anchor.quote, kept.anchor.after) == ("Rain", "fell. The [red] lamp went out.")


def test_a_killed_book_is_seen_and_gone_on_with(visit: Visit, home: Path) -> None:
    environment = os.environ | {"BOOKWRIGHT_HOME": str(home)}
    command = [sys.executable, "-m", "bookwright", "write", "--premise", "A keeper counts ships.", "--words", "60000",
               "--profile", "standard", "--no-prefect"]  # fmt: skip
    page, expect = visit.tab(), playwright.expect
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as writer:
        expect(page.locator(".standing.writing")).to_be_visible(timeout=90_000)
        writer.send_signal(signal.SIGKILL)

    expect(page.locator(".standing.interrupted")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".standing.writing")).to_be_visible(timeout=90_000)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".standing.paused")).to_be_visible(timeout=90_000)


def test_twelve_tabs_share_one_stream_and_hear_of_a_change(visit: Visit, settings: Settings, home: Path) -> None:
    a_book(settings)
    tabs = [visit.tab() for _ in range(12)]

    tabs[0].get_by_role("button", name="Put away").click()

    for tab in tabs:
        tab.bring_to_front()
        playwright.expect(tab.get_by_text("Night Watch")).to_have_count(0)


def test_it_stops_though_streams_are_open_and_says_so(home: Path) -> None:
    with running_studio(home) as studio, visiting(studio) as visit:
        page = visit.tab()
        playwright.expect(page.locator("#lost")).to_be_hidden()

        studio.process.send_signal(signal.SIGINT)

        assert studio.process.wait(30) is not None
        playwright.expect(page.locator("#lost")).to_be_visible()


def test_a_page_on_another_port_changes_nothing(studio: RunningStudio, settings: Settings) -> None:
    book = a_book(settings)
    with visiting(studio) as visit, HostilePage(studio.origin) as address:
        page = visit.context.new_page()
        page.goto(address)
        page.wait_for_function("() => window.done")
        results = json.loads(page.evaluate("() => JSON.stringify(window.results)"))
        page.get_by_role("button", name="send").click()
        page.wait_for_load_state()
        shown = page.locator("body").inner_text()

    assert results == {"fetch": "refused", "read": "refused"}
    assert "did not come from the studio's own page" in shown
    with book.read() as stores:
        assert not stores.books.get("lamp").is_archived


def test_a_name_that_was_rebound_is_misdirected(studio: RunningStudio) -> None:
    port = studio.origin.rpartition(":")[2]
    with visiting(studio, "--host-resolver-rules=MAP evil.example 127.0.0.1") as visit:
        page = visit.context.new_page()
        answer = page.goto(f"http://evil.example:{port}/")

    assert answer is not None
    assert answer.status == 421


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out_of_any_page(studio: RunningStudio, settings: Settings, scheme: str) -> None:
    axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
    _full(a_book(settings))
    found: dict[str, list[str]] = {}
    with visiting(studio, color_scheme=scheme) as visit:
        for path in (
            "/",
            "/inbox",
            "/new",
            "/import",
            "/pool",
            "/help",
            *(f"/books/lamp{each}" for each in BOOK_PAGES),
        ):
            page = visit.tab(path)
            page.wait_for_timeout(150)
            violations = axe_playwright.Axe().run(page).response["violations"]
            serious = [f"{one['id']} {one['nodes'][0]['target']}" for one in violations
                       if one["impact"] in ("serious", "critical")]  # fmt: skip
            if serious:
                found[path] = serious
            width = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
            assert width[0] <= width[1], path
            page.close()
        assert visit.complaints == []
    assert found == {}


def test_every_page_fits_a_phone(studio: RunningStudio, settings: Settings) -> None:
    _full(a_book(settings))
    wide = []
    with visiting(studio, viewport={"width": 390, "height": 780}) as visit:
        for path in (
            "/",
            "/inbox",
            "/new",
            "/import",
            "/pool",
            "/help",
            *(f"/books/lamp{each}" for each in BOOK_PAGES),
        ):
            page = visit.tab(path)
            if page.evaluate("() => document.documentElement.scrollWidth") > 390:
                wide.append(path)
            page.close()
        assert visit.complaints == []
    assert wide == []


def test_keys_turn_chapters(visit: Visit, settings: Settings) -> None:
    a_book(settings)
    page = visit.tab("/books/lamp/read/1.1")

    page.keyboard.press("j")
    page.wait_for_url(re.compile(r"/read/1\.2$"))  # once it is loaded
    page.keyboard.press("k")
    page.wait_for_url(re.compile(r"/read/1\.1$"))
    page.keyboard.press("?")

    playwright.expect(page.locator("#keys")).to_be_visible()


def _type(page: "playwright.Page", words: str) -> None:
    page.locator("#sheet .cm-content").first.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type(words)


def _full(book: BookStorage) -> None:
    """Give a book a gate that waits and an entry in its codex."""
    with book.write() as stores:
        stores.gates.open(stores.nodes.by_label("1.1"), GateKind.CHAPTER)
        stores.codex.add(CodexEntry(id="mira", kind="character", name="Mira"), Origin.AUTHOR)
        stores.codex.add(CodexEntry(id="rain", kind="character", name="Rain"), Origin.AUTHOR)
        chapter = stores.nodes.by_label("1.1")
        stores.comments.add(chapter.key, Anchor(quote="Rain fell.", after="The [red]"), "Does it rain too often?")
        stores.nodes.change(chapter.key, story_time=StoryTime(when="1923"))


def _bookwright(home: Path, *arguments: str, code: int) -> None:
    environment = os.environ | {"BOOKWRIGHT_HOME": str(home)}
    done = subprocess.run([sys.executable, "-m", "bookwright", *arguments], env=environment, capture_output=True)
    assert done.returncode == code, done.stderr.decode()


class HostilePage:
    """A page on another port of this machine that sends what it can to the studio."""

    def __init__(self, origin: str) -> None:
        html = f"""<!doctype html><form method="post" action="{origin}/books/lamp/archive"><button>send</button></form>
<script>window.results = {{}};
const tries = [["fetch", () => fetch("{origin}/books/lamp/archive", {{method: "POST", credentials: "include"}})],
  ["read", () => fetch("{origin}/", {{credentials: "include"}}).then((answer) => answer.text())]];
Promise.all(tries.map(([name, send]) => send().then(() => results[name] = "heard", () => results[name] = "refused")))
  .then(() => window.done = true);</script>"""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(html.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}/"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
