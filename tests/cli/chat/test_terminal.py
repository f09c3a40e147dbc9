"""Talking in a terminal: streaming, Ctrl-C, resuming, forking, and a talk that was killed."""

import os
import re
import time
from pathlib import Path

import pytest

from bookwright.storage.engine.database import open_database
from bookwright.storage.repositories.sessions import SessionRepository
from tests.cli.terminal import CTRL_C, CTRL_D, UP, Terminal
from tests.support.books import make_settings
from tests.support.fake_provider import FakeProvider

PROMPT = "you> "


def speak(prompt, schema):
    """Write a file when told to, else say the last line back."""
    if prompt.rstrip().endswith("write it"):
        return 'Thought: A file.\nAction: Write[{"path": "lamp.txt", "content": "oil\\n"}]'
    last = prompt.rstrip().splitlines()[-1]
    return f"Thought: Nothing to look up.\nAction: Finish[You said {last!r}, and it is so.]"


@pytest.fixture
def provider():
    with FakeProvider(author=speak) as server:
        yield server


@pytest.fixture
def person(home, provider, tmp_path, prefect_forks):
    """Sit down before a talk; every terminal is closed at the end."""
    opened = []

    def sit_down(*arguments):
        environment = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k", "BOOKWRIGHT_MODEL": "openai:gpt-4.1"}
        terminal = Terminal(["chat", *arguments], environment, tmp_path, prefect_forks)
        opened.append(terminal)
        terminal.expect(PROMPT)
        return terminal

    yield sit_down
    for terminal in opened:
        terminal.close()


@pytest.fixture
def turns(home):
    """The turns of the one session whose id begins so, and how it was mended."""

    def read(identity):
        database = open_database(make_settings(home))
        with database.read() as connection:
            history = SessionRepository(connection).history(identity)
        database.dispose()
        return [(turn.kind.value, turn.text) for turn in history.turns], history.repairs

    return read


def session_of(terminal):
    terminal.type("/session\n")
    shown = terminal.expect(PROMPT)
    found = re.search(r"session ([0-9a-f-]{36})", shown)
    return found[1]


def test_ctrl_c_breaks_the_answer_off_at_the_provider_and_the_talk_goes_on(person, provider, turns):
    provider.script = {0: "hang_mid", 1: ""}
    terminal = person("--agent", "code")

    terminal.type("Tell of rain.\n")
    terminal.expect("You said")
    terminal.type(CTRL_C)
    terminal.expect("broken off; what had come is kept")
    [cut] = provider.wait_closed(1)
    terminal.expect(PROMPT)
    session = session_of(terminal)
    terminal.type("And of snow.\n")
    terminal.expect("You said 'And of snow.', and it is so.\r\n")
    terminal.expect(PROMPT)
    terminal.type(CTRL_D)

    assert terminal.left() == 0
    assert (cut.is_whole, cut.time_out is not None) == (False, True)
    said, repairs = turns(session)
    assert [kind for kind, _ in said] == ["say", "answer", "say", "answer"]
    assert said[1][1].startswith("You said 'Tell of rain.'")
    assert said[1][1].endswith("(This answer was broken off.)")
    assert repairs == ()


def test_a_provider_that_never_answers_is_left_by_ctrl_c_and_a_second_one_ends_the_talk(person, provider):
    provider.script = {0: "hang"}
    terminal = person("--agent", "writer")

    terminal.type("Tell of rain.\n")
    while not provider.ledger:
        time.sleep(0.02)
    terminal.type(CTRL_C)
    terminal.expect(PROMPT)
    [hung] = provider.wait_closed(1)
    time.sleep(0.3)  # readline hears Ctrl-C once it waits, a moment after the prompt is shown
    terminal.type(CTRL_C)

    assert terminal.left() == 0
    assert (hung.trouble, hung.is_whole, hung.time_out is not None) == ("hang", False, True)
    assert "goes on" in terminal.shown


@pytest.mark.soak
def test_a_write_waits_for_the_persons_word_and_each_use_of_a_tool_is_one_line(person, tmp_path):
    terminal = person("--agent", "code", "--cwd", str(tmp_path))

    terminal.type("Please write it\n")
    terminal.expect("may it? [y/N] ")
    is_there_before = (tmp_path / "lamp.txt").exists()
    terminal.type("n\n")
    refused = terminal.expect(PROMPT)
    terminal.type("Once more: write it\n")
    terminal.expect("may it? [y/N] ")
    terminal.type("y\n")
    allowed = terminal.expect(PROMPT)
    terminal.type(UP + "\n")  # the history holds what was said, not "y"
    terminal.expect("Once more: write it")

    assert not is_there_before
    assert refused.count("< Write error: Write may not be used: the person refuses.") == 1
    assert allowed.count("< Write success") == 1
    assert (tmp_path / "lamp.txt").read_text() == "oil\n"


def test_a_talk_that_was_killed_in_the_middle_of_an_answer_is_mended_and_goes_on(person, provider, turns):
    provider.script = {1: "hang_mid"}
    terminal = person("--agent", "planner")
    terminal.type("One.\n")
    terminal.expect("it is so.")
    terminal.expect(PROMPT)
    session = session_of(terminal)
    terminal.type("Two.\n")
    terminal.expect("You said")

    terminal.kill()
    again = person("--session", session[:8])
    again.type("Three.\n")
    again.expect("it is so.")
    again.expect(PROMPT)

    said, repairs = turns(session)
    assert [kind for kind, _ in said] == ["say", "answer", "say", "answer"]
    assert said[2][1] == "Two.\n\nThree."
    assert repairs == ("two turns of the person in a row were put together",)
    assert "going on with" in again.shown
    assert "which begins: One." in again.shown


def test_slash_commands_fork_count_and_never_reach_the_model(person, provider, turns):
    terminal = person("--agent", "code", "--budget-usd", "1")

    terminal.type("/fork\n")
    refused = terminal.expect(PROMPT)
    terminal.type("One.\n")
    terminal.expect("it is so.")
    terminal.expect(PROMPT)
    origin = session_of(terminal)
    terminal.type("/fork\n")
    terminal.expect(f"{origin} stays as it is")
    terminal.expect(PROMPT)
    terminal.type("Two.\n")
    terminal.expect("it is so.")
    terminal.expect(PROMPT)
    branch = session_of(terminal)
    shown = []
    for command in ("/help", "/tools", "/cost", "/raw", "/nonsense"):
        terminal.type(f"{command}\n")
        shown.append(terminal.expect(PROMPT))
    terminal.type("/quit\n")

    assert terminal.left() == 0
    assert "nothing was said in this talk yet, so it cannot be forked" in refused
    assert [len(turns(each)[0]) for each in (origin, branch)] == [2, 4]
    assert len(provider.ledger) == 2
    expected = ("/fork", "Write (you are asked)", "of $1.00", "are shown", "no /nonsense")
    for text, command in zip(shown, expected, strict=True):
        assert command in text


@pytest.mark.soak
def test_the_history_is_kept_for_the_person_alone(person, home):
    terminal = person("--agent", "code")
    terminal.type("A secret lamp.\n")
    terminal.expect("it is so.")
    terminal.expect(PROMPT)
    terminal.type(CTRL_D)
    terminal.left()

    history = Path(home / "chat_history")
    assert "A secret lamp." in history.read_text()
    assert os.stat(history).st_mode & 0o077 == 0
    again = person("--agent", "code")
    again.type(UP)
    again.expect("A secret lamp.")
