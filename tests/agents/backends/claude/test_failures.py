"""What goes wrong while the program answers, told in clear words and paid for as far as it came."""

import os
import re
from pathlib import Path
from threading import Event, Thread

import pytest

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.backends.service import ModelService
from bookwright.models.errors import BackendUnavailable, MissingProgram, RequestRejected
from tests.agents.backends.claude.asking import MODEL, TEXT, Make, failures_of
from tests.agents.backends.conftest import Rests, ask_for
from tests.support.fake_claude import FakeClaude, runs


def test_an_empty_result_is_asked_for_twice_in_all_and_billed_as_told(
    claude: FakeClaude, service: ModelService, rests: Rests
) -> None:
    claude.script[-1] = "empty"

    failures, message = failures_of(service, BackendUnavailable)

    assert "answered nothing (after 2 attempts)" in message
    assert len(claude.calls) == len(failures) == 2
    assert len(rests) == 1
    assert [(failed.reply.cost, failed.reply.usage.input_tokens) for failed in failures] == [(12_500, 1_012)] * 2


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("cut_off", "ended before its answer was whole"),
        ("crash", "ended with code 3 before its answer was whole: .*TypeError: cannot read 'usage', key ...$"),
        ("killed", "was killed by signal 9"),
        ("orphan", "ended before its answer was whole"),
    ],
)
def test_an_answer_that_breaks_off_is_a_failure_with_the_programs_own_words(
    trouble: str, told: str, claude: FakeClaude, make_service: Make
) -> None:
    claude.script[-1] = trouble
    service = make_service(claude_path=str(claude.path), max_attempts=1)

    failures, message = failures_of(service, BackendUnavailable)

    assert re.search(told, message)
    assert len(message) < 500
    assert failures[0].reply.text == TEXT[: len(TEXT) // 2]
    assert failures[0].reply.usage.is_estimate
    assert (failures[0].reply.cost or 0) > 0


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        ("Invalid API key · Please run /login", RequestRejected, "is not logged in: run `claude` once"),
        ('API Error: 401 {"type":"error"} sk-ant-oat01-secret', RequestRejected, "not logged in"),
        ("Credit balance is too low", RequestRejected, "no credit left"),
        ("Prompt is too long", RequestRejected, "does not take so long a prompt"),
        ("There's an issue with the selected model (claude-x). It may not exist", RequestRejected, "know the model"),
        ("API Error: 400 messages: text content blocks must be non-empty", RequestRejected, "refuses the request"),
        ("API Error: 529 overloaded_error", BackendUnavailable, "after 2 attempts"),
        ("API Error: Connection error.", BackendUnavailable, "after 2 attempts"),
        ("You've hit your limit · resets 3am", BackendUnavailable, "fewer requests.*after 2 attempts"),
        ("Claude AI usage limit reached|4102444800", BackendUnavailable, "it asks for a rest of"),
    ],
)
def test_errors_of_the_provider_are_told_in_clear_words_and_cost_nothing(
    words: str, error: type[Exception], told: str, claude: FakeClaude, service: ModelService
) -> None:
    claude.script[-1] = f"error:{words}"

    failures, message = failures_of(service, error)

    assert re.search(told, message)
    assert "secret" not in message
    assert {failed.reply.cost for failed in failures} == {0}
    assert len(claude.calls) == (2 if "after 2" in told else 1)


def test_too_many_turns_and_a_failed_run_are_told_with_their_bill(claude: FakeClaude, service: ModelService) -> None:
    claude.script = {0: "broken:error_max_turns", -1: "broken:error_during_execution"}

    turns, told_turns = failures_of(service, RequestRejected)
    runs_, told_run = failures_of(service, BackendUnavailable)

    assert "no answer within 50 turns" in told_turns
    assert "it went wrong (after 2 attempts)" in told_run
    assert [failed.reply.cost for failed in (*turns, *runs_)] == [12_500] * 3


@pytest.mark.parametrize(
    ("trouble", "limits", "told"),
    [
        ("silent", {"first_event_seconds": 0.4}, "no answer within 0.4 s"),
        ("silent_after", {"idle_seconds": 0.4}, "fell silent for 0.4 s"),
        ("drip", {"total_seconds": 0.6}, "did not finish within 0.6 s"),
        ("stubborn", {"idle_seconds": 0.4}, "fell silent for 0.4 s"),
    ],
)
def test_a_deadline_ends_the_program_and_is_named(
    trouble: str, limits: dict[str, float], told: str, claude: FakeClaude, make_service: Make
) -> None:
    claude.script[-1] = trouble
    service = make_service(claude_path=str(claude.path), max_attempts=1, **limits)

    failures, message = failures_of(service, BackendUnavailable)
    service.close()

    assert told in message
    assert (failures[0].reply.cost or 0) > 0
    assert not any(runs(call.pid) for call in claude.calls)


def test_a_run_that_may_have_saved_something_is_not_made_again_after_a_timeout(
    claude: FakeClaude, make_service: Make
) -> None:
    claude.script[-1] = "silent_after"
    tools = {"writer": ("mcp__notes__create_file",)}
    service = make_service(claude_path=str(claude.path), claude_tools=tools, total_seconds=0.8)

    failures, message = failures_of(service, BackendUnavailable, fallbacks=("rehearsal:exact",))
    others, _ = failures_of(service, BackendUnavailable, role="critic")

    assert "what its tools had saved by then stands" in message
    [failed] = failures
    assert isinstance(failed.error, BackendUnavailable)
    assert failed.error.kind == "timed_out"
    assert failed.reply.text == TEXT[: len(TEXT) // 2]
    assert len(others) == 2


def test_a_cancel_ends_the_program_and_leaves_nobody_behind(claude: FakeClaude, service: ModelService) -> None:
    claude.script[-1] = "stubborn"
    has_spoken = Event()

    def cancel() -> None:
        has_spoken.wait(10)
        service.cancel()

    Thread(target=cancel).start()
    with pytest.raises(BackendUnavailable, match="cancelled"):
        service.ask(ask_for(MODEL), listener=lambda event: event.kind is EventKind.TEXT and has_spoken.set())
    service.close()

    [call] = claude.calls
    with pytest.raises(ProcessLookupError):
        os.kill(call.pid, 0)  # not even as a zombie


def test_nothing_outlives_a_service_that_is_closed(claude: FakeClaude, service: ModelService) -> None:
    claude.script = {0: "double", 1: "lingers", 2: "orphan"}

    service.ask(ask_for(MODEL))
    service.ask(ask_for(MODEL))
    are_running_still = [runs(call.pid) for call in claude.calls]
    service.ask(ask_for(MODEL))
    service.close()

    assert are_running_still == [True, True]
    assert len(claude.calls) == 4
    assert len(claude.left_behind) == 1
    assert not any(runs(pid) for pid in [call.pid for call in claude.calls] + claude.left_behind)


def test_a_missing_program_is_told_with_how_to_install_it_and_to_log_in(make_service: Make, tmp_path: Path) -> None:
    failures, message = failures_of(make_service(claude_path=str(tmp_path / "none")), MissingProgram)

    assert failures == []
    assert "npm install -g @anthropic-ai/claude-code" in message
    assert "log in" in message


@pytest.mark.parametrize("content", ["", "#!/nowhere/at/all\n", "\x7fELF is no program"])
def test_a_program_that_cannot_be_run_is_named(content: str, make_service: Make, tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text(content)
    path.chmod(0o755)

    _, message = failures_of(make_service(claude_path=str(path)), MissingProgram)

    assert str(path) in message


def test_a_version_without_a_stream_of_json_is_told_before_anything_is_sent(tmp_path: Path, make_service: Make) -> None:
    with FakeClaude(tmp_path, formats='"text", "json"') as old:
        failures, message = failures_of(make_service(claude_path=str(old.path)), MissingProgram)

    assert (failures, old.calls) == ([], [])
    assert "claude update" in message


def test_a_version_that_does_not_know_an_option_is_told_to_be_too_old(
    claude: FakeClaude, service: ModelService
) -> None:
    claude.script[-1] = "old_option"

    _, message = failures_of(service, MissingProgram)

    assert "too old" in message
    assert "unknown option '--max-turns'" in message
