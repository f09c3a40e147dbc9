"""The verbs: all of them listed by what they are for, completed by the shell, and light where they only look."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from bookwright.cli.verbs import VERBS, load
from tests.cli.conftest import set_home
from tests.cli.shelf import a_book
from tests.cli.terminal import Terminal
from tests.support.books import make_settings
from tests.support.forks import reached

NAMES = [name for verbs in VERBS.values() for name in verbs]

LOOKS = (("version",), ("--help",), ("tree", "lamp"), ("log", "lamp"), ("status",), ("status", "lamp"))
GOES_ON = ("resume", "lamp", "--no-prefect", "--json")
WRITES = ("write", "--premise", "A keeper reads a log.", "--words", "300", "--no-prefect", "--json")
IN_TURN = (
    ("--help",), ("version",), ("examples",), *LOOKS[2:], ("read", "lamp"), ("branches", "lamp"), GOES_ON, WRITES,
)  # fmt: skip
"""Each imports what those before it do and more, so that one process tells of all."""
NOT_FOR_LOOKS = (
    "prefect", "pydantic_ai", "openai", "anthropic", "chromadb", "numpy", "textual", "trafilatura", "lxml", "alembic",
    "httpx", "httpx2", "jinja2", "aiohttp", "bookwright.agents", "bookwright.flows", "sqlalchemy.dialects.postgresql",
    "bookwright.models.story_time.lexicon", "bookwright.exports.files", "bookwright.manuscripts", "bookwright.prompts",
)  # fmt: skip
NOT_FOR_WRITING = (
    "prefect", "anthropic", "textual", "trafilatura", "lxml", "alembic", "sqlalchemy.dialects.postgresql",
    "bookwright.agents.tools.fetch_page", "bookwright.exports.docx", "bookwright.exports.epub",
    "bookwright.manuscripts.outlines", "bookwright.cli.writing.ndjson",
)  # fmt: skip
BUILT = ("bookwright.models.brief.Brief", "bookwright.models.edit.QueuedEdit")
"""Models whose validators are built when they are first used."""


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code of a program with these arguments, and what it has printed."""
    done = reached().run(["bookwright", *arguments], environment={**os.environ, **environment})
    return done.returncode, done.stdout.decode()


def among(loaded: Iterable[str], heavy: Iterable[str]) -> list[str]:
    return sorted(set(loaded) & set(heavy))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], set[str]]:
    """The modules that one process has imported once it has done each of several lines, with those before it.

    Beside them stand the models among `BUILT` that it has built by then.
    """
    code = (
        "import json, sys; from bookwright.cli import error_handling; from bookwright.cli.main import app\n"
        "for line in json.loads(sys.argv[1]):\n"
        "    if code := error_handling.run(app, line): sys.exit(code)\n"
        "    held = [(name, getattr(sys.modules.get(name.rpartition('.')[0]), name.rpartition('.')[2], None))\n"
        "            for name in json.loads(sys.argv[2])]\n"
        "    built = [name for name, model in held if model is not None and model.__pydantic_complete__]\n"
        "    sys.stderr.write('\\n' + json.dumps([*sys.modules, *built]) + '\\n')"
    )
    with pytest.MonkeyPatch.context() as environment:
        a_book(make_settings(set_home(tmp_path_factory.mktemp("in_turn") / "home", environment)), length=900)
        command = [sys.executable, "-c", code, json.dumps(IN_TURN), json.dumps(BUILT)]
        untraced = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        done = subprocess.run(command, env=untraced, capture_output=True, text=True, check=True)
    told = [line for line in done.stderr.splitlines() if line.startswith("[")]
    return {line: set(json.loads(modules)) for line, modules in zip(IN_TURN, told, strict=True)}


@pytest.mark.parametrize("arguments", LOOKS, ids=" ".join)
def test_a_look_imports_nothing_heavy(arguments: tuple[str, ...], loaded: dict[tuple[str, ...], set[str]]) -> None:
    modules = loaded[arguments]

    assert among(modules, NOT_FOR_LOOKS) == []
    assert ("bookwright.storage.branches.forking" in modules) == (arguments[0] == "status")  # it tells of branches
    assert ("sqlalchemy" in modules) == (arguments not in (("version",), ("--help",)))


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (("branches", "lamp"), ("numpy", "jinja2", "rapidfuzz")),
        (("examples",), ("sqlalchemy", "numpy", "jinja2")),
        (("read", "lamp"), ("bookwright.storage.repositories.staleness", "bookwright.models.staleness")),
    ],
)
def test_other_small_verbs_import_no_more_than_they_use(
    arguments: tuple[str, ...], spared: tuple[str, ...], loaded: dict[tuple[str, ...], set[str]]
) -> None:
    assert among(loaded[arguments], spared) == []


def test_the_help_needs_no_model_of_the_domain(loaded: dict[tuple[str, ...], set[str]]) -> None:
    modules = loaded["--help",]

    assert among(modules, ["pydantic", "bookwright.models.settings", "bookwright.storage"]) == []


def test_a_look_builds_only_the_models_that_it_uses(loaded: dict[tuple[str, ...], set[str]]) -> None:
    modules = loaded["log", "lamp"]

    assert {"bookwright.models.brief", "bookwright.models.edit"} <= modules
    assert among(modules, BUILT) == ["bookwright.models.brief.Brief"]


def test_a_book_is_gone_on_with_without_what_it_does_not_need(loaded: dict[tuple[str, ...], set[str]]) -> None:
    assert among(loaded[GOES_ON], NOT_FOR_WRITING) == []
    assert "bookwright.flows.run_book" in loaded[GOES_ON]


def test_where_no_variable_asks_for_spans_nothing_that_makes_them_is_imported(
    loaded: dict[tuple[str, ...], set[str]],
) -> None:
    assert [name for name in loaded[WRITES] if name.startswith("bookwright.agents.tracing")] == []
    assert "bookwright.flows.tracing" in loaded[WRITES]


def test_the_help_lists_every_verb_under_what_it_is_for(home: Path) -> None:
    _, shown = run("--help", COLUMNS="80")

    places = [shown.index(f"\n{title}:\n") for title in VERBS]
    assert list(VERBS) == ["Write", "Look", "Steer", "Change", "Share", "Run a studio"]
    assert places == sorted(places)
    for (start, end), verbs in zip(pairwise([*places, len(shown)]), VERBS.values(), strict=True):
        listed = [line.split()[0] for line in shown[start:end].strip().splitlines()[1:]]
        assert listed == list(verbs)
    assert max(map(len, shown.splitlines())) < 80


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_of_the_table_is_there(name: str) -> None:
    assert load(name).name == name


@pytest.mark.parametrize(
    ("shell", "begins"),
    [("bash", "_bookwright_completion()"), ("zsh", "#compdef bookwright"), ("fish", "complete --command bookwright")],
)
def test_a_shell_is_given_a_script_that_completes(home: Path, shell: str, begins: str) -> None:
    alone = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # else by its own parent
    code, shown = run("--show-completion", shell, **alone)

    assert code == 0
    assert shown.startswith(begins)
    assert f"_BOOKWRIGHT_COMPLETE=complete_{shell}" in shown


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("st", {"studio", "status", "stale", "style"}),
        ("", set(NAMES)),
        ("log --f", {"--follow"}),
        ("codex me", {"merge"}),
    ],
)
def test_verbs_and_options_are_completed(home: Path, typed: str, wanted: set[str]) -> None:
    words: Mapping[str, str] = {
        "_BOOKWRIGHT_COMPLETE": "complete_bash",
        "COMP_WORDS": f"bookwright {typed}",
        "COMP_CWORD": str(1 + typed.count(" ")),
    }

    assert set(run(**words)[1].split()) == wanted


def test_no_color_is_heeded(tmp_path: Path) -> None:
    def shown(**environment: str) -> str:
        terminal = Terminal(
            ["doctor", "--ask", "rehearsal:exact"],
            {"BOOKWRIGHT_HOME": str(tmp_path / "home"), "TERM": "xterm-256color", **environment},
            forks=reached(),
        )
        terminal.left()
        terminal.close()
        return terminal.shown

    colours = re.compile("\x1b\\[[0-9;]*3[0-9]m")
    assert colours.search(shown())
    assert colours.search(shown(NO_COLOR="1")) is None
