"""Every error becomes one line and an exit code; what nobody foresaw leaves its traceback in a file."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from bookwright.cli.error_handling import run
from bookwright.models.errors import (
    BackendUnavailable,
    BookHeld,
    BookPaused,
    BookwrightError,
    DatabaseTooNew,
    MissingKey,
)


def failing(error):
    app = typer.Typer(add_completion=False)

    @app.command()
    def fail() -> None:
        raise error

    return app


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BookwrightError("no"), 1),
        (BackendUnavailable("no"), 1),
        (MissingKey("no"), 2),
        (DatabaseTooNew("no"), 2),
        (BookHeld("lamp", "process 7 on host", 12.0), 3),
        (BookPaused("it rests", "resume it"), 4),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
        (typer.Exit(143), 143),
    ],
)
def test_each_error_has_its_exit_code(home, error, code):
    assert run(failing(error), []) == code


def test_a_message_is_one_line_however_it_was_written(home, capsys):
    assert run(failing(BookwrightError("first\nsecond\n\n  third")), []) == 1

    assert capsys.readouterr().err == "bookwright: first second third\n"


def test_an_unforeseen_error_is_one_line_and_a_file(home, capsys):
    assert run(failing(ZeroDivisionError("by zero")), []) == 1

    line = capsys.readouterr().err
    path = Path(line.rstrip().rpartition(" ")[2])
    assert line.startswith("bookwright: a fault of the program (ZeroDivisionError); the traceback is in ")
    assert path.parent == home / "logs"
    assert "ZeroDivisionError: by zero" in path.read_text()


def test_a_traceback_finds_a_place_where_the_data_folder_is_none(home, capsys):
    home.write_text("a file")

    run(failing(OSError(errno.EIO, "broken")), [])

    assert Path(capsys.readouterr().err.rstrip().rpartition(" ")[2]).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wirte"], "No such command 'wirte'. Did you mean 'write'?"),
        (["status", "--jsno"], "No such option: --jsno"),
        (["tree"], "Missing argument 'BOOK'"),
    ],
)
def test_a_mistyped_command_is_bad_input(cli, arguments, message):
    outcome = cli(*arguments)

    assert outcome.code == 2
    assert outcome.err.startswith(f"bookwright: {message}")
    assert len(outcome.err.splitlines()) == 1


def test_ctrl_c_is_heard_while_the_program_is_still_loading() -> None:
    hears = """
import sys
from bookwright.__main__ import main

class Interrupted:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
main()
"""

    ended = subprocess.run([sys.executable, "-c", hears, "status"], capture_output=True, text=True, check=False)

    assert ended.returncode == 130
    assert ended.stderr == "bookwright: interrupted\n"
