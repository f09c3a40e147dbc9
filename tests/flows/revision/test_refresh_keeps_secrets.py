"""What is made anew after a secret was changed, or by a note, tells no more than it may, at the length it had."""

import re
from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.amend import Amendment, amend
from bookwright.flows.revision.refresh import Redone, RefreshScope, refresh
from bookwright.flows.revision.revise import chosen, restore, take_in
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput, NoResult
from bookwright.models.step import Reply
from bookwright.models.text.length import is_off
from bookwright.storage.stores import BookStorage
from tests.flows.conftest import SECRET
from tests.flows.revision.changed import MARK, Written, made

EVERYTHING = RefreshScope()
on_fable = pytest.mark.parametrize("copied", ["fable"], indirect=True)


class Saying:
    """Asks the rehearsal author, and says something of its own where a text is to be changed."""

    def __init__(self, models: ModelService, *, dies_after: str = "", **said: str) -> None:
        self._models = models
        self._dies_after = dies_after
        self._said = said
        self.steps: list[str] = []
        self.prompts: list[str] = []

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer a step, if there is something to be said, with those words; `{text}` is the text that stands."""
        if self._dies_after and self.steps[-1:] == [self._dies_after]:
            raise KeyboardInterrupt
        step = request.facts["step"].partition(".")[0]
        self.steps.append(step)
        self.prompts.append("\n".join(request.prompt.blocks))
        reply = self._models.ask(request, budget, listener, on_failure)
        if step not in self._said:
            return reply
        text = next((made.text for made in request.facts["artefacts"] if made.tag == "text"), "")
        return reply.model_copy(update={"text": self._said[step].format(text=text), "finish_reason": "stop"})


def edit(storage: BookStorage, **values: Any) -> None:
    """Change the secret as its author."""
    with storage.write() as stores:
        found = stores.codex.get(RecordKind.SECRET, "heir")
        record = type(found.record).model_validate(found.record.model_dump() | values)
        stores.codex.edit(record, found.version, Origin.AUTHOR)


def prose(storage: BookStorage, label: str) -> Document:
    with storage.read() as stores:
        return chosen(stores, stores.nodes.by_label(label), DocumentKind.PROSE)


def told_once(storage: BookStorage, label: str) -> list[str]:
    """Words of a chapter, each of another sentence, that stand there once and are not in its brief."""
    text = prose(storage, label).text
    with storage.read() as stores:
        brief = chosen(stores, stores.nodes.by_label(label), DocumentKind.WRITERS_BRIEF).text
    words = Counter(re.findall(r"[a-z]{6,}", text))
    free = {word for word, times in words.items() if times == 1 and word not in brief}
    found = (next((word for word in re.findall(r"[a-z]{6,}", each) if word in free), "") for each in text.split("."))
    return [word for word in found if word]


def stale(storage: BookStorage) -> list[tuple[str, DocumentKind]]:
    with storage.read() as stores:
        found = Staleness(stores.books.get(storage.book).brief).direct(stores)
    return [(one.document.label, one.document.kind) for one in found]


def redo(copied: Written, asker: Any, wanted: RefreshScope = EVERYTHING) -> list[Redone]:
    storage, settings = copied
    with hold_book(storage.book, RunConfig(settings, storage.database, asker), way_on="`bookwright refresh`") as deps:
        return refresh(wanted, deps, lambda redone: None)


def note(copied: Written, words: str, asker: Any, length: int | None = None) -> Document:
    """Have the first chapter changed by a note."""
    storage, settings = copied
    with storage.read() as stores:
        node = stores.nodes.by_label(stores.codex.reading_order().chapters[0])
        old = chosen(stores, node, DocumentKind.PROSE)
    with hold_book(storage.book, RunConfig(settings, storage.database, asker), way_on="`bookwright refresh`") as deps:
        amend(node, old, Amendment(words, DocumentOrigin.NOTE, length=length), deps)
    return prose(storage, node.label)


@pytest.mark.soak
@on_fable
def test_a_refresh_after_a_changed_secret_ends_and_a_second_one_asks_nobody(copied: Written) -> None:
    storage, settings = copied
    with storage.read() as stores:
        planned = set(made(stores, DocumentKind.DESIGN, DocumentKind.WRITERS_BRIEF))
    edit(storage, content="Old Tam sold the light to the wreckers of Grey Sound.")
    before = stale(storage)

    with closing(ModelService(settings)) as models:
        asker = Saying(models)
        done = redo(copied, asker)
        calls = len(asker.steps)
        again = redo(copied, asker)

    assert sorted(before) == sorted(planned)
    assert [kind for _, kind in before].count(DocumentKind.WRITERS_BRIEF) == 3
    assert len(done) >= 3
    assert stale(storage) == []
    assert (again, len(asker.steps)) == ([], calls)


@on_fable
def test_a_text_that_tells_what_is_secret_now_tells_it_no_more_after_a_refresh(copied: Written) -> None:
    storage, settings = copied
    with storage.read() as stores:
        first = stores.codex.reading_order().chapters[0]
    before = prose(storage, first)
    word = MARK.findall(before.text)[1].rstrip("-")
    edit(storage, forbidden_keywords=["drowned king", word])

    with closing(ModelService(settings)) as models:
        redo(copied, Saying(models))

    with storage.read() as stores:
        versions = stores.documents.versions(stores.nodes.by_label(first).key, DocumentKind.PROSE)
    since = [
        found.origin for found in sorted(versions, key=lambda found: found.version) if found.version > before.version
    ]
    assert word not in prose(storage, first).text
    assert since[0] is DocumentOrigin.REFRESH
    assert set(since[1:]) <= {DocumentOrigin.REPAIR}  # the chapter before it being summed up anew, or the book
    assert stale(storage) == []


@on_fable
def test_a_text_that_tells_nothing_of_a_changed_secret_stays_as_it_is_and_nobody_is_asked(copied: Written) -> None:
    storage, settings = copied
    with storage.read() as stores:
        first, *_, last = stores.codex.reading_order().chapters
        summary = stores.documents.current(stores.nodes.by_label(first).key, DocumentKind.SUMMARY)
        assert summary is not None
    told = prose(storage, first).text + prose(storage, last).text
    word = next(mark for mark in MARK.findall(summary.text) if mark not in told).rstrip("-")
    before = prose(storage, last)
    edit(storage, forbidden_keywords=["drowned king", word])
    was_stale = (last, DocumentKind.PROSE) in stale(storage)

    with closing(ModelService(settings)) as models:
        asker = Saying(models)
        redo(copied, asker, RefreshScope(last))

    after = prose(storage, last)
    assert was_stale
    assert set(asker.steps) <= {"book_design", "global_state"}  # who were owed something before
    assert (after.version, after.text) == (before.version + 1, before.text)


@on_fable
def test_no_revision_by_a_note_puts_a_secret_on_a_page(copied: Written) -> None:
    _, settings = copied

    with closing(ModelService(settings)) as models:
        asker = Saying(models, amend=f"{SECRET}\n\n{{text}}", revise_leak=f"@gap 1\n{SECRET}")
        text = note(copied, "Let the king be seen from afar.", asker)

    assert asker.steps.count("revise_leak") == settings.review_retries
    assert SECRET not in text.text
    assert "drowned king" not in text.text
    assert text.origin is DocumentOrigin.NOTE
    own_words = re.compile(r"<taken_out>.*?</taken_out>", re.DOTALL)  # what this writer told by itself
    assert not any(SECRET in own_words.sub("", prompt) for prompt in asker.prompts)


@on_fable
def test_a_note_that_only_tells_a_secret_is_refused_before_anything_is_paid(copied: Written) -> None:
    _, settings = copied

    with closing(ModelService(settings)) as models:
        asker = Saying(models)
        with pytest.raises(InvalidInput, match="what is secret"):
            note(copied, SECRET, asker)

    assert asker.steps == []


@on_fable
@pytest.mark.parametrize("answer", ["{text}\n\n{text}", "He rowed out. Nobody saw him go."])
def test_a_revision_that_misses_its_length_is_mended_like_a_draft(copied: Written, answer: str) -> None:
    storage, settings = copied
    with storage.read() as stores:
        planned = stores.nodes.by_label(stores.codex.reading_order().chapters[0]).length or 0

    with closing(ModelService(settings)) as models:
        asker = Saying(models, amend=answer)
        text = note(copied, "Let him go out at night.", asker)

    assert asker.steps[1] == ("shorten" if "{text}" in answer else "lengthen")
    assert not is_off(planned, text.length) or asker.steps[1] == "lengthen"


@pytest.mark.soak
@on_fable
def test_a_note_may_ask_for_another_length(copied: Written) -> None:
    _, settings = copied

    with closing(ModelService(settings)) as models:
        text = note(copied, "Half of it is talk; cut that.", Saying(models, amend="{text}"), length=1_600)

    assert not is_off(1_600, text.length)


@pytest.mark.soak
@on_fable
def test_another_note_than_the_one_that_was_begun_is_another_order(copied: Written) -> None:
    _, settings = copied

    with closing(ModelService(settings)) as models:
        gone = Saying(models, amend="")
        with pytest.raises(NoResult, match="no result"):
            note(copied, "Let him go out at night.", gone)
        text = note(copied, "Let him stay.", Saying(models, amend="He stayed.\n\n{text}"))

    assert text.text.startswith("He stayed.")


@pytest.mark.soak
@on_fable
def test_a_text_that_was_taken_up_again_is_made_anew_like_any_other(copied: Written) -> None:
    storage, settings = copied
    with closing(ModelService(settings)) as models:
        text = note(copied, "Let him stay.", Saying(models, amend="He stayed.\n\n{text}"))
        with storage.write() as stores:
            node = stores.nodes.get(text.node)
            restore(stores, node, DocumentKind.PROSE, text.version - 1)
        word = MARK.findall(prose(storage, node.label).text)[1].rstrip("-")
        edit(storage, forbidden_keywords=[word])
        redo(copied, Saying(models))

    assert word not in prose(storage, node.label).text
    assert stale(storage) == []


@on_fable
def test_a_summary_that_was_taken_up_again_is_made_anew_after_its_node_was(copied: Written) -> None:
    storage, settings = copied
    with storage.write() as stores:
        node = stores.nodes.by_label(stores.codex.reading_order().chapters[-1])
        text = chosen(stores, node, DocumentKind.PROSE)
        take_in(stores, node, text, f"{text.text}\n\nHe stayed.")

    with closing(ModelService(settings)) as models:
        redo(copied, Saying(models), RefreshScope(node.label))
        with storage.write() as stores:
            restore(stores, node, DocumentKind.SUMMARY, 1)
        was_stale = (node.label, DocumentKind.SUMMARY) in stale(storage)
        redo(copied, Saying(models), RefreshScope(node.label))

    assert was_stale
    assert (node.label, DocumentKind.SUMMARY) not in stale(storage)


@on_fable
def test_what_was_filled_for_one_secret_fills_no_gap_of_another(copied: Written) -> None:
    storage, settings = copied
    with storage.read() as stores:
        first = stores.codex.reading_order().chapters[0]
    one, other = told_once(storage, first)[:2]
    told = f"@gap 1\nThis was for the one, with its {one}."

    with closing(ModelService(settings)) as models:
        edit(storage, forbidden_keywords=[one])
        with pytest.raises(KeyboardInterrupt):
            redo(copied, Saying(models, dies_after="revise_leak", revise_leak=told), RefreshScope(first))
        edit(storage, forbidden_keywords=[other])
        redo(copied, Saying(models, revise_leak="@gap 1\nThis is for the other."), RefreshScope(first))

    after = prose(storage, first)
    assert "for the other" in after.text
    assert "for the one" not in after.text
    assert one in after.text


@on_fable
def test_a_text_that_loses_most_of_itself_to_a_changed_secret_is_brought_back_to_its_length(copied: Written) -> None:
    storage, settings = copied
    with storage.read() as stores:
        first = stores.codex.reading_order().chapters[0]
    before = prose(storage, first)
    edit(storage, forbidden_keywords=["drowned king", MARK.findall(before.text)[1].rstrip("-")])

    with closing(ModelService(settings)) as models:
        asker = Saying(models, revise_leak="@gap 1\nHe went.")
        redo(copied, asker, RefreshScope(first))

    assert "lengthen" in asker.steps
    assert prose(storage, first).length > before.length * 0.8
