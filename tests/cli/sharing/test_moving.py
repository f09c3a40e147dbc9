"""`export` and `import` as typed, and what `--json-progress` tells another program."""

import json
import os
from collections import Counter

from bookwright.cli.writing.ndjson import ProgressLines
from bookwright.models.talk.event import CompletedEvent, FailedEvent


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


def test_a_book_moves_to_another_folder_and_is_gone_on_with(cli, book, tmp_path, monkeypatch):
    assert cli("export", "lamp", "--to", "json", "--output", tmp_path / "out").code == 0
    file = tmp_path / "out" / "lamp.json"
    monkeypatch.setenv("BOOKWRIGHT_HOME", str(tmp_path / "elsewhere"))

    taken = cli("import", file, "--json")
    again = cli("import", file)
    other = cli("import", file, "--as", "lamp-2")

    assert json.loads(taken.out) == {"book": "lamp", "file": str(file)}
    assert (again.code, other.code) == (2, 0)
    assert "is here already" in again.err
    assert cli("read", "lamp-2").out == cli("read", "lamp").out != ""
    assert cli("export", "lamp", "--to", "json", "--output", tmp_path / "back.json").code == 0
    assert (tmp_path / "back.json").read_bytes() == file.read_bytes()


def test_what_is_no_exported_book_is_refused_in_one_line(cli, tmp_path):
    (tmp_path / "a.json").write_text("{}")

    outcome = cli("import", tmp_path / "a.json")

    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert "no book that `export --to json` wrote" in outcome.err


def test_progress_is_told_in_lines_of_json_that_pair_up(cli, home):
    outcome = cli("write", "--premise", "A keeper counts ships.", "--words", 300, "--no-prefect", "--json-progress")

    told = lines(outcome.out)
    names = Counter(line["event"] for line in told)
    assert outcome.code == 0
    assert [told[0]["event"], told[1]["event"], told[-1]["event"]] == [
        "book_created", "pipeline_start", "pipeline_complete",
    ]  # fmt: skip
    assert names["stage_start"] == names["stage_complete"] > 2
    assert names["agent_start"] == names["agent_complete"] == told[-1]["calls"]
    assert sum(line["outputTokens"] for line in told if line["event"] == "agent_complete") == told[-1]["outputTokens"]
    files = [path for place in ("vaults", "exports") for path in (home / place).rglob("*") if path.is_file()]
    assert {line["path"] for line in told if line["event"] == "file_created"} >= {
        str(path) for path in files if ".bookwright" not in path.parts
    }
    assert [line["unitFinished"]["label"] for line in told if "unitFinished" in line][-1] == "1"
    assert {line["book"] for line in told} == {told[0]["book"]}


def test_a_book_that_comes_to_rest_says_so_in_its_last_line(cli, book):
    outcome = cli("resume", "lamp", "--no-prefect", "--json-progress", "--words-today", 1)

    told = lines(outcome.out)
    assert outcome.code == 4
    assert (told[0]["event"], told[-1]["event"], told[-1]["state"]) == ("pipeline_start", "pipeline_complete", "paused")
    assert told[-1]["reason"] in outcome.err


def test_two_voices_on_stdout_are_refused(cli, book):
    assert cli("resume", "lamp", "--json-progress", "--json").code == 2


def test_a_call_that_failed_is_an_error_which_ends_nothing(settings, capsys):
    place = {"agent_id": "draft", "tab_id": "lamp", "task_id": "1.2 write/draft"}
    told = ProgressLines("lamp")
    with told:
        told.hear(FailedEvent(payload={"error": "no answer", "kind": "timeout"}, **place))
        told.hear(CompletedEvent(payload={"text": "Rain."}, **place))

    events = [(line["event"], line.get("isOk")) for line in lines(capsys.readouterr().out)]
    assert events == [
        ("stage_start", None), ("agent_start", None), ("agent_complete", False), ("error", None),
        ("agent_start", None), ("agent_complete", True), ("stage_complete", None),
    ]  # fmt: skip


def test_a_reader_that_goes_away_ends_nothing():
    answered = CompletedEvent(payload={"text": "Rain."}, agent_id="draft", tab_id="lamp", task_id="1 write/draft")
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream, ProgressLines("lamp", stream) as told:
        told.hear(answered)
        read = os.read(reader, 65_536)
        os.close(reader)
        left = [told.hear(answered) for _ in range(3)]

    assert [line["event"] for line in lines(read.decode())] == ["stage_start", "agent_start", "agent_complete"]
    assert len(left) == 3
    assert stream.closed
