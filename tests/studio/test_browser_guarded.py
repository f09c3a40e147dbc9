"""The studio in a real browser: what dies, who comes uncalled, and who must not be kept out."""

import json
import signal
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bookwright.app.access import open_book
from bookwright.app.branches.forks import fork
from bookwright.models.codex.entries import CodexEntry
from bookwright.models.codex.record import Origin
from bookwright.models.edit import Anchor
from bookwright.models.gate import GateKind
from bookwright.models.story_time.times import StoryTime
from bookwright.storage.steps.pages import StepFilter
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.studio.browsing import STRANGE_NAME, SharedStudio, Visit, environment_of, playwright, running_studio
from tests.studio.units import rewrite
from tests.support.browser import needs_browser
from tests.support.forks import reached

pytestmark = [needs_browser, pytest.mark.slow]

BOOK_PAGES = (
    "", "/read", "/read/1.1", "/edit/1.1", "/history/1.1", "/page/1.4", "/codex", "/codex/entry/mira", "/threads",
    "/story", "/stale", "/journal", "/exports", "/edits", "/talk",
    "/brief", "/folder",
)  # fmt: skip
_FOUND = """options => {
  for (const rule of axe._audit.rules) if (["minor", "moderate"].includes(rule.impact)) rule.enabled = false;
  return axe.run(options).then(found => found.violations);
}"""
"""What is serious or worse: a rule that says of all its findings that they are less need not look for them."""
_CUT = """() => ["html", ".bar nav"].filter(name => {
  const one = document.querySelector(name);
  return one.scrollWidth > one.clientWidth;
}).join()"""
"""What is broader than there is room for: the page, or the menu above it."""
PAGES = ("/", "/inbox", "/new", "/import", "/pool", "/help", *(f"/books/lamp{each}" for each in BOOK_PAGES))


def test_a_killed_book_is_seen_and_gone_on_with(visit: Visit, shared: SharedStudio) -> None:
    environment = environment_of(shared.home)
    premise = "A diver counts bells."
    command = ["bookwright", "write", "--premise", premise, "--words", "60000", "--profile", "standard", "--no-prefect"]
    page, expect = visit.tab(), playwright.expect
    row = page.locator("article.book", has=page.locator("[id^=book-a-diver]").or_(page.locator("a[href*=a-diver]")))
    with reached().talking(command, environment) as (writer, _):
        expect(row.locator(".standing.writing")).to_be_visible(timeout=90_000)
        writer.kill()

    expect(row.locator(".standing.interrupted")).to_be_visible(timeout=30_000)
    row.get_by_role("button", name="Go on").click()
    expect(row.locator(".standing.writing")).to_be_visible(timeout=90_000)
    row.get_by_role("button", name="Pause").click()
    expect(row.locator(".standing.paused")).to_be_visible(timeout=90_000)


def test_twelve_tabs_share_one_stream_and_hear_of_a_change(visit: Visit, shared: SharedStudio) -> None:
    a_book(shared.settings, identity="tabs")
    tabs = [visit.tab() for _ in range(12)]

    tabs[0].locator("#book-tabs").get_by_role("button", name="Put away").click()

    for tab in tabs:
        tab.bring_to_front()
        playwright.expect(tab.locator("#book-tabs")).to_have_count(0)
    tabs[0].get_by_role("button", name="Undo").click()
    for tab in tabs[:2]:
        tab.bring_to_front()
        playwright.expect(tab.locator("#book-tabs")).to_have_count(1)


def test_it_stops_though_streams_are_open_and_is_heard_once_it_runs_again(shared: SharedStudio, tmp_path: Path) -> None:
    with running_studio(tmp_path / "home") as studio:
        context = shared.browser.new_context()
        page = context.new_page()
        page.goto(studio.address)
        playwright.expect(page.locator("#lost")).to_be_hidden()

        studio.process.send_signal(signal.SIGINT)

        assert studio.process.wait(30) is not None
        playwright.expect(page.locator("#lost")).to_be_visible()
        with running_studio(tmp_path / "home", int(studio.origin.rpartition(":")[2])) as again:
            page.wait_for_timeout(5_000)  # the page asks, and is turned away
            context.new_page().goto(again.address)
            playwright.expect(page.locator("#lost")).to_be_hidden(timeout=30_000)
        context.close()


def test_a_page_on_another_port_changes_nothing(shared: SharedStudio) -> None:
    book = a_book(shared.settings, identity="hostile")
    with shared.visiting() as visit, HostilePage(shared.studio.origin) as address:
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
        assert not stores.books.get("hostile").is_archived


def test_a_name_that_was_rebound_is_misdirected(shared: SharedStudio) -> None:
    port = shared.studio.origin.rpartition(":")[2]
    with shared.visiting() as visit:
        answer = visit.context.new_page().goto(f"http://{STRANGE_NAME}:{port}/")

    assert answer is not None
    assert answer.status == 421


def test_nothing_keeps_people_out_of_any_page_in_light_dark_or_on_a_phone(shared: SharedStudio) -> None:
    book = a_book(shared.settings)
    _full(book)
    with book.read() as stores:
        step = stores.step_pages.page(StepFilter(), limit=1)[0].id
    with shared.visiting() as visit:
        found = barriers(visit, (*PAGES, f"/books/lamp/journal/{step}"))
        assert visit.complaints == []
    assert found == {}


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


def barriers(visit: Visit, paths: Sequence[str]) -> dict[str, list[str]]:
    """What keeps people out of each page in light and dark, and at which width it is broader than the screen."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visit.context.add_init_script(axe.axe_script)  # each page has it without being sent it anew
    page = visit.tab(paths[0])  # one for all, since each tab has to begin
    found = {path: _barriers(page, visit.studio.origin + path) for path in paths}
    page.close()
    return {path: some for path, some in found.items() if some}


def _barriers(page: "playwright.Page", address: str) -> list[str]:
    page.set_viewport_size({"width": 1280, "height": 780})
    page.emulate_media(color_scheme="light")
    page.goto(address)
    page.wait_for_timeout(150)
    found = []
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):  # all else is the same
        page.emulate_media(color_scheme=scheme)
        heard = page.evaluate(_FOUND, {"resultTypes": ["violations"], **options})
        found += [f"{scheme}: {one}" for one in _serious(heard)]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 780})
        if cut := page.evaluate(_CUT):
            found.append(f"{cut} broader than at {width} there is room")
    return found


def _serious(violations: list[dict[str, Any]]) -> list[str]:
    return [
        f"{one['id']} {one['nodes'][0]['target']}" for one in violations if one["impact"] in ("serious", "critical")
    ]


def _full(book: BookStorage) -> None:
    """Give a book a gate that waits and an entry in its codex."""
    with book.write() as stores:
        stores.gates.open(stores.nodes.by_label("1.1"), GateKind.CHAPTER)
        stores.codex.add(CodexEntry(id="mira", kind="character", name="Mira"), Origin.AUTHOR)
        stores.codex.add(CodexEntry(id="rain", kind="character", name="Rain"), Origin.AUTHOR)
        chapter = stores.nodes.by_label("1.1")
        stores.comments.add(chapter.key, Anchor(quote="Rain fell.", after="The [red]"), "Does it rain too often?")
        stores.nodes.change(chapter.key, story_time=StoryTime(when="1923"))


class HostilePage:
    """A page on another port of this machine that sends what it can to the studio."""

    def __init__(self, origin: str) -> None:
        html = f"""<!doctype html>
<form method="post" action="{origin}/books/hostile/archive"><button>send</button></form>
<script>window.results = {{}};
const tries = [["fetch", () => fetch("{origin}/books/hostile/archive", {{method: "POST", credentials: "include"}})],
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
