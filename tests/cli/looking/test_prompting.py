"""`prompt` with an edited template: what would be asked, where it differs, and nothing else."""

import hashlib
import json
import shutil
from contextlib import redirect_stdout
from io import StringIO

import pytest

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.failpoints import Failpoint
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from tests.cli.conftest import set_home

BRIEF = (
    "--premise",
    "A keeper of a lighthouse counts ships.",
    "--words",
    "900",
    "--profile",
    "economy",
    "--planning-rounds",
    "1",
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A data folder with a written book, and the book's id."""
    with pytest.MonkeyPatch.context() as environment, redirect_stdout(StringIO()) as out:
        folder = set_home(tmp_path_factory.mktemp("written") / "home", environment)
        run(app, ["write", *BRIEF, "--no-prefect", "--json"])
    return folder, json.loads(out.getvalue())["book"]


@pytest.fixture
def draft(cli, home, written):
    """A written book's id, and the number of the step that drafted its prose."""
    folder, book = written
    shutil.copytree(folder, home)
    steps = map(json.loads, cli("log", book, "--json").out.splitlines())
    return book, next(step["id"] for step in steps if (step["activity"], step["step"]) == ("write", "draft"))


@pytest.fixture
def mine(cli, draft, tmp_path):
    """A copy of the draft's template."""
    file = tmp_path / "mine.j2"
    file.write_text(cli("prompt", *draft, "--template").out, encoding="utf-8")
    return file


def edit(file):
    """Add a line to the role."""
    text = file.read_text("utf-8")
    assert "{% block seat %}" in text
    file.write_text(text.replace("{% block seat %}", "{% block seat %}\nBe brief.\n"), "utf-8")


def test_the_template_is_printed_alone_and_its_path_beside_it(cli, draft):
    outcome = cli("prompt", *draft, "--template")
    facts = json.loads(cli("prompt", *draft, "--template", "--json").out)

    assert outcome.out.rstrip("\n") == facts["source"].rstrip("\n")
    assert facts["template"] in outcome.err
    assert facts["file"] in outcome.err
    assert facts["file"].endswith(f"{facts['template']}.md.j2")


def test_a_frame_that_the_template_takes_in_can_be_printed_and_replaced(cli, draft, tmp_path):
    [frame] = json.loads(cli("prompt", *draft, "--template", "--json").out)["takes_in"]
    file = tmp_path / "frame.j2"
    before, mark, after = cli("prompt", *draft, "--template", "--as", frame).out.rpartition("{% endblock")
    file.write_text(f"{before}\nAnd be kind.\n{mark}{after}", encoding="utf-8")

    changed = cli("prompt", *draft, "--with", file, "--as", f"{frame}.md.j2", "--diff").out

    assert "+And be kind." in changed.splitlines()


def test_an_unedited_copy_asks_the_same(cli, draft, mine):
    assert cli("prompt", *draft, "--with", mine, "--diff").out == "no difference\n"
    assert cli("prompt", *draft, "--with", mine).out == cli("prompt", *draft).out
    assert cli("prompt", *draft, "--with", mine).err == ""


def test_an_edited_copy_changes_the_steps_own_part_alone(cli, draft, mine):
    edit(mine)
    asked = json.loads(cli("prompt", *draft, "--json").out)["prompt"]

    facts = json.loads(cli("prompt", *draft, "--with", mine, "--json").out)

    assert facts["prompt"][:-1] == asked[:-1]
    assert "Be brief." in facts["prompt"][-1]
    assert facts["would_ask_tokens"] > facts["asked_tokens"]
    assert (facts["is_as_then"], facts["differs_from_then"]) == (True, [])


def test_the_diff_names_both_sides_with_their_tokens(cli, draft, mine):
    edit(mine)

    first, second, *rest = cli("prompt", *draft, "--with", mine, "--diff").out.splitlines()

    assert first.startswith(f"--- step {draft[1]}\tabout ")
    assert second.startswith(f"+++ {mine}\tabout ")
    assert any(line.startswith("+Be brief.") for line in rest)


def test_a_look_changes_no_byte_while_another_worker_writes_the_book(cli, draft, mine):
    settings = load_settings()
    database = open_database(settings)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, draft[0], "another worker", 600)
    before = hashlib.sha256(settings.database_path.read_bytes()).hexdigest()

    outcome = cli("prompt", *draft, "--with", mine)

    assert outcome.code == 0
    assert hashlib.sha256(settings.database_path.read_bytes()).hexdigest() == before
    database.dispose()


def changed(sql, *values):
    """Change the database by hand."""
    database = open_database(load_settings())
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.exec_driver_sql(sql, values)
    database.dispose()


def test_a_change_of_the_brief_since_then_changes_nothing(cli, draft, mine):
    changed("UPDATE briefs SET brief = replace(brief, '900', '800')")

    assert cli("prompt", *draft, "--with", mine, "--diff").out == "no difference\n"


def test_where_the_template_that_ships_is_another_than_then_it_is_said(cli, draft, mine):
    changed("UPDATE texts SET body = (SELECT t.body FROM texts t JOIN steps s ON s.reply = t.hash WHERE s.id = ?) "
            "WHERE hash = (SELECT substr(prompt, -24) FROM steps WHERE id = ?)", draft[1], draft[1])  # fmt: skip
    edit(mine)

    outcome = cli("prompt", *draft, "--with", mine)

    assert outcome.code == 0
    assert f"step {draft[1]} would read differently today without your edits, too" in outcome.err
    assert any(line.startswith("  -") for line in outcome.err.splitlines())
    assert not json.loads(cli("prompt", *draft, "--with", mine, "--json").out)["is_as_then"]


def test_a_step_that_an_older_version_recorded_is_shown_as_it_was_asked(cli, draft, mine):
    asked = cli("prompt", *draft).out
    changed("UPDATE steps SET card = NULL")
    edit(mine)

    outcome = cli("prompt", *draft, "--with", mine, "--diff")
    facts = json.loads(cli("prompt", *draft, "--with", mine, "--json").out)

    assert (outcome.code, outcome.out) == (0, asked)
    assert outcome.err.startswith(f"step {draft[1]} was recorded by an older version")
    assert facts["is_of_older_version"]
    assert "\n\n".join(facts["prompt"]) in asked


def test_a_prompt_that_was_let_go_of_cannot_be_rendered(cli, draft, mine):
    cli("prune", draft[0], "--keep-last", 0)

    outcome = cli("prompt", *draft, "--with", mine)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"bookwright: the prompt of step {draft[1]} is no longer kept")


@pytest.mark.parametrize(
    ("text", "message"),
    [("{{ nobody }}", "line 1: 'nobody' is undefined"), ("\n{% if %}", "line 2: Expected an expression")],
)
def test_a_template_that_cannot_be_rendered_is_bad_input(cli, draft, mine, text, message):
    mine.write_text(text)

    outcome = cli("prompt", *draft, "--with", mine)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"bookwright: {mine}, {message}")
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--with", "nobody.j2"), "the template 'nobody.j2' cannot be read"),
        (("--with", "nobody.j2", "--reply"), "--reply shows what was answered"),
        (("--template", "--diff"), "--template prints the template alone"),
        (("--diff",), "--diff compares with an edited template"),
        (("--as", "story/system"), "--as says which template a file is"),
        (("--template", "--as", "story/nix"), "this version has no template 'story/nix'"),
    ],
)
def test_options_that_mean_nothing_are_bad_input(cli, draft, arguments, message):
    outcome = cli("prompt", *draft, *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"bookwright: {message}")


def test_a_step_of_a_book_that_no_walk_made_is_told_to_be_out_of_reach(cli, book, tmp_path):
    file = tmp_path / "mine.j2"
    file.write_text("Nothing.")
    first = json.loads(cli("log", "lamp", "--json").out.splitlines()[0])["id"]

    outcome = cli("prompt", "lamp", first, "--with", file)

    assert (outcome.code, outcome.out) == (2, "")
    assert f"step {first} was not asked by a template of the walk" in outcome.err
