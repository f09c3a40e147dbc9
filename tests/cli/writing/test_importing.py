"""`import` of manuscripts, `resume --words`, and `write --outline`."""

import json
from pathlib import Path

import pytest

from bookwright.models.settings import Settings
from bookwright.storage.engine.database import database_file
from tests.cli.conftest import Cli
from tests.manuscripts.novels import HABITS, write_novel

OUTLINE = """\
# The Lamp

A keeper finds a log in her own hand.

## Chapter 1: The Log

Ada finds the log.

- The bell rings twice.

## Chapter 2: The Boat
"""


def a_manuscript(folder: Path, name: str = "en figures", chapters: int = 3, codec: str = "utf-8") -> Path:
    file = folder / "night watch.txt"
    file.write_bytes(write_novel(HABITS[name], chapters, 4).text.encode(codec))
    return file


@pytest.mark.parametrize(
    ("name", "codec", "encoding", "language"),
    [
        ("zh", "gb18030", "GB18030", "zh"), ("zh traditional", "utf-8", "UTF-8", "zh"),
        ("ja", "shift_jis", "Shift-JIS", "ja"), ("ko", "cp949", "EUC-KR (CP949)", "ko"),
        ("en figures", "utf-16", "UTF-16", "en"),
    ],
)  # fmt: skip
def test_a_dry_run_shows_what_was_found_and_leaves_nothing_behind(
    cli: Cli, settings: Settings, tmp_path: Path, name: str, codec: str, encoding: str, language: str
):
    novel = write_novel(HABITS[name], 3, 4)

    outcome = cli("import", a_manuscript(tmp_path, name, codec=codec), "--dry-run", "--json")

    facts = json.loads(outcome.out)
    assert (facts["encoding"], facts["language"], facts["parts"]) == (encoding, language, novel.parts)
    assert [row["heading"] for row in facts["chapters"]] == novel.headings
    assert sum(row["length"] for row in facts["chapters"]) == facts["length"]
    file = database_file(settings)
    assert file is not None
    assert not file.exists()


def test_a_dry_run_is_a_table_for_people(cli: Cli, tmp_path: Path):
    outcome = cli("import", a_manuscript(tmp_path), "--dry-run")

    assert "5 chapters in 1 part" in outcome.out
    assert "Chapter 2: What Odell Saw" in outcome.out
    assert "left out: Contents" in outcome.err


def test_a_dry_run_names_chapters_and_parts_as_the_book_does(cli: Cli, tmp_path: Path):
    prose = "The lamp on the quay went out before the tide had turned. " * 3
    heads = (("Part One\n\nThe Sea\n\n", 1, "The Lamp"), ("", 2, "The Boat"), ("Part Two\n\nThe Land\n\n", 3, "Home"))
    file = tmp_path / "a.txt"
    file.write_text("\n\n".join(f"{part}Chapter {n}\n\n{title}\n\n{prose}" for part, n, title in heads), "utf-8")

    found = json.loads(cli("import", file, "--dry-run", "--json").out)
    cli("import", file, "--rest", "--yes")

    assert [row["heading"] for row in found["chapters"]] == [
        "Chapter 1: The Lamp",
        "Chapter 2: The Boat",
        "Chapter 3: Home",
    ]
    tree = cli("tree", "a").out
    assert all(row["heading"] in tree and row["part"] in tree for row in found["chapters"])


def test_the_table_of_a_book_of_very_many_chapters_is_bounded(cli: Cli, tmp_path: Path):
    chapters = (
        f"Chapter {number}\n\nThe lamp went out before the tide had turned at night." for number in range(1, 702)
    )
    (tmp_path / "a.txt").write_text("\n\n".join(chapters), "utf-8")

    outcome = cli("import", tmp_path / "a.txt", "--dry-run")

    assert outcome.out.count("Chapter ") == 400
    assert "Chapter 701 " in outcome.out
    assert "note: 301 chapters in the middle are not shown" in outcome.err


def test_an_import_shows_its_bill_and_asks_before_anything_is_written(cli: Cli, tmp_path: Path):
    file = a_manuscript(tmp_path)

    refused = cli("import", file, "--json", "--profile", "economy")

    assert refused.code == 2
    assert "Looking at it takes about" in refused.err
    assert "night-watch" not in cli("status").out


def test_an_import_is_finished_then_gone_on_with_and_keeps_its_authors_headings(cli: Cli, tmp_path: Path):
    file = a_manuscript(tmp_path, "ja")

    imported = json.loads(cli("import", file, "--yes", "--no-prefect", "--json", "--profile", "economy").out)
    longer = json.loads(cli("resume", imported["book"], "--words", "400", "--no-prefect", "--json").out)

    read = cli("read", imported["book"]).out
    assert imported["book"].startswith("night-watch-")
    assert imported["written"] == imported["length"]
    assert longer["length"] == imported["length"] + 400
    assert longer["calls"] > imported["calls"]
    for heading in ("プロローグ", "第一章 旅立ち", "第3話　誰もいない駅", "エピローグ", "第4話"):
        assert heading in read
    again = cli("resume", imported["book"], "--no-prefect", "--json")
    assert json.loads(again.out)["was_finished"]


def test_the_same_file_is_told_and_makes_another_book_only_when_asked(cli: Cli, tmp_path: Path):
    file = a_manuscript(tmp_path)
    first = json.loads(cli("import", file, "--rest", "--json").out)

    told = cli("import", file, "--rest", "--title", "Another Name")
    second = json.loads(cli("import", file, "--rest", "--json", "--again").out)

    assert told.code == 2
    assert f"imported already, as {first['book']}" in told.err
    assert told.out == "", "nothing is shown of what is refused"
    assert second["book"] == f"{first['book']}-2"


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("en figures", "docx"),
        ("en figures", "md"),
        ("zh", "txt"),
        ("zh", "epub"),
        ("ja", "docx"),
        ("ko", "epub"),
        ("ko", "txt"),
    ],
)
def test_every_export_is_a_manuscript_that_comes_back_as_it_was(cli: Cli, tmp_path: Path, name: str, to: str):
    file = a_manuscript(tmp_path, name)
    book = json.loads(cli("import", file, "--rest", "--json", "--language", HABITS[name].language).out)["book"]
    cli("export", book, "--to", to, "--output", tmp_path / f"out.{to}")

    before = json.loads(cli("import", file, "--dry-run", "--json").out)
    after = json.loads(cli("import", tmp_path / f"out.{to}", "--dry-run", "--json").out)

    told = ("heading", "part", "length", "begins")
    assert [{key: row[key] for key in told} for row in after["chapters"]] == [
        {key: row[key] for key in told} for row in before["chapters"]
    ]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--as", "other"], "--as names"), (["--encoding", "klingon"], "which is none"),
        (["--language", "fr"], "--language is"), (["--language", "zh"], "'zh', and the text is English"),
        (["--chapter-pattern", "("], "regular expression"), (["--words", "0", "--rest"], "--words is"),
        (["--model", "nobody:x"], "nobody"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_anything_is_written(
    cli: Cli, tmp_path: Path, options: list[str], complaint: str
):
    outcome = cli("import", a_manuscript(tmp_path), *options)

    assert outcome.code == 2
    assert complaint in outcome.err
    assert "night-watch" not in cli("status").out


def test_a_text_shorter_than_any_book_is_refused(cli: Cli, tmp_path: Path):
    (tmp_path / "a.txt").write_text("Rain fell. The lamp went out.", encoding="utf-8")

    outcome = cli("import", tmp_path / "a.txt")

    assert outcome.code == 2
    assert "a book has at least 50" in outcome.err


def test_a_book_is_written_along_an_outline(cli: Cli, tmp_path: Path):
    (tmp_path / "outline.md").write_text(OUTLINE, encoding="utf-8")
    options = ("--words", "600", "--profile", "economy", "--no-prefect", "--json")

    written = json.loads(cli("write", "--outline", tmp_path / "outline.md", *options).out)

    tree = cli("tree", written["book"], "--units").out
    assert written["title"] == "The Lamp"
    assert "Chapter 1: The Log" in tree
    assert "Chapter 2: The Boat" in tree


def test_a_brief_names_its_outline_and_a_bad_one_is_refused(cli: Cli, tmp_path: Path):
    (tmp_path / "outline.md").write_text("A story about a lamp, and nothing else.", encoding="utf-8")
    (tmp_path / "brief.toml").write_text('outline = "outline.md"\nlength = 600\n', encoding="utf-8")

    outcome = cli("write", tmp_path / "brief.toml")

    assert outcome.code == 2
    assert "names no chapters" in outcome.err


def test_an_outline_does_not_do_away_with_the_look_at_the_first_plan(cli: Cli, tmp_path: Path):
    (tmp_path / "outline.md").write_text(OUTLINE, encoding="utf-8")
    options = ("--words", "600", "--profile", "economy", "--no-prefect", "--gate", "outline", "--json")

    rests = cli("write", "--outline", tmp_path / "outline.md", *options)

    assert rests.code == 5
    assert "outline of the book" in rests.err
    book = json.loads(cli("status", "--json").out)[0]["book"]
    assert cli("approve", book).code == 0
    assert cli("resume", book, "--no-prefect", "--json").code == 0


def test_no_book_is_written_to_its_end_for_a_chapter_that_it_cannot_have(cli: Cli, tmp_path: Path):
    (tmp_path / "outline.md").write_text(OUTLINE, encoding="utf-8")
    options = ("--words", "600", "--profile", "economy", "--no-prefect", "--until", "1", "--json")
    cli("write", "--outline", tmp_path / "outline.md", *options)
    book = json.loads(cli("status", "--json").out)[0]["book"]
    cli("resume", book, "--until", "2", "--no-prefect")

    refused = cli("resume", book, "--until", "chapter 99", "--no-prefect")

    assert refused.code == 2
    assert "--until is 'chapter 99'; this book has no more than 2 chapters" in refused.err
    assert cli("resume", book, "--words", "500", "--until", "chapter 3", "--no-prefect").code in (0, 4)
