"""What the command line says of the program `claude`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.models.settings import load_settings
from tests.support.fake_claude import FakeClaude


@pytest.fixture
def claude(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeClaude]:
    """A stand-in that is asked for every role."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "claude-cli")
    monkeypatch.setenv("BOOKWRIGHT_CLAUDE_PATH", str(folder / "claude"))
    monkeypatch.delenv("SLIMA_AGENTS_MODEL", raising=False)
    with FakeClaude(folder) as stand_in:
        yield stand_in


def finding(cli, name):
    findings = {each["name"]: each for each in json.loads(cli("doctor", "--json").out)}
    return findings[name]["health"], findings[name]["detail"]


def test_the_model_is_told_by_its_name_then_by_the_environment_then_by_itself(home, monkeypatch):
    monkeypatch.delenv("SLIMA_AGENTS_MODEL", raising=False)
    by_itself = load_settings(model="claude-cli").model
    monkeypatch.setenv("SLIMA_AGENTS_MODEL", "claude-sonnet-4-6")

    assert by_itself == "claude-cli:claude-opus-4-6"
    assert load_settings(model="claude-cli").model == "claude-cli:claude-sonnet-4-6"
    assert load_settings(model="claude-cli:claude-haiku-4-5").model == "claude-cli:claude-haiku-4-5"


def test_models_show_where_the_program_is_and_start_nothing(cli, claude):
    shown = json.loads(cli("models", "--json").out)

    addresses = {each["provider"]: each["address"] for each in shown["providers"]}
    assert addresses["claude-cli"] == str(claude.path)
    assert {(role["model"], role["problem"], role["usd_in"]) for role in shown["roles"]} == {
        ("claude-cli:claude-opus-4-6", "", 5.0)
    }
    assert (claude.helped, claude.calls) == (0, [])


def test_doctor_asks_the_program_for_its_help_and_nothing_else(cli, claude):
    assert finding(cli, "reach") == ("ok", "claude-cli")
    assert (claude.helped, claude.calls) == (1, [])


def test_doctor_names_a_program_that_is_too_old_or_missing(cli, claude):
    claude.help = "Usage: claude [prompt]"
    old = finding(cli, "reach")
    claude.path.unlink()
    missing = finding(cli, "models")

    assert old[0] == missing[0] == "fault"
    assert "claude update" in old[1]
    assert "npm install -g @anthropic-ai/claude-code" in missing[1]


def test_no_book_is_begun_without_the_program(cli, claude, home):
    claude.path.unlink()

    outcome = cli("write", "--premise", "A keeper counts ships.", "--words", "900", "--no-prefect")

    assert outcome.code == 2
    assert "log in" in outcome.err
    assert not (home / "bookwright.db").exists()
