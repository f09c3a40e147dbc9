"""Error handling of the command line: every error becomes one line on stderr and an exit code."""

import logging
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import typer

from bookwright.cli import log_lines
from bookwright.models.errors import BookwrightError

FAULT, BAD_INPUT, INTERRUPTED = 1, 2, 130


def run(app: Callable[..., object], arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; whatever goes wrong is told in one line on stderr."""
    try:
        outcome = app(args=list(arguments), prog_name="bookwright", standalone_mode=False)
        return outcome if isinstance(outcome, int) else 0
    except BookwrightError as error:
        _tell(str(error))
        return error.exit_code
    except typer.TyperException as error:
        _tell(f"{error.format_message().rstrip('.')}; `bookwright VERB --help` shows what there is")
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        _tell("interrupted")
        return INTERRUPTED
    except Exception as error:  # nothing lies further out; a person must not be shown a traceback
        _tell(f"a fault of the program ({type(error).__name__}); the traceback is in {_keep_traceback(error)}")
        return FAULT
    finally:
        log_lines.end()


def _tell(message: str) -> None:
    line = " ".join(message.split())
    if log_lines.are_json():
        log_lines.tell(line, logging.ERROR)
    else:
        typer.echo(f"bookwright: {line}", err=True)


def _keep_traceback(error: Exception) -> Path:
    """Write the traceback under the data folder, or where temporary files go if that cannot be written."""
    name = f"fault-{datetime.now():%Y%m%d-%H%M%S-%f}.txt"
    text = "".join(traceback.format_exception(error))
    for folder in (_logs, tempfile.gettempdir):
        with suppress(OSError, BookwrightError):
            path = Path(folder(), name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            return path
    return Path("nowhere: no folder can be written")


def _logs() -> Path:
    from bookwright.models.settings import load_settings  # a start that goes well does without

    return load_settings().home / "logs"
