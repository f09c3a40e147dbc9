"""Lines on stderr as JSON, where they are wanted: notes, errors, what is asked of whom; and inside a span its ids."""

import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from bookwright.cli.log_lines import JsonLines
from bookwright.flows.prefect.server import server_environment
from bookwright.models.settings import load_settings
from tests.cli.conftest import Cli

BRIEF = ("--premise", "A keeper reads a log in her own hand.", "--words", "300", "--no-prefect")


PROGRAM = """
import logging
from bookwright.cli import log_lines
log_lines.begin(is_verbose=False, as_json=True)
from prefect.logging.configuration import setup_logging
setup_logging()
from bookwright.cli.output import note
note("the server is up")
logging.getLogger("prefect.books").warning("it rests")
"""


@pytest.fixture(scope="module")
def said_beside_prefect(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a program says on stderr whose lines are JSON, once Prefect has set up logging in it as we have it do.

    Prefect reads its settings where it is imported, so it is a process of its own.
    """
    environment = server_environment(load_settings(home=tmp_path_factory.mktemp("prefect"), log_format="json"), 4200)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | environment, check=True, capture_output=True, text=True
    )
    return lines(done.stderr)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_error_is_an_object_on_stderr(cli: Cli) -> None:
    done = cli("--log-format", "json", "status", "nobody")

    [line] = lines(done.err)
    assert done.code != 0
    assert (line["level"], line["logger"]) == ("ERROR", "bookwright.cli")
    assert "there is no book 'nobody'" in line["message"]


def test_the_next_command_speaks_to_people_again(cli: Cli) -> None:
    cli("--log-format", "json", "status", "nobody")

    assert cli("status", "nobody").err.startswith("bookwright: there is no book")


def test_what_is_asked_of_whom_is_one_object_a_call(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKWRIGHT_LOG_FORMAT", "json")

    done = cli("-v", "write", *BRIEF, "--json")

    asked = [line for line in lines(done.err) if " asks " in line["message"]]
    assert len(asked) == json.loads(done.out)["calls"]
    assert {line["logger"] for line in asked} == {"bookwright.agents.steps.asking"}


def test_lines_stay_json_where_prefect_has_set_up_logging_of_its_own(said_beside_prefect: list[dict[str, Any]]) -> None:
    ours = [line for line in said_beside_prefect if line.get("msg") != "it rests"]

    assert [line["message"] for line in ours] == ["the server is up"]


def test_the_facts_on_stdout_are_the_same(cli: Cli) -> None:
    assert cli("--log-format", "json", "version", "--json").out == cli("version", "--json").out


def test_a_line_within_a_span_has_its_ids() -> None:
    record = logging.LogRecord("bookwright", logging.INFO, __file__, 1, "rain %s", ("falls",), None)

    with TracerProvider().get_tracer("test").start_as_current_span("chat") as span:
        inside = json.loads(JsonLines().format(record))

    assert int(inside["trace_id"], 16) == span.get_span_context().trace_id
    assert inside["message"] == "rain falls"
    assert "trace_id" not in json.loads(JsonLines().format(record))


def test_prefects_own_log_is_json_where_ours_is(said_beside_prefect: list[dict[str, Any]]) -> None:
    [line] = [line for line in said_beside_prefect if line.get("msg") == "it rests"]

    assert line["name"] == "prefect.books"
