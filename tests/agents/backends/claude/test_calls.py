"""How the program is called: its arguments, its surroundings, the prompt and the tools."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from bookwright.agents.backends.claude.claude_cli import ClaudeCliBackend
from bookwright.agents.backends.protocol import Correction, EventKind, Prompt, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.models.settings import Settings
from tests.agents.backends.claude.asking import MODEL, TEXT, Make
from tests.agents.backends.conftest import ask_for
from tests.support.fake_claude import FakeClaude


class Harbour(BaseModel):
    name: str
    ships: int


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
