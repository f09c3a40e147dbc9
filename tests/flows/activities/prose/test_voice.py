"""A book's first accepted chapters set its style, once, and whoever writes on is told of it."""

from typing import Any

from bookwright.agents.backends.service import ModelService
from bookwright.agents.relay.style_guide import guide_of_sample, keep_guide, kept_guide
from bookwright.flows.activities.prose.voice import settle_style
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.text.figures import StyleSource
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings

LONG = "She went down to the sea and counted the ships. He had not come back. “Well,” she said, “who would?” " * 100
PARTS = [{"level": "chapter", "title": name, "text": LONG} for name in ("One", "Two", "Three")]


def settle(storage: BookStorage, settings: Settings) -> list[str]:
    """Settle the style of a book as its walk does, twice; return what its next chapter's writer is shown."""
    models = ModelService(settings)
    try:
        with hold_book("lamp", RunConfig(settings, storage.database, models)) as deps:
            settle_style(deps)
            settle_style(deps)
            unit = deps.storage.node(_last(storage))
            return list(deps.desk.contexts.build(unit, unit, Activity.WRITE, "write_plan").blocks)
    finally:
        models.close()


def _last(storage: BookStorage) -> int:
    with storage.read() as stores:
        return stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)[-1].key


def _book(tmp_path: Any, parts: list[dict[str, str]], **brief: Any) -> tuple[BookStorage, Settings]:
    settings = make_settings(tmp_path, free_megabytes=0)
    return make_book(settings, parts, profile="standard", **brief), settings


def test_enough_closed_chapters_become_the_guide_once_and_the_writer_reads_it(tmp_path):
    storage, settings = _book(tmp_path, PARTS)

    blocks = settle(storage, settings)

    with storage.read() as stores:
        guide = kept_guide(stores)
        versions = stores.documents.versions(stores.nodes.root().key, DocumentKind.STYLE_GUIDE)
    assert guide is not None
    assert (guide.source, guide.chapters, guide.profile.quotes) == (StyleSource.CHAPTERS, 2, "“”")
    assert [version.origin for version in versions] == [DocumentOrigin.STEP]
    [shown] = [block for block in blocks if "<style_guide>" in block]
    assert guide.passages
    assert all(line in LONG for passage in guide.passages for line in passage.splitlines())
    assert all(f"> {line}" in shown for passage in guide.passages for line in passage.splitlines())
    assert "%" not in shown


def test_a_beginning_that_is_too_short_or_still_open_sets_no_style(tmp_path):
    storage, settings = _book(tmp_path, PARTS)
    with storage.write() as stores:
        for chapter in stores.nodes.children(stores.nodes.root().key)[1:]:
            stores.nodes.change(chapter.key, status=NodeStatus.OPEN.value)

    blocks = settle(storage, settings)

    with storage.read() as stores:
        assert kept_guide(stores) is None
    assert blocks
    assert not any("<style_guide>" in block for block in blocks)


def test_a_sample_of_the_author_s_stays_the_style(tmp_path):
    storage, settings = _book(tmp_path, PARTS)
    with storage.write() as stores:
        brief = stores.books.get("lamp").brief
        keep_guide(guide_of_sample("I am here. I stay. " * 80, brief), brief, stores, DocumentOrigin.AUTHOR)

    settle(storage, settings)

    with storage.read() as stores:
        guide = kept_guide(stores)
    assert guide is not None
    assert guide.source is StyleSource.SAMPLE
