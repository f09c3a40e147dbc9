"""Every command of the documentation is run, in order and in one folder, by the scripted author; or it says why not.

What differs from the page: books are written without Prefect, lengths are cut down, and names such as BOOK are those
of a book that is there.
"""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.cli.verbs import VERBS
from tests.docs.blocks import DOCS, PAGES, Block, blocks
from tests.places import ROOT
from tests.support.postgres import PostgresServer

NOT_RUN = {
    r"make \w+": "prepares, serves, or runs what this is a part of",
    r"(prefect|podman|sudo|systemctl|python deploy/studio\.py|sh deploy) ": "needs servers, or another machine",
    r"(pip|pipx|uvx) ": "tests/test_distribution.py installs the wheel in an environment of its own",
    r"set -a": "takes in the variables of a studio that runs",
    r"export ": "sets what the lines after it need, which are not run",
    r"python -m bench": "takes minutes; tests/bench has the counts",
    r"bookwright (server|submit)\b": "is, or needs, a Prefect server; tests/cli/operating, tests/flows/prefect",
    r"bookwright (studio|watch|chat)\b": "goes on until it is ended; tests/studio, tests/cli/watch, tests/cli/chat",
    r".*--model (?!rehearsal|embedded)": "asks a provider, which costs money",
    r"bookwright (worldbuild|mystery)\b": "a book of minutes; tests/cli/writing/test_blueprints.py",
    r"bookwright write .*--(blueprint|world) ": "a book of minutes; tests/flows/blueprints, tests/flows/intake",
    r"bookwright ask ": "the scripted author knows its own wishes only; tests/cli/steering",
    r"bookwright (approve|reject) ": "needs a gate that waits; tests/cli/steering, tests/flows/test_gates.py",
    r"bookwright refresh BOOK$": "asks at the terminal; howto and tutorial refresh with --yes",
    r"bookwright import examples/night-watch.txt$": "asks at the terminal; howto imports it with --yes",
    r"bookwright restore /backups/": "asks at the terminal; operations restores with --yes",
    r"bookwright resume BOOK --(until|words)": "lengths that the page makes up; the tutorial rests at a chapter",
    r"bookwright doctor --ask": "asks a model, which may cost money; tests/cli/operating/test_doctor_ask.py",
    r"bookwright (init|mcp)\b": "asks, or serves; tests/cli/operating/test_init.py, tests/cli/operating/test_mcp.py",
    r"bookwright (models get|write --example)": "wants the network; tests/test_distribution.py",
    r"bookwright (candidates|write .*--cand)": "chapters that are made up; tests/cli/changing/test_candidates.py",
    r"bookwright (note|edit) BOOK": "words that are made up; tests/cli/changing (test_notes.py, test_editing.py)",
    r"bookwright (fork|compare|merge) ": "branches that the page makes up; tests/cli/changing/test_branches.py",
    r"bookwright (write|brief) .*--(no-)?gate ": "units that the page makes up; tests/cli/steering/test_gates.py",
    r"bookwright (sync|revise) BOOK": "names chapters that the page makes up; howto and tutorial run both",
}
"""Commands that no page runs, by how they begin, with the reason or the tests that run them."""

PLAIN = {"BOOK": "lamp", "STEP": "3", "FOLDER": "mystery", "PREMISE": "A keeper counts the lamps."}
WALKS = {
    "author": ["tutorial.md", "howto.md"],
    "author in Chinese": ["zh/tutorial.md", "zh/howto.md"],
    "developer": ["developing.md", "observing.md"],
}
"""Pages that are read one after another, in a folder of their own; all others stand for themselves."""

READ_IN_ORDER = {DOCS / name for names in WALKS.values() for name in names}
OTHERS = [page for page in PAGES if page not in READ_IN_ORDER]
SHELLS = [block for page in PAGES for block in blocks(page) if block.is_shell]


@dataclass
class Reader:
    """Somebody who types what a page says, in a folder of their own."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    ran: list[str] = field(default_factory=list)

    def read(self, page: Path) -> None:
        """Do all that a page says."""
        for block in blocks(page):
            if name := block.marks.get("file"):
                (self.folder / name).write_text("\n".join(block.lines), encoding="utf-8")
            elif block.is_shell and "not run" not in block.marks:
                for command in block.commands():
                    if not why_not(command):
                        self.type(command, block)

    def type(self, command: str, block: Block) -> None:
        """Type a command and see that it leaves as the page says."""
        words = shlex.split(re.sub(r"/backups/", "backups/", command))
        with self.monkeypatch.context() as patch:
            while "=" in words[0]:
                name, _, value = words.pop(0).partition("=")
                patch.setenv(name, value)
            assert Path(words[0]).name == "bookwright", f"{block.place}: {command}"
            code = run(app, adapted(words[1:]))
        assert code == int(block.marks.get("exit", "0")), f"{block.place}: {command}"
        self.ran.append(command)


def adapted(words: list[str]) -> list[str]:
    """Put a book that is there into a command, and spare it Prefect and long texts."""
    words = [PLAIN.get(word, PLAIN["PREMISE"] if word == "..." else word) for word in words]
    for place, word in enumerate(words):
        if word in ("--words", "--more"):
            words[place + 1] = str(min(int(words[place + 1]), {"--words": 400, "--more": 100}[word]))
    return [*words, "--no-prefect"] if words[0] in ("write", "resume", "import") else words


def why_not(command: str) -> str:
    """Return why a command is not run; empty for one that is."""
    return next((reason for beginning, reason in NOT_RUN.items() if re.match(beginning, command)), "")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """A reader without keys, with the examples, before an empty library."""
    for provider in PROVIDERS.values():
        for variable in (*provider.key_variables, *provider.url_variables):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    variables = {
        "HOME": str(tmp_path / "home"),
        "MODEL": "rehearsal:exact",
        "EMBEDDING": "hashing",
        "FREE_MEGABYTES": "0",
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"BOOKWRIGHT_{name}", value)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return Reader(tmp_path, monkeypatch)


def begin(reader: Reader) -> None:
    """Write the book that pages call BOOK."""
    assert run(app, ["write", "--premise", PLAIN["PREMISE"], "--title", "Lamp", "--words", "300", "--no-prefect"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_a_reader_can_do_all_that_the_pages_say(walk: str, reader: Reader) -> None:
    if walk == "developer":
        begin(reader)

    for page in WALKS[walk]:
        reader.read(DOCS / page)

    assert len(reader.ran) > 4


@pytest.mark.slow
def test_the_other_pages_run_as_they_stand(reader: Reader) -> None:
    begin(reader)
    (reader.folder / "brief.toml").write_text('premise = "A keeper counts."\nlength = 300\n')

    for page in OTHERS:
        reader.read(page)

    assert {"bookwright tree BOOK", "bookwright export BOOK --to epub", "bookwright stale BOOK"} <= set(reader.ran)


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_drills_of_an_operator_bring_every_book_back(
    database: str, reader: Reader, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    if database == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        name = server.new_database(request.getfixturevalue("postgres_template"))
        reader.monkeypatch.setenv("BOOKWRIGHT_DATABASE_URL", server.url(name))
    begin(reader)
    before = told(capsys, "read", "lamp")

    reader.read(DOCS / "operations.md")

    assert told(capsys, "read", "lamp") == before
    [book] = json.loads(told(capsys, "status", "--json"))
    assert book["state"] == "finished"
    assert [command.split()[1] for command in reader.ran[:4]] == ["backup", "db", "doctor", "status"]
    assert any(command.startswith("bookwright restore ") for command in reader.ran)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(app, arguments) == 0
    return capsys.readouterr().out


def test_every_block_that_is_not_run_says_why() -> None:
    marked = [block for block in SHELLS if "not run" in block.marks]

    assert len(SHELLS) > 60
    assert all(len(block.marks["not run"]) > 10 for block in marked)
    unknown = [
        f"{block.place}: {command}"
        for block in SHELLS
        if block not in marked
        for command in block.commands()
        if not why_not(command) and "bookwright" not in shlex.split(re.sub(r"^([A-Z_]+=\S* )+", "", command))[0]
    ]
    assert unknown == []


def test_every_reason_is_still_needed() -> None:
    commands = [command for block in SHELLS if "not run" not in block.marks for command in block.commands()]

    assert [each for each in NOT_RUN if not any(re.match(each, command) for command in commands)] == []
    paths = [name for reason in NOT_RUN.values() for name in re.findall(r"tests/[\w/.]+\w", reason)]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_verb_that_is_named_is_there() -> None:
    verbs = {name for group in VERBS.values() for name in group}
    named = set()
    for block in SHELLS:
        for command in block.commands():
            if command.startswith("bookwright "):
                named.add(next(word for word in command.split()[1:] if word.isalpha() and word != "json"))

    assert named <= verbs
    assert len(named) > 35
