"""`init`: the model is chosen once and remembered; what else stands in the file stays."""

import json
import tomllib

import pytest

from bookwright.models.settings import load_settings
from tests.cli.terminal import Terminal


@pytest.fixture
def unset(home, monkeypatch):
    monkeypatch.delenv("BOOKWRIGHT_MODEL")
    monkeypatch.setenv("OPENAI_API_KEY", "key-that-is-written-nowhere")


def test_a_model_is_remembered_and_a_key_is_not(cli, unset, home):
    done = cli("init", "--model", "gpt-5.6-luna", "--json")

    assert json.loads(done.out) == {
        "file": str(home / "config.toml"), "model": "openai:gpt-5.6-luna", "keys": ["openai"],
    }  # fmt: skip
    assert load_settings().model == "openai:gpt-5.6-luna"
    assert "key-that" not in (home / "config.toml").read_text("utf-8")


def test_what_stands_in_the_file_stays_with_its_comments(cli, unset, home):
    home.mkdir()
    (home / "config.toml").write_text('# mine\nmodel = "ollama:old"  \nstudio_usd = 9\n\n[windows]\n"vllm:b" = 4096\n')

    cli("init", "--model", "rehearsal:exact", "--notify", "notify-send 'My book'")

    text = (home / "config.toml").read_text("utf-8")
    assert text.startswith('# mine\nmodel = "rehearsal:exact"\nstudio_usd = 9\n')
    assert tomllib.loads(text) == {
        "model": "rehearsal:exact", "studio_usd": 9, "notify_command": ["notify-send", "My book"],
        "windows": {"vllm:b": 4096},
    }  # fmt: skip
    assert load_settings().notify_command == ("notify-send", "My book")


def test_in_a_terminal_it_asks_and_suggests_what_a_key_is_there_for(unset, home, prefect_forks):
    terminal = Terminal(["init"], {}, forks=prefect_forks)
    terminal.expect("keys are set for openai")
    terminal.expect("model [openai:gpt-6.1-terra]: ")
    terminal.type("\n")

    assert terminal.left() == 0
    terminal.close()
    assert load_settings().model == "openai:gpt-6.1-terra"


@pytest.mark.parametrize("name", ["nobody", "nobody:x"])
def test_a_model_of_nobody_s_is_refused(cli, unset, home, name):
    assert cli("init", "--model", name).code == 2
    assert not (home / "config.toml").exists()
