"""The pages of one book beyond its text: what is stale, the codex, the journal, exports, gates."""

import re
from io import BytesIO
from zipfile import ZipFile

from starlette.testclient import TestClient

from bookwright.models.codex.record import FieldSuggestion, RecordKind
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.gate import FallbackHistory, GateKind, GateState, Refusal
from bookwright.models.settings import Settings
from bookwright.models.story.state import GlobalState, Promise
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book

PIECE = {"hx-request": "true"}


def test_what_an_edit_makes_stale_is_told_before_and_listed_after(page: TestClient, book: BookStorage) -> None:
    _summed_up(book)

    before = page.get("/books/lamp/edit/1.1").text
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})
    after, again = page.get("/books/lamp/stale").text, page.get("/books/lamp/edit/1.1").text

    assert "The Lamp</a></li>" in before
    assert "The Lamp</a></li>" in again.partition("It rests on")[0]  # what was made from an older version of it
    assert "the text of The Lamp changed" in after
    assert "Nothing is stale" not in after


def test_who_saves_again_goes_on_from_what_was_taken_in_and_undoes_the_last_save_alone(
    page: TestClient, book: BookStorage
) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    saved = {"text": "Snow fell.", "version": 1, "kind": "prose"}
    saved |= page.post("/books/lamp/edit/1.1", data=saved).json()
    with book.write() as stores:
        lease.release(stores.connection)

    same = page.post("/books/lamp/edit/1.1", data=saved).json()
    again = page.post("/books/lamp/edit/1.1", data=saved | same | {"text": "Hail fell."}).json()
    page.post(again["undo"], data={"kind": "prose", "version": again["before"]})

    assert same["words"] == "These words stand there already."
    assert again["version"] == 3
    assert "<p>Snow fell.</p>" in page.get("/books/lamp/read/1.1").text


def test_a_refresh_wants_the_bill_that_was_shown(page: TestClient, book: BookStorage) -> None:
    _summed_up(book)
    _summed_up(book, "1.2")
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})
    bill = re.findall(r'name="bill" value="(\w+)"', page.get("/books/lamp/stale").text)[0]
    page.post("/books/lamp/edit/1.2", data={"text": "She read no hand.", "version": "1", "kind": "prose"})

    refused = page.post("/books/lamp/refresh", data={"node": "1", "bill": bill}, headers=PIECE)

    assert refused.status_code == 422
    assert "has changed since its bill" in refused.text


def test_an_entry_is_added_changed_and_kept_from_a_second_tab(page: TestClient, book: BookStorage) -> None:
    added = page.post("/books/lamp/codex/entry", data={"name": "Mira", "kind": "character", "text": "Keeps the lamp."})
    address = added.headers["hx-redirect"]
    fields = {"name": "Mira Vale", "sections/about/text": "Keeps the lamp, badly.", "version": "1"}

    first = page.post(address, data=fields)
    second = page.post(address, data=fields | {"name": "Mira Veil"}, headers=PIECE)

    assert (first.status_code, second.status_code) == (200, 409)
    with book.read() as stores:
        kept = stores.codex.get(RecordKind.ENTRY, "mira")
    assert (kept.version, kept.record.model_dump()["name"]) == (2, "Mira Vale")
    assert kept.record.model_dump()["sections"][0]["text"] == "Keeps the lamp, badly."
    assert "Mira Vale" in page.get("/books/lamp/codex").text
    assert 'id="seen-version" value="2"' in first.text  # the form that is open goes on from here
    page.post(f"{address}/take-up", data={"version": "1"})
    with book.read() as stores:
        assert stores.codex.get(RecordKind.ENTRY, "mira").record.model_dump()["name"] == "Mira"


def test_an_entry_that_is_saved_again_while_the_book_is_written_goes_on_from_the_first_save(
    page: TestClient, book: BookStorage
) -> None:
    address = page.post("/books/lamp/codex/entry", data={"name": "Mira", "kind": "character"}).headers["hx-redirect"]
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)

    first = page.post(address, data={"name": "Mira Vale", "version": "1"}).text
    shown = page.get(address).text
    blind = page.post(address, data={"name": "Mira Voss", "version": "1"}, headers=PIECE)
    second = page.post(address, data={"name": "Mira Veil"} | _stands(first)).text
    with book.write() as stores:
        lease.release(stores.connection)
    third = page.post(address, data={"name": "Mira Vane"} | _stands(second)).text  # the second is taken in first
    same = page.post(address, data={"name": "Mira Vane"} | _stands(third)).text
    page.post(f"{address}/take-up", data={"version": "2"})

    assert (_stands(first), 'value="Mira Vale"' in shown) == (_stands(shown), True)
    assert "wait to be taken in" in shown
    assert blind.status_code == 409
    assert _stands(third) == _stands(same) == {"version": "3", "after": ""}
    assert "stand there already" in same
    assert "take-up" not in same
    with book.read() as stores:
        names = [one.record.model_dump()["name"] for one in stores.codex.history(RecordKind.ENTRY, "mira")]
    assert names == ["Mira", "Mira Veil", "Mira Vane", "Mira Veil"]


def test_a_second_verdict_or_entry_while_the_first_waits_takes_its_place_where_that_was_seen(
    page: TestClient, book: BookStorage
) -> None:
    page.post("/books/lamp/codex/entry", data={"name": "Ines", "kind": "character"})
    with book.write() as stores:
        wish = FieldSuggestion(path="aliases", present=[], wanted=["The Keeper"])
        stores.codex.suggestions.add(RecordKind.ENTRY, "ines", 1, wish, None, None)
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    number = re.findall(r"suggestions/(\d+)/take", page.get("/books/lamp/codex").text)[0]
    seen: dict[str, str] = {}

    def post(path: str, **fields: str) -> int:
        answer = page.post(f"/books/lamp/{path}", data=fields | seen, headers=PIECE)
        seen.update(_stands(answer.text))
        return answer.status_code

    first = post(f"suggestions/{number}/drop"), post("codex/entry", name="Mira", text="A keeper.")
    again = post(f"suggestions/{number}/take"), post("codex/entry", name="Mira", text="A smuggler.")
    threads = post("codex/foreshadowing", name="The Glove"), post("codex/foreshadowing", name="The Glove", text="Lost.")
    pages = [page.get(f"/books/lamp/{name}").text for name in ("codex", "threads")]
    shown, seen = seen, {}
    blind = post(f"suggestions/{number}/drop"), post("codex/entry", name="Mira")
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})  # takes all in

    assert (first, again, threads, blind) == ((200, 200), (200, 200), (200, 200), (409, 409))
    assert [_stands(one) for one in pages] == [shown, shown]
    assert all("3 wait to be taken in" in one for one in pages)
    with book.read() as stores:
        entries = {one.record.id: one.record.model_dump() for one in stores.codex.current(RecordKind.ENTRY)}
        threads_now = [one.record.model_dump() for one in stores.codex.current(RecordKind.FORESHADOWING)]
    assert (entries["ines"]["aliases"], entries["mira"]["sections"][0]["text"]) == (("The Keeper",), "A smuggler.")
    assert [one["seed"]["content"] for one in threads_now] == ["Lost."]


def test_a_second_addition_of_a_secret_while_the_first_waits_takes_its_place_and_another_one_stands_beside_it(
    page: TestClient, book: BookStorage
) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    seen: dict[str, str] = {}

    def add(**fields: str) -> int:
        answer = page.post("/books/lamp/codex/secret", data=fields | seen, headers=PIECE)
        seen.update(_stands(answer.text))
        return answer.status_code

    added = [add(name="Glove", text="He kept it."), add(name="Glove", text="He burnt it."), add(name="She is heir.")]
    seen = {}
    blind = add(name="The glove", text="He burnt it.")
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})  # takes all in

    with book.read() as stores:
        assert [one.content for one in stores.codex.secrets()] == ["He burnt it.", "She is heir."]
    assert (added, blind) == ([200, 200, 200], 409)


def test_lists_of_names_are_typed_with_commas(page: TestClient, book: BookStorage) -> None:
    address = page.post("/books/lamp/codex/secret", data={"name": "The glove", "text": "He kept it."}).headers[
        "hx-redirect"
    ]

    page.post(address, data={"forbidden_keywords": "glove，mitten, ", "version": "1"})

    with book.read() as stores:
        [secret] = stores.codex.secrets()
    assert (secret.forbidden_keywords, secret.notes) == (("glove", "mitten"), "The glove")
    shown = page.get("/books/lamp/codex").text
    assert ("glove, mitten" in shown, "The glove</span>" in shown) == (True, True)


def test_a_thread_stands_on_the_board(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/codex/foreshadowing", data={"name": "The missing log", "text": "A page is torn out."})

    shown = page.get("/books/lamp/threads").text

    assert "The missing log" in shown
    assert "registered" in shown


def test_promises_of_the_story_are_not_drawn_as_threads_that_nobody_registered(
    page: TestClient, book: BookStorage
) -> None:
    state = GlobalState(
        aim="Out.", conflict="It rains.", promises=(Promise(id="p1", promise="Who put out the lamp", born="1.1"),)
    )
    with book.write() as stores:
        stores.documents.add(
            NewDocument(node=stores.nodes.root().key, kind=DocumentKind.GLOBAL_STATE, text="As told.",
                        data=state.model_dump_json()), None,
        )  # fmt: skip

    shown = page.get("/books/lamp/threads").text

    assert "Who put out the lamp" in shown.partition("</figure>")[0]
    assert "The chart shows the promises that the story itself has made. No thread is registered." in shown


def test_the_journal_is_walked_within_a_filter(page: TestClient, book: BookStorage) -> None:
    whole, failed = page.get("/books/lamp/journal").text, page.get("/books/lamp/journal?failed=1").text
    [only] = set(re.findall(r"/books/lamp/journal/(\d+)", failed))

    within = page.get(f"/books/lamp/journal/{only}?failed=1").text
    without = page.get(f"/books/lamp/journal/{only}").text

    assert len(set(re.findall(r"/books/lamp/journal/(\d+)", whole))) == 3
    assert ("data-next" in within, "data-next" in without) == (False, True)
    assert "Ask for planner." in within
    assert "no JSON" in within
    assert page.get("/books/lamp/journal/999999").status_code == 404


def test_files_are_made_when_asked_for_and_nothing_is_kept(
    page: TestClient, book: BookStorage, settings: Settings
) -> None:
    before = sorted(settings.home.rglob("*.epub"))

    got = page.get("/books/lamp/exports/epub")

    assert "Night%20Watch.epub" in got.headers["content-disposition"]
    with ZipFile(BytesIO(got.content)) as epub:
        assert epub.read("mimetype") == b"application/epub+zip"
    assert sorted(settings.home.rglob("*.epub")) == before
    assert page.get("/books/lamp/exports/exe").status_code == 422


def test_the_story_so_far_has_figures_and_charts(page: TestClient, book: BookStorage) -> None:
    shown = page.get("/books/lamp/story").text

    assert shown.count("<svg viewBox") >= 3
    assert "Cost by chapter" in shown
    assert "style=" not in shown


def test_a_gate_is_rejected_with_a_note_in_the_inbox(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        stores.gates.open(stores.nodes.by_label("1.1"), GateKind.CHAPTER)
        [gate] = stores.gates.waiting()

    shown, count = page.get("/inbox").text, page.get("/inbox/count").text
    refused = page.post(f"/books/lamp/gates/{gate.id}/reject", data={"note": " "}, headers=PIECE)
    page.post(f"/books/lamp/gates/{gate.id}/reject", data={"note": "She must not read it yet."})

    assert "A chapter is finished" in shown
    assert "Rain fell." in shown
    assert ">1<" in count
    assert (refused.status_code, "needs a note" in refused.text) == (422, True)
    with book.read() as stores:
        decided = stores.gates.get(gate.id)
    assert (decided.state, decided.note) == (GateState.REJECTED, "She must not read it yet.")
    assert page.post(f"/books/lamp/gates/{gate.id}/approve", headers=PIECE).status_code == 409


def test_a_gate_shows_the_draft_alone_and_why_it_was_refused_beside_it(page: TestClient, book: BookStorage) -> None:
    reasons = ["the guard finds the word: “glove”", "the guard finds the word: “mitten”"]
    with book.write() as stores:
        node = stores.nodes.by_label("1.2")
        history = FallbackHistory(draft="She found it.", refusals=(Refusal(reasons=tuple(reasons)),))
        stores.gates.open(node, GateKind.HUMAN_FALLBACK, history=history)

    shown = page.get("/inbox").text
    pane = shown.partition('class="pane"')[2]

    assert "She found it." in pane
    assert "guard" not in pane
    assert "the guard finds the word, 2 times: “glove”, “mitten”" in shown


def test_a_japanese_book_is_read_from_top_to_bottom(page: TestClient, settings: Settings) -> None:
    make_book(settings, "雨が降った。灯りが消えた。", title="灯台", language="ja", premise="灯台守が船を数える。")

    shown = page.get("/books/lamp/read/1?vertical=1").text

    assert 'class="reading vertical"' in shown
    assert '<article class="prose" lang="ja" data-comments>' in shown


def _summed_up(book: BookStorage, label: str = "1.1") -> None:
    """Let a summary rest on a chapter's text."""
    with book.write() as stores:
        node = stores.nodes.by_label(label)
        prose = stores.documents.current(node.key, DocumentKind.PROSE)
        assert prose is not None
        stores.documents.add(
            NewDocument(node=node.key, kind=DocumentKind.SUMMARY, text="It rained.", inputs=(prose.id,)), None
        )


def test_a_talk_needs_words_and_does_nothing_unasked(page: TestClient, book: BookStorage) -> None:
    silent = page.post("/books/lamp/talk", data={"words": "  "}, headers=PIECE)
    forgotten = page.post("/books/lamp/talk/99/do", headers=PIECE)

    assert (silent.status_code, forgotten.status_code) == (422, 422)
    assert "say what you want done" in page.get("/books/lamp/talk").text


def test_what_is_saved_while_the_book_is_written_waits_and_is_shown(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)

    saved = page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})
    late = page.post("/books/lamp/edit/1.1", data={"text": "Hail fell.", "version": "1", "kind": "prose"})
    again = page.post(
        "/books/lamp/edit/1.1",
        data={"text": "Sleet fell.", "version": "1", "kind": "prose", "after": str(saved.json()["after"])},
    )

    assert saved.json()["words"] == "Saved; it is taken in between two steps of the book"
    assert (late.status_code, late.json()["theirs"]) == (409, "Snow fell.")
    assert again.status_code == 200
    assert "Sleet fell." in page.get("/books/lamp/edit/1.1?kind=prose").text
    assert "wait to be taken in" in page.get("/books/lamp").text
    assert ">waits<" in page.get("/books/lamp/edits").text


def _stands(shown: str) -> dict[str, str]:
    """What the form of a record that is open saves upon."""
    return dict(re.findall(r'name="(version|after)" id="seen-\w+" value="(\d*)"', shown))
