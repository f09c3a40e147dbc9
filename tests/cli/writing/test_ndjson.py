"""What `--json-progress` prints, field by field, is what docs/cli.md says."""

import io
import json
import re
from collections import defaultdict

import pytest

from bookwright.cli.writing.ndjson import ProgressLines
from bookwright.models.talk.event import AgentEvent, CompletedEvent, FailedEvent, TextEvent
from tests.places import ROOT
from tests.support.blueprint_folders import atlas

_DOCS = ROOT / "docs" / "cli.md"
_ALWAYS = {"event", "timestamp", "book"}
_PLACE = {"agent_id": "draft", "tab_id": "lamp", "task_id": "1.2 write/draft"}


def documented():
    """The fields of each event in the table of docs/cli.md; those of objects in a field among them."""
    section = _DOCS.read_text("utf-8").partition("## Progress for other programs")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    return {event: set(re.findall(r"`([A-Za-z]+)`", told)) for event, told in rows}


def fields(lines):
    """The fields of each event, with those of objects in a field."""
    found = defaultdict(set)
    for line in lines:
        found[line["event"]] |= set(line) - _ALWAYS
        for value in line.values():
            found[line["event"]] |= set(value) if isinstance(value, dict) else set()
    return dict(found)


def told_of(events, **options):
    stream = io.StringIO()
    with ProgressLines("lamp", stream, **options) as told:
        for event in events:
            told.hear(event)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_every_field_is_documented_and_every_documented_field_is_printed(cli, book, tmp_path):
    with book.read() as stores:
        lamp = stores.books.get(book.book)
    told = cli(
        "write", "--premise", "A keeper counts ships.", "--words", 300, "--no-prefect", "--json-progress", "--stream"
    ).out
    told += cli(
        "write", "--premise", "A gate.", "--words", 300, "--no-prefect", "--json-progress", "--gate", "book_design"
    ).out
    told += cli(
        "write", "--premise", "A coast.", "--blueprint", atlas(tmp_path), "--words", 600, "--no-prefect",
        "--json-progress",
    ).out  # fmt: skip
    with pytest.raises(OSError), (lines := ProgressLines("lamp", fatal := io.StringIO())), lines.pipeline(lamp):
        raise OSError
    calls = [
        AgentEvent(payload={"name": "tool_use", "data": {"tool": "web_search"}}, **_PLACE),
        AgentEvent(payload={"name": "restarted"}, **_PLACE),
        FailedEvent(payload={"error": "no answer", "kind": "timeout"}, **_PLACE),
    ]
    printed = [json.loads(line) for line in (told + fatal.getvalue()).splitlines()]

    assert fields([*printed, *told_of(calls, streams=True)]) == documented()


def test_stages_of_a_blueprint_go_by_its_names_and_the_end_tells_the_verdict(cli, home, tmp_path):
    told = [json.loads(line) for line in cli(
        "write", "--premise", "A coast.", "--blueprint", atlas(tmp_path), "--words", 600, "--no-prefect",
        "--json-progress",
    ).out.splitlines()]  # fmt: skip
    starts = [line for line in told if line["event"] == "stage_start"]
    status = json.loads(cli("status", "--json").out)[0]

    assert [(line["stage"], line["node"], line["activity"]) for line in starts][:2] == [
        ("ground/looked_up execute", "1.1", "execute"), ("ground/coast execute", "1.2", "execute"),
    ]  # fmt: skip
    assert {line["stage"] for line in starts} >= {"ground/places/entry execute", "ground/places decompose"}
    assert all(line["stage"].startswith(("1 ", "ground/", "pages/", "validation/")) for line in starts)
    assert told[-1]["verdict"] == status["verdict"]
    assert told[-1]["verdict"]["verdict"] in ("passed", "open_points", "failed")
    assert told[-1]["exitCode"] == 0


def test_a_use_of_a_tool_belongs_to_its_stage():
    use = AgentEvent(payload={"name": "tool_use", "text": "{}", "data": {"tool": "web_search"}}, **_PLACE)

    told = told_of([use, CompletedEvent(payload={"text": "Rain."}, **_PLACE)])

    assert [line["event"] for line in told] == [
        "stage_start", "tool_use", "agent_start", "agent_complete", "stage_complete",
    ]  # fmt: skip
    assert (told[1]["stage"], told[1]["agent"], told[1]["tool"]) == ("1.2 write", "draft", "web_search")


def test_text_is_told_as_it_comes_only_if_it_was_asked_for():
    piece = TextEvent(payload={"text": "灯"}, **_PLACE)
    again = AgentEvent(payload={"name": "restarted"}, **_PLACE)

    told = [line for line in told_of([piece, again, piece], streams=True) if line["event"] == "text_delta"]

    assert [(line["text"], line.get("isAnew", False)) for line in told] == [("灯", False), ("", True), ("灯", False)]
    assert told_of([piece, again]) == []


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp932", "utf-8"])
@pytest.mark.parametrize("text", ["灯", "é", "a\udce9b"])
def test_a_line_is_json_in_utf_8_whatever_the_stream_is(encoding, text):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)

    with ProgressLines("lamp", stream) as told:
        told.hear(AgentEvent(payload={"name": "file_created", "data": {"path": text}}, **_PLACE))

    assert json.loads(written.getvalue().decode("utf-8"))["path"] == text


@pytest.mark.parametrize("option", ["--dry-run", "--rest"])
def test_an_import_that_is_no_run_has_no_progress(cli, tmp_path, option):
    manuscript = tmp_path / "lamp.txt"
    manuscript.write_text("Chapter 1\n\n" + "The keeper counted a ship. " * 80)

    outcome = cli("import", manuscript, "--json-progress", "--yes", option)

    assert (outcome.code, outcome.out) == (2, "")
    assert "--json gives its facts" in outcome.err
