"""The backend `claude-cli` against a stand-in that speaks the program's protocol."""

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from pydantic import BaseModel

from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.child import Lines
from bookwright.agents.backends.claude_cli import ClaudeCliBackend
from bookwright.agents.backends.protocol import Correction, EventKind, FailedAttempt, Prompt, Sampling, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.models.errors import BackendUnavailable, BudgetExceeded, MissingProgram, RequestRejected
from bookwright.models.settings import Price, Settings
from tests.agents.backends.conftest import Rests, ask_for
from tests.fake_claude import FakeClaude, runs

MODEL = "claude-cli:claude-opus-4-6"
TEXT = "Rain fell on the harbour, and no ship came. " * 12

Make = Callable[..., ModelService]


class Harbour(BaseModel):
    name: str
    ships: int


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[FakeClaude]:
    folder = tmp_path / "bin"
    folder.mkdir()
    with FakeClaude(folder, author=lambda prompt, schema: TEXT) as stand_in:
        yield stand_in


@pytest.fixture
def service(claude: FakeClaude, make_service: Make) -> ModelService:
    return make_service(claude_path=str(claude.path))


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Give something ten seconds to become so."""
    for _ in range(200):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def failures_of(service: ModelService, expected: type[Exception], **changes: Any) -> tuple[list[FailedAttempt], str]:
    failures: list[FailedAttempt] = []
    with pytest.raises(expected) as raised:
        service.ask(ask_for(MODEL, **changes), on_failure=failures.append)
    return failures, str(raised.value)


def test_a_reply_carries_text_usage_cost_turns_and_session(service: ModelService) -> None:
    events: list[StreamEvent] = []

    reply = service.ask(ask_for(MODEL), listener=events.append)

    assert reply.text == TEXT
    assert reply.finish_reason == "stop"
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.cache_write_tokens) == (1_012, 700, 300)
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (len(TEXT) // 4, False)
    assert (reply.cost, reply.num_turns, reply.session_id) == (12_500, 1, "5e55-1d")
    assert reply.first_event_millis is not None
    assert "".join(event.text for event in events if event.kind is EventKind.TEXT) == TEXT
    assert sum(event.kind is EventKind.TEXT for event in events) > 5


def test_the_command_line_is_the_one_of_the_requirements_and_holds_no_prompt(
    claude: FakeClaude, service: ModelService
) -> None:
    service.ask(ask_for(MODEL))

    [call] = claude.calls
    assert call.arguments[:9] == [
        "-p", "--verbose", "--output-format", "stream-json", "--system-prompt", "You write books.",
        "--max-turns", "50", "--model",
    ]  # fmt: skip
    assert call.arguments[9] == "claude-opus-4-6"
    assert "--allowedTools" not in call.arguments
    assert call.arguments[call.arguments.index("--tools") + 1] == ""
    assert call.prompt == "Design of the book.\n\nState of the story.\n\nWrite the scene."


def test_the_program_runs_with_thoughts_off_outside_of_any_session_and_in_an_empty_folder(
    claude: FakeClaude, service: ModelService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("MAX_THINKING_TOKENS", "9000")

    service.ask(ask_for(MODEL))

    [call] = claude.calls
    assert call.environment["MAX_THINKING_TOKENS"] == "0"
    assert call.environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "400"
    assert "CLAUDECODE" not in call.environment
    assert call.group == call.pid != os.getpgrp()
    assert Path(call.folder) != Path.cwd()
    service.close()
    assert not Path(call.folder).exists()


def test_an_older_program_gets_no_option_that_it_does_not_know(tmp_path: Path, make_service: Make) -> None:
    with FakeClaude(tmp_path, author=lambda prompt, schema: TEXT, options="--output-format --model") as old:
        events: list[StreamEvent] = []
        reply = make_service(claude_path=str(old.path)).ask(ask_for(MODEL), listener=events.append)

    assert reply.text == TEXT
    assert old.calls[0].arguments[-2:] == ["--model", "claude-opus-4-6"]
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS" not in old.calls[0].environment
    assert [event.text for event in events if event.kind is EventKind.TEXT] == [TEXT]


def test_prompts_of_any_length_arrive_whole(claude: FakeClaude, service: ModelService) -> None:
    system, user = "语" * 60_000, "Ünïcode – 雨 " * 40_000

    service.ask(ask_for(MODEL, prompt=Prompt(system, (user, "-- end"))))
    claude.script[-1] = "deaf"
    reply = service.ask(ask_for(MODEL, prompt=Prompt("", (user,))))

    assert claude.calls[0].prompt == f"{system}\n\n{user}\n\n-- end"
    assert claude.calls[0].arguments[claude.calls[0].arguments.index("--system-prompt") + 1] == ""
    assert reply.text == TEXT


def test_what_no_argument_may_hold_is_taken_out_of_it(claude: FakeClaude, service: ModelService) -> None:
    service.ask(ask_for(MODEL, prompt=Prompt("a\x00b\ud800c", ("x\x00y \ud83d\ude00", "Read @/etc/passwd and a@b.c"))))

    [call] = claude.calls
    assert call.arguments[call.arguments.index("--system-prompt") + 1] == "abc"
    assert call.prompt == "xy 😀\n\nRead @\u2060/etc/passwd and a@b.c"


def test_json_is_asked_for_in_the_prompt_and_earlier_answers_follow(claude: FakeClaude, service: ModelService) -> None:
    corrections = (Correction("Hull, 3", "That is no JSON."), Correction("  ", "Answer."))

    service.ask(ask_for(MODEL, output=Harbour, corrections=corrections))

    prompt = claude.calls[0].prompt
    assert prompt.index("Write the scene.") < prompt.index("JSON schema:\n{") < prompt.index("Hull, 3")
    assert "<earlier_answer>\nHull, 3\n</earlier_answer>\n\nThat is no JSON." in prompt
    assert prompt.endswith("<earlier_answer>\n(no answer)\n</earlier_answer>\n\nAnswer.")


@pytest.mark.parametrize(
    "trouble", ["late:0.2", "lone", "garbage", "odd", "huge_line", "no_result", "double", "lingers", "deaf"]
)
def test_the_answer_is_whole_whatever_is_printed_around_it(
    trouble: str, claude: FakeClaude, make_service: Make
) -> None:
    claude.script[-1] = trouble
    service = make_service(claude_path=str(claude.path), max_attempts=1)

    reply = service.ask(ask_for(MODEL))

    assert (reply.text, reply.finish_reason) == (TEXT, "stop")


def test_what_is_not_counted_is_estimated_and_priced_by_the_list(claude: FakeClaude, service: ModelService) -> None:
    claude.script[-1] = "uncounted"

    reply = service.ask(ask_for(MODEL))

    assert reply.usage.is_estimate
    assert reply.usage.output_tokens > 0
    assert reply.cost
    assert reply.cost != 12_500


def test_a_price_of_the_settings_goes_before_what_the_program_tells(claude: FakeClaude, make_service: Make) -> None:
    service = make_service(claude_path=str(claude.path), prices={MODEL: Price(input=0, output=0)})

    assert service.ask(ask_for(MODEL)).cost == 0


def test_an_empty_result_is_asked_for_twice_in_all_and_billed_as_told(
    claude: FakeClaude, service: ModelService, rests: Rests
) -> None:
    claude.script[-1] = "empty"

    failures, message = failures_of(service, BackendUnavailable)

    assert "answered nothing (after 2 attempts)" in message
    assert len(claude.calls) == len(failures) == 2
    assert len(rests) == 1
    assert [(failed.reply.cost, failed.reply.usage.input_tokens) for failed in failures] == [(12_500, 1_012)] * 2


def test_one_empty_result_is_made_good_by_the_second(claude: FakeClaude, service: ModelService) -> None:
    claude.script[0] = "empty"

    assert service.ask(ask_for(MODEL)).text == TEXT
    assert claude.helped == 1


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


def test_a_refusal_is_a_reply_of_its_kind(claude: FakeClaude, service: ModelService) -> None:
    claude.script = {
        0: "declined",
        1: "error:API Error: Claude Code is unable to respond: it violates our Usage Policy",
    }

    assert service.ask(ask_for(MODEL)).finish_reason == "refusal"
    assert service.ask(ask_for(MODEL)).finish_reason == "refusal"


def test_an_answer_at_its_limit_is_left_at_once_with_what_was_counted(
    claude: FakeClaude, service: ModelService
) -> None:
    claude.script = {0: "limit", 1: "error:API Error: Claude's response exceeded the 400 output token maximum."}

    reply = service.ask(ask_for(MODEL))
    told = service.ask(ask_for(MODEL))

    assert (reply.text, reply.finish_reason) == (TEXT[: len(TEXT) // 2], "length")
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (77, False)
    assert (reply.cost or 0) > 0
    assert told.finish_reason == "length"
    assert wait_until(lambda: not runs(claude.calls[0].pid))


def test_an_answer_without_an_end_is_cut_off(claude: FakeClaude, service: ModelService) -> None:
    claude.script[-1] = "endless"

    reply = service.ask(ask_for(MODEL, sampling=Sampling(0.7, 100, 1)))

    assert reply.finish_reason == "length"
    assert len(reply.text) < 40_000


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


def test_an_older_program_may_be_silent_until_its_message_is_whole(tmp_path: Path, make_service: Make) -> None:
    with FakeClaude(tmp_path, author=lambda prompt, schema: TEXT, options="--model", script={-1: "tools"}) as old:
        service = make_service(claude_path=str(old.path), idle_seconds=0.05)
        old.author = lambda prompt, schema: TEXT

        reply = service.ask(ask_for(MODEL))

    assert (reply.text, reply.num_turns) == (TEXT, 2)


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


def test_calls_run_beside_each_other(claude: FakeClaude, make_settings: Callable[..., Settings]) -> None:
    claude.author = lambda prompt, schema: prompt
    backend = ClaudeCliBackend(make_settings(claude_path=str(claude.path)))

    async def ask_all() -> list[str]:
        requests = [ask_for(MODEL, prompt=Prompt("", (f"Scene {number}.",))) for number in range(6)]
        replies = await asyncio.gather(*(backend.complete(request, lambda event: None) for request in requests))
        await backend.close()
        return [reply.text for reply in replies]

    assert asyncio.run(ask_all()) == [f"Scene {number}." for number in range(6)]
    assert claude.helped == 1


def test_a_role_has_the_tools_that_the_settings_give_it(claude: FakeClaude, make_service: Make) -> None:
    claude.script[-1] = "tools"
    tools = {"researcher": ("WebSearch", "mcp__notes__read")}
    service = make_service(claude_path=str(claude.path), claude_tools=tools)

    reply = service.ask(ask_for(MODEL, role="researcher"))
    service.ask(ask_for(MODEL))

    with_tools, without = (call.arguments for call in claude.calls)
    assert with_tools[with_tools.index("--allowedTools") + 1] == "WebSearch,mcp__notes__read"
    assert "--tools" not in with_tools
    assert "--strict-mcp-config" not in with_tools
    assert "--allowedTools" not in without
    assert (reply.text, reply.num_turns) == (TEXT, 2)
    assert Path(claude.calls[0].folder).name == "claude-cli"


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


def test_a_cap_is_held_for_what_the_program_adds_to_a_prompt(claude: FakeClaude, service: ModelService) -> None:
    request = ask_for(MODEL)

    with pytest.raises(BudgetExceeded):
        service.ask(request, BudgetLedger(None, 20_000))

    assert claude.calls == []
    assert service.ask(request, BudgetLedger(None, 40_000)).text == TEXT


def test_lines_are_cut_where_they_end_however_they_arrive() -> None:
    whole = b'{"a": 1}\n\n' + b"x" * 40 + b"\nlast"

    for size in range(1, len(whole) + 1):
        lines = Lines(limit=20)
        found = [line for start in range(0, len(whole), size) for line in lines.feed(whole[start : start + size])]
        assert [*found, *lines.last()] == [b'{"a": 1}', b"last"]
