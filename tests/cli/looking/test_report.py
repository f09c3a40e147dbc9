"""`report`: where the page goes, and what is refused."""

import json
from pathlib import Path

from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.cli.shelf import add_choice


def test_the_page_lies_beside_the_exports(cli: Cli, book: BookStorage, settings: Settings) -> None:
    outcome = cli("report", "lamp")

    path = settings.home / "exports" / "lamp-report.html"
    assert (outcome.code, outcome.out) == (0, f"{path}\n")
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_markdown_goes_where_it_is_sent(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    cli("report", "lamp", "--to", "md", "--output", tmp_path)
    cli("report", "lamp", "--output", tmp_path / "mine.md")

    assert (tmp_path / "lamp-report.md").read_text("utf-8").startswith("# Night Watch: report\n")
    assert (tmp_path / "mine.md").read_text("utf-8") == (tmp_path / "lamp-report.md").read_text("utf-8")


def test_a_folder_that_is_not_there_is_made_as_for_an_export(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    made = [cli("report", "lamp", "--output", wanted) for wanted in (f"{tmp_path}/v1.0/", f"{tmp_path}/sent")]

    assert [own.out for own in made] == [f"{tmp_path}/{name}/lamp-report.html\n" for name in ("v1.0", "sent")]
    assert all(Path(own.out.strip()).is_file() for own in made)


def test_json_holds_the_figures(cli: Cli, book: BookStorage) -> None:
    facts = json.loads(cli("report", "lamp", "--json").out)

    assert [chapter["figures"]["length"] for chapter in facts["report"]["chapters"]] == [7, 5]
    assert {cost["role"]: cost["calls"] for cost in facts["report"]["costs"]} == {"writer": 3}


def test_it_tells_the_choices_among_drafts(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    add_choice(book)

    [told] = json.loads(cli("report", "lamp", "--json").out)["report"]["choices"]
    cli("report", "lamp", "--output", tmp_path / "mine.md")
    cli("report", "lamp", "--output", tmp_path / "mine.html")

    assert (told["label"], told["heading"], told["chosen"], told["by"]) == ("1.2", "The Log", 2, "judge")
    assert told["orders"] == ["the order as it stands", "another point of attack"]
    for name in ("mine.md", "mine.html"):
        page = (tmp_path / name).read_text("utf-8")
        assert "Choices among drafts" in page
        assert "blind readers preferred candidate 2 of 2 in both orders" in page
        assert "It begins where it hurts." in page


def test_drift_is_measured_from_a_sample(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    sample, empty = tmp_path / "sample.txt", tmp_path / "empty.txt"
    sample.write_text("I run! I fall! I get up! What do I see? You!", "utf-8")
    empty.write_text(" \n", "utf-8")
    missing = cli("report", "lamp", "--sample", tmp_path / "missing.txt")

    plain, beside, refused = (
        cli("report", "lamp", *more, "--json") for more in ((), ("--sample", sample), ("--sample", empty))
    )

    drifts = [[chapter["drift"] for chapter in json.loads(o.out)["report"]["chapters"]] for o in (plain, beside)]
    assert drifts[0] == [None, None]
    assert [drift["overall"] > 0.3 for drift in drifts[1]] == [True, True]
    assert (refused.code, "is empty" in refused.err) == (2, True)
    assert "missing.txt' cannot be read: No such file or directory" in missing.err


def test_another_format_is_refused(cli: Cli, book: BookStorage) -> None:
    outcome = cli("report", "lamp", "--to", "pdf")

    assert (outcome.code, outcome.out) == (2, "")
    assert "formats are html, md" in outcome.err


def test_an_authors_own_list_that_is_wrong_is_named(cli: Cli, book: BookStorage, settings: Settings) -> None:
    folder = settings.home / "stock_phrases"
    folder.mkdir()
    (folder / "en.txt").write_text("(\n", "utf-8")

    outcome = cli("report", "lamp")

    assert outcome.code == 2
    assert "line 1 of" in outcome.err
