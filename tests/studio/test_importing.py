"""A manuscript brought along on the page: its split and its bill first, then the book."""

import re
import time

from starlette.testclient import TestClient

from bookwright.models.settings import Settings
from bookwright.storage.engine.looks import open_for_looks
from tests.studio.test_book_pages import PIECE

TEXT = "".join(
    f"Chapter {number}\n\n" + "The keeper lit the lamp and counted the ships on the grey water. " * 12 + "\n\n"
    for number in (1, 2, 3)
)


def test_a_manuscript_is_split_billed_and_taken_in(page: TestClient, settings: Settings) -> None:
    shown = _found(page, page.post("/import/preview?name=Lamp.txt", content=TEXT.encode()).text)
    nothing_yet = open_for_looks(settings)
    fields = dict(re.findall(r'name="(job|bill)" value="(\w+)"', shown))
    guessed = page.post("/import/begin", data=fields | {"bill": "guess"}, headers=PIECE)

    begun = page.post("/import/begin", data=fields | {"rests": "1"})
    again = page.post("/import/begin", data=fields | {"rests": "1"}, headers=PIECE)

    table = shown.partition('id="split"')[2].partition("</table>")[0]
    assert table.count("<tr>") == 4
    assert "3 chapters" in shown
    assert "calls" in shown
    assert nothing_yet is None
    assert (guessed.status_code, again.status_code) == (422, 422)
    read = page.get(f"{begun.headers['hx-redirect']}/read").text
    assert "Chapter 3" in read


def test_what_is_no_manuscript_is_told(page: TestClient) -> None:
    for name, content in (("a.txt", b""), ("a.pdf", b"%PDF-1.7"), ("../../a.txt", b"Too short.")):
        refused = page.post(f"/import/preview?name={name}", content=content, headers=PIECE)

        assert refused.status_code == 422
        assert "bookwright-import-" not in refused.text


def _found(page: TestClient, shown: str) -> str:
    number = re.findall(r"/import/(\d+)", shown)[0]
    end = time.monotonic() + 90
    while 'id="split"' not in shown:
        assert time.monotonic() < end, shown
        time.sleep(0.3)
        shown = page.get(f"/import/{number}").text
    return shown
