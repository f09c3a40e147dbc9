"""`style`: the style that a book keeps to, from a sample, its brief or its first chapters."""

import json
from pathlib import Path

import pytest

from bookwright.agents.relay.style_guide import kept_guide
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.settings import Settings
from bookwright.models.text.figures import StyleSource
from bookwright.models.text.language import Language
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli

SAMPLE = "I walk to the sea. It is cold, and I am glad of it! Why would I not be? I say so. " * 12


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A file with a text in the first person and the present tense."""
    file = tmp_path / "sample.txt"
    file.write_text(SAMPLE, encoding="utf-8")
    return file


def test_without_a_guide_the_first_chapters_are_measured_and_nothing_is_kept(cli: Cli, book: BookStorage) -> None:
    facts = json.loads(cli("style", "lamp", "--json").out)

    assert (facts["is_kept"], facts["source"], facts["chapters"]) == (False, "chapters", 2)
    with book.read() as stores:
        assert kept_guide(stores) is None


def test_a_sample_becomes_the_guide_and_every_chapter_is_measured_by_it(
    cli: Cli, book: BookStorage, sample: Path
) -> None:
    facts = json.loads(cli("style", "lamp", "--sample", sample, "--json").out)

    assert (facts["is_kept"], facts["version"], facts["source"]) == (True, 1, "sample")
    assert facts["profile"]["person"] == "first"
    assert "The one who tells it says I." in facts["guide"]
    assert [0 < line["overall"] <= 1 for line in facts["drift"]] == [True, True]


def test_each_change_is_a_version_of_the_author_s(cli: Cli, book: BookStorage, sample: Path) -> None:
    cli("style", "lamp", "--sample", sample)
    facts = json.loads(cli("style", "lamp", "--chapters", 1, "--json").out)

    assert (facts["version"], facts["source"], facts["chapters"]) == (2, "chapters", 1)
    assert ["overall" in line for line in facts["drift"]] == [False, True]
    with book.read() as stores:
        versions = stores.documents.versions(stores.nodes.root().key, DocumentKind.STYLE_GUIDE)
    assert [version.origin for version in versions] == [DocumentOrigin.AUTHOR] * 2


def test_the_report_measures_from_the_guide(cli: Cli, book: BookStorage, sample: Path) -> None:
    before = json.loads(cli("report", "lamp", "--json").out)["report"]
    cli("style", "lamp", "--sample", sample)

    after = json.loads(cli("report", "lamp", "--json").out)["report"]

    assert [chapter["drift"] for chapter in before["chapters"]] == [None, None]
    assert [chapter["drift"]["overall"] > 0 for chapter in after["chapters"]] == [True, True]
    assert (before["style_chapters"], after["style_chapters"]) == (2, 0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--chapters", "9"], "2 written chapters"),
        (["--sample", "nowhere.txt"], "cannot be read"),
        (["--sample", "SAMPLE", "--chapters", "1"], "not from both"),
    ],
)
def test_what_cannot_tell_a_style_is_refused(
    cli: Cli, book: BookStorage, sample: Path, options: list[str], told: str
) -> None:
    run = cli("style", "lamp", *[str(sample) if option == "SAMPLE" else option for option in options])

    assert run.code == 2
    assert told in run.err


@pytest.mark.parametrize(
    ("text", "told"), [("雨还在下，灯灭了。" * 40, "not in English"), ("It rains.", "at least 100")]
)
def test_a_sample_in_another_language_or_of_a_few_words_is_refused(
    cli: Cli, book: BookStorage, tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "other.txt"
    file.write_text(text, encoding="utf-8")

    run = cli("style", "lamp", "--sample", file)

    assert run.code == 2
    assert told in run.err


def test_the_style_of_a_running_book_is_not_changed(cli: Cli, book: BookStorage, sample: Path) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "process 1 on elsewhere", 60)

    assert cli("style", "lamp", "--sample", sample).code == 3
    assert cli("style", "lamp").code == 0


@pytest.mark.parametrize("given", ["sample.txt", SAMPLE])
def test_a_brief_brings_its_sample_as_a_text_or_a_file_beside_it(
    cli: Cli, settings: Settings, sample: Path, given: str
) -> None:
    brief = sample.parent / "brief.toml"
    keys = {"premise": "A keeper counts ships.", "length": 300, "style_sample": given}
    brief.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items()), encoding="utf-8")

    run = cli("write", brief, "--no-prefect", "--words-today", 1, "--json")

    name = next(iter(json.loads(cli("status", "--json").out)))["book"]
    with BookStorage(open_database(settings), name, Language.EN).read() as stores:
        guide = kept_guide(stores)
        kept = stores.books.get(name).brief.style_sample
    assert run.code in (0, 4)
    assert guide is not None
    assert (guide.source, guide.profile.person, kept) == (StyleSource.SAMPLE, "first", "")


def test_a_brief_s_sample_file_that_is_not_there_is_bad_input(cli: Cli, tmp_path: Path) -> None:
    brief = tmp_path / "brief.toml"
    brief.write_text('premise = "A keeper."\nlength = 300\nstyle_sample = "none.md"', encoding="utf-8")

    assert cli("write", brief, "--no-prefect").code == 2


def test_a_book_s_sample_is_not_changed_by_its_brief(cli: Cli, book: BookStorage) -> None:
    run = cli("brief", "lamp", "--set", f"style_sample={SAMPLE}")

    assert run.code == 2
    assert "bookwright style --sample" in run.err
