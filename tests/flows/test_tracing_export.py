"""Spans go out by OpenTelemetry's own variables, by both protocols.

That nothing which makes them is imported without the variables, tests/cli/test_verbs.py has.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bookwright.flows import tracing
from bookwright.models.errors import InvalidSetting
from tests.flows.spans_collector import Collector, grpc_collector, http_collector
from tests.places import ROOT
from tests.support.forks import Told, reached

BRIEF = ("--premise", "A keeper reads a log in her own hand.", "--title", "The Log", "--words", "300")
WRITE = ("write", *BRIEF, "--no-prefect", "--json")


def environment_of(home: Path, **variables: str) -> dict[str, str]:
    ours = {"HOME": str(home), "MODEL": "rehearsal:exact", "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return kept | {f"BOOKWRIGHT_{name}": value for name, value in ours.items()} | variables


def write(home: Path, **variables: str) -> Told:
    """Write a small book in a process of its own."""
    return reached().run(["bookwright", *WRITE], cwd=ROOT, environment=environment_of(home, **variables))


def write_anew(home: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Do so in a process that has imported nothing yet."""
    return subprocess.run(
        [sys.executable, "-m", "bookwright", *WRITE], env=environment_of(home, **variables), cwd=ROOT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip


def arrived(collector: Collector, calls: int) -> None:
    names = [span.name.split()[0] for span in collector.spans]
    assert names.count("chat") == calls
    assert names.count("invoke_workflow") == 1
    assert {"service.name", "service.version"} <= set(collector.resources[0])


def test_spans_arrive_by_grpc_which_is_the_default(tmp_path: Path) -> None:
    with grpc_collector() as collector:
        done = write(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_SERVICE_NAME="night-shift")

    assert done.returncode == 0, done.stderr
    arrived(collector, json.loads(done.stdout)["calls"])
    assert collector.resources[0]["service.name"] == "night-shift"


def test_spans_arrive_by_http_with_the_headers_that_are_set(tmp_path: Path) -> None:
    with http_collector() as collector:
        done = write(
            tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
            OTEL_EXPORTER_OTLP_HEADERS="api-key=of-the-collector",
        )  # fmt: skip

    assert done.returncode == 0, done.stderr
    arrived(collector, json.loads(done.stdout)["calls"])
    assert {(asked.path, asked.headers["api-key"]) for asked in collector.asked} == {("/v1/traces", "of-the-collector")}
    assert collector.resources[0]["service.name"] == "bookwright"


def test_a_collector_that_is_away_costs_no_book_and_no_line(tmp_path: Path) -> None:
    done = write_anew(
        tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9", OTEL_EXPORTER_OTLP_TIMEOUT="1",
        OTEL_BSP_EXPORT_TIMEOUT="1000",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["written"] > 200
    assert "127.0.0.1:9" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "is_on"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4317"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
    ],
)
def test_the_environment_says_whether_there_are_spans(environment: Mapping[str, str], is_on: bool) -> None:
    assert tracing.is_on(environment) is is_on


def test_what_the_environment_cannot_mean_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="'otlp', or nowhere with 'none'"):
        tracing.is_on({"OTEL_TRACES_EXPORTER": "console"})
    with pytest.raises(InvalidSetting, match="'http/json'; there are grpc and http/protobuf"):
        tracing.protocol({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"})


@pytest.mark.parametrize(
    ("value", "captures"), [("", False), ("true", True), ("SPAN_ONLY", True), ("no_content", False)]
)
def test_texts_are_wanted_by_the_variable_of_the_conventions(value: str, captures: bool) -> None:
    assert tracing.captures_texts({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": value}) is captures


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a small book that was written without spans."""
    home = tmp_path_factory.mktemp("written")
    write(home)
    return home


def asked_beside_a_book(home: Path, *typed: str, said: str) -> Collector:
    """Type a line beside a book with spans; what it wants done is not agreed to."""
    with grpc_collector() as collector:
        environment = environment_of(home) | {tracing.ENDPOINTS[0]: collector.url}
        reached().run(["bookwright", *typed], said.encode(), ROOT, environment)
    return collector


@pytest.mark.parametrize(
    ("typed", "agent"),
    [(("ask", "the-log", "tree", "--json"), "chief_editor"), (("chat", "--agent", "researcher"), "researcher")],
)
def test_what_is_asked_beside_a_book_has_a_span_for_each_answer_and_its_calls(
    written: Path, tmp_path: Path, typed: tuple[str, ...], agent: str
) -> None:
    home = Path(shutil.copytree(written, tmp_path / "home"))
    collector = asked_beside_a_book(home, *typed, said="What burns in the lamp?\n")

    [answer] = [span for span in collector.spans if span.name == f"invoke_agent {agent}"]
    calls = [span for span in collector.spans if span.name.startswith("chat ")]
    assert len(calls) >= 1
    assert {call.parent_span_id for call in calls} == {answer.span_id}
    assert {call.trace_id for call in calls} == {answer.trace_id}
    assert "lamp" not in str(collector.spans)  # no texts
