"""An agent's way from what a person says to its answer: sessions, tools, permissions, sub-agents, cancelling."""

import json
import logging
from dataclasses import replace

import pytest

from bookwright.agents.runtime.agent import AgentDefinition, Preset, PromptAgent
from bookwright.agents.runtime.cast import CAST, CastAgent
from bookwright.agents.runtime.permission import Allowed, Denied, PermissionMode
from bookwright.agents.runtime.sinks import MessageAdapter, Sinks
from bookwright.failpoints import Failpoint
from bookwright.models.errors import BackendUnavailable, InvalidInput, SessionNotFound, SessionNotStarted
from bookwright.models.talk.session import SessionState
from bookwright.storage.repositories.sessions import SessionRepository
from tests.agents.runtime.conftest import HANG, Keeper, Speaker, running

LOG_MONITOR = CastAgent(next(member for member in CAST if member.name == "log-monitor"))

READ = 'Thought: look\nAction: Read[{"path": "log.txt"}]'
WRITE = 'Action: Write[{"path": "new.txt", "content": "x"}]'


class Heard:
    """What reached the sinks."""

    def __init__(self, **sinks):
        self.text, self.reasoning, self.events, self.ends, self.sessions = [], [], [], [], []
        self.sinks = Sinks(
            on_text=self.text.append,
            on_reasoning=self.reasoning.append,
            on_event=self.events.append,
            on_completed=lambda text, metrics: self.ends.append((text, metrics)),
            on_failed=lambda error, metrics: self.ends.append((error, metrics)),
            on_session_id=self.sessions.append,
            **sinks,
        )

    @property
    def names(self):
        return [event.name for event in self.events]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "log.txt").write_text("the lamp went out")
    return folder


def state(handle):
    return SessionState(id=handle.session_id, initialized=True)


def test_a_new_session_holds_what_was_said_and_answered(runnable, turns):
    heard, speaker = Heard(), Speaker(["It burns."])
    execution = running()

    handle = runnable(speaker).start("Does it burn?", heard.sinks, execution)

    assert handle.completion.result(60) is True
    assert handle.session_id == execution.session.id == heard.sessions[0]
    assert "".join(heard.text) == "It burns."
    assert heard.reasoning == ["hm"]
    assert heard.names == ["started", "finished", "reply"]
    assert heard.ends[0][0] == "It burns."
    assert turns(handle.session_id) == [("say", "Does it burn?"), ("answer", "It burns.")]
    [request] = speaker.requests
    assert (request.prompt.system, request.prompt.blocks, request.tools) == ("You keep a lamp.", ("Does it burn?",), ())


def test_a_resumed_session_is_told_all_that_was_said(runnable, turns):
    speaker = Speaker(["One.", "Two."])
    first = runnable(speaker).start("First?", Sinks(), running())
    assert first.completion.result(60)

    again = runnable(speaker).start("Second?", Sinks(), running(state(first)))

    assert again.completion.result(60)
    assert again.session_id == first.session_id
    request = speaker.requests[-1]
    assert request.prompt.blocks == ("First?",)
    assert [(each.reply, each.problem) for each in request.corrections] == [("One.", "Second?")]


def test_a_fork_goes_its_own_way(runnable, turns):
    speaker = Speaker(["One.", "Two."])
    first = runnable(speaker).start("First?", Sinks(), running())
    assert first.completion.result(60)

    branch = runnable(speaker).start("Aside?", Sinks(), running(state(first), fork_session=True))

    assert branch.completion.result(60)
    assert branch.session_id != first.session_id
    assert [text for _, text in turns(branch.session_id)] == ["First?", "One.", "Aside?", "Two."]
    assert [text for _, text in turns(first.session_id)] == ["First?", "One."]


def test_what_cannot_be_gone_on_with_is_refused_before_anything_is_asked(runnable, database):
    speaker = Speaker(["One."])
    agent = runnable(speaker)
    done = agent.start("First?", Sinks(), running())
    assert done.completion.result(60)

    with pytest.raises(SessionNotFound):
        agent.start("x", Sinks(), running(SessionState(id="none", initialized=True)))
    with pytest.raises(SessionNotFound):
        agent.start("x", Sinks(), running(SessionState(id="none", initialized=True), fork_session=True))
    with pytest.raises(SessionNotStarted):  # a new one has nothing to copy
        agent.start("x", Sinks(), running(fork_session=True))
    with pytest.raises(SessionNotStarted):
        agent.start("x", Sinks(), running(SessionState(id=done.session_id), fork_session=True))
    with pytest.raises(InvalidInput, match="begun already"):
        agent.start("x", Sinks(), running(SessionState(id=done.session_id)))

    assert len(speaker.requests) == 1


def test_a_session_in_which_nothing_was_said_cannot_be_forked(runnable, database):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        SessionRepository(connection).create("keeper", "tab", identity="fresh")

    with pytest.raises(SessionNotStarted):
        runnable(Speaker(["x"])).start("x", Sinks(), running(SessionState(id="fresh"), fork_session=True))


def test_tools_are_used_told_and_kept(runnable, turns, folder):
    heard, speaker = Heard(), Speaker([READ, "Action: Finish[It went out.]"])

    handle = runnable(speaker).start("What happened?", heard.sinks, running(cwd=folder))

    assert handle.completion.result(60)
    assert heard.ends[0][0] == "It went out."
    assert [kind for kind, _ in turns(handle.session_id)] == ["say", "use", "result", "answer"]
    assert "the lamp went out" in turns(handle.session_id)[2][1]
    use, result = [event for event in heard.events if event.name.startswith("tool_")]
    assert (use.name, use.data["tool"], json.loads(use.text)) == ("tool_use", "Read", {"path": "log.txt"})
    assert (result.name, result.data["id"]) == ("tool_result", use.data["id"])
    assert json.loads(result.text)["status"] == "success"
    metrics = heard.ends[0][1]
    assert [(tool.id, tool.name) for tool in metrics.tools] == [(use.data["id"], "Read")]
    assert metrics.unpaired_tools == ()
    assert "the lamp went out" in speaker.requests[1].corrections[0].problem


def test_each_use_is_asked_for_and_may_be_changed_or_denied(runnable, folder):
    asked = []
    (folder / "other.txt").write_text("nothing to see")

    def can_use_tool(name, given):
        asked.append((name, dict(given)))
        return Denied("the keeper says no") if len(asked) == 1 else Allowed({"path": "other.txt"})

    speaker = Speaker([READ, READ, "Done."])
    handle = runnable(speaker).start("Look.", Heard(can_use_tool=can_use_tool).sinks, running(cwd=folder))

    assert handle.completion.result(60)
    assert asked == [("Read", {"path": "log.txt"})] * 2
    told = [each.problem for each in speaker.requests[-1].corrections]
    assert "the keeper says no" in told[0]
    assert "nothing to see" in told[1]
    assert all("lamp went out" not in text for text in told)


def test_a_permission_function_that_fails_permits_nothing(runnable, folder):
    def can_use_tool(name, given):
        raise RuntimeError("no idea")

    speaker = Speaker([READ, "Done."])
    handle = runnable(speaker).start("Look.", Heard(can_use_tool=can_use_tool).sinks, running(cwd=folder))

    assert handle.completion.result(60)
    assert "lamp went out" not in speaker.requests[-1].corrections[0].problem


@pytest.mark.parametrize(
    ("mode", "asked", "exists"),
    [
        (PermissionMode.DEFAULT, ["Read", "Write"], False),
        (PermissionMode.ACCEPT_EDITS, ["Read"], True),
        (PermissionMode.PLAN, ["Read"], False),
        (PermissionMode.BYPASS, [], True),
    ],
)
def test_the_mode_decides_what_is_asked(runnable, folder, mode, asked, exists):
    names = []

    def can_use_tool(name, given):
        names.append(name)
        return Denied("no")

    speaker = Speaker([READ, WRITE, "Done."])
    sinks = Heard(can_use_tool=can_use_tool).sinks
    handle = runnable(speaker).start("Look.", sinks, running(cwd=folder, permission_mode=mode))

    assert handle.completion.result(60)
    assert names == asked
    assert (folder / "new.txt").exists() is exists


@pytest.mark.parametrize(
    ("lists", "offered"),
    [
        ({}, ["LS", "Glob", "Grep", "Read", "Write"]),
        ({"allowed_tools": ("Read", "Grep")}, ["Grep", "Read"]),
        ({"disallowed_tools": ("Write",)}, ["LS", "Glob", "Grep", "Read"]),
        ({"allowed_tools": ("Read", "Write"), "disallowed_tools": ("Write",)}, ["Read"]),
    ],
)
def test_only_listed_tools_are_offered_and_run(runnable, folder, lists, offered):
    speaker = Speaker([WRITE, "Done."])

    handle = runnable(speaker).start("Write.", Sinks(), running(cwd=folder, **lists))

    assert handle.completion.result(60)
    assert [tool.name for tool in speaker.requests[0].tools] == offered
    assert (folder / "new.txt").exists() is ("Write" in offered)


def test_a_coordinator_gives_a_task_to_a_sub_agent_and_gets_its_answer(runnable, bus, folder):
    agents = {
        "reader": AgentDefinition("reads files", "You read.", tools=("Read", "Write"), model="openai:small"),
        "idler": AgentDefinition("does nothing", "You idle."),
    }
    task = 'Action: Task[{"agent": "reader", "prompt": "Read log.txt."}]'
    speaker = Speaker([task, READ, "It went out.", "The reader says: it went out."])
    said = []
    bus.on("*", said.append)
    sinks = MessageAdapter(bus, "keeper", "tab").create_sinks()

    handle = runnable(speaker, Keeper(agents)).start(
        "What happened?", sinks, running(cwd=folder, disallowed_tools=("Write",))
    )

    assert handle.completion.result(60)
    assert bus.drain()
    coordinator, reader, *_ = speaker.requests
    assert [tool.name for tool in coordinator.tools][-1] == "Task"
    assert "`idler`: does nothing" in coordinator.tools[-1].description
    assert (reader.model, reader.prompt.system, reader.prompt.blocks) == (
        "openai:small",
        "You read.",
        ("Read log.txt.",),
    )
    assert [tool.name for tool in reader.tools] == ["Read"]
    assert "It went out." in speaker.requests[-1].corrections[0].problem
    of_reader = [event for event in said if event.agent_id == "reader"]
    assert {event.parent_agent_id for event in of_reader} == {"keeper"}
    assert of_reader[-1].payload.text == "It went out."
    assert {event.parent_agent_id for event in said if event.agent_id == "keeper"} == {None}


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ('{"agent": "nobody", "prompt": "x"}', "There is no agent 'nobody'"),
        ('{"agent": "reader", "prompt": "x"}', "reader could not finish"),
    ],
)
def test_a_task_that_cannot_be_given_is_told_to_the_coordinator(runnable, task, told):
    lines = [f"Action: Task[{task}]", "I did it myself."]
    if "reader" in task:
        lines.insert(1, BackendUnavailable("down"))
    speaker = Speaker(lines)

    handle = runnable(speaker, Keeper({"reader": AgentDefinition("reads", "You read.")})).start(
        "Go.", Sinks(), running()
    )

    assert handle.completion.result(60)
    assert told in speaker.requests[-1].corrections[0].problem


def test_a_cancelled_answer_is_kept_as_far_as_it_came_and_the_talk_goes_on(runnable, turns):
    heard, speaker = Heard(), Speaker([HANG, "Done."])
    agent = runnable(speaker)
    handle = agent.start("Begin.", heard.sinks, running())
    assert speaker.began.wait(60)

    handle.cancel()
    handle.cancel()

    assert handle.completion.result(60) is False
    assert str(heard.ends[0][0]) == "the call was cancelled"
    assert turns(handle.session_id)[-1] == ("answer", "I begin and\n\n(This answer was broken off.)")
    again = agent.start("Again.", Sinks(), running(state(handle)))
    assert again.completion.result(60) is True


def test_a_model_that_does_not_deliver_is_told_to_the_sinks_and_raises_nowhere(runnable):
    heard = Heard()

    handle = runnable(Speaker([BackendUnavailable("down", kind="timeout")])).start("Hi.", heard.sinks, running())

    assert handle.completion.result(60) is False
    assert [str(error) for error, _ in heard.ends] == ["down"]


def test_sinks_that_raise_change_nothing(runnable, turns):
    def raises(*values):
        raise RuntimeError("a broken screen")

    sinks = Sinks(on_text=raises, on_event=raises, on_completed=raises, on_session_id=raises, on_reasoning=raises)

    handle = runnable(Speaker(["It burns."])).start("Does it?", sinks, running())

    assert handle.completion.result(60) is True
    assert turns(handle.session_id)[-1] == ("answer", "It burns.")


def test_the_log_monitor_is_a_system_prompt_and_nothing_else(runnable):
    speaker = Speaker(["Nothing needs you."])

    handle = runnable(speaker, LOG_MONITOR).start("12:00 1.2 write/draft answered", Sinks(), running())

    assert handle.completion.result(60)
    [request] = speaker.requests
    assert "log lines" in request.prompt.system
    assert (request.tools, LOG_MONITOR.get_agent_definitions()) == ((), None)


def test_a_preset_is_a_system_prompt_by_name(runnable):
    class Worker(PromptAgent):
        def get_system_prompt(self):
            return Preset.CLAUDE_CODE

        def get_model(self):
            return "anthropic:own"

    speaker = Speaker(["ok"])

    assert runnable(speaker, Worker()).start("Go.", Sinks(), running()).completion.result(60)
    assert "files of one folder" in speaker.requests[0].prompt.system
    assert speaker.requests[0].model == "anthropic:own"


def test_an_execution_leaves_its_log_lines(runnable, folder, caplog):
    caplog.set_level(logging.DEBUG, "bookwright.agents.runtime")
    speaker = Speaker([READ, "It went out."])
    first = runnable(speaker).start("What happened?", Sinks(), running(cwd=folder))
    assert first.completion.result(60)
    assert runnable(speaker).start("And?", Sinks(), running(state(first))).completion.result(60)

    lines = caplog.messages
    use = f"{first.session_id[:8]}-1"
    assert any(line.startswith("[Agent-PreQuery] ") and "What happened?" in line for line in lines)
    assert f"Using EXTRA_ARGS (new session) logic for session: {first.session_id}" in lines
    assert f"Using RESUME logic for session: {first.session_id}" in lines
    assert "[Agent] Event #1 type=started" in lines
    assert any(line.startswith("[Agent] ▲ text delta") for line in lines)
    assert any(line.startswith("[Agent] ▲ reasoning delta") for line in lines)
    assert f"[ToolUse] start id={use} name=Read" in lines
    assert any(line.startswith(f"[ToolResult] id={use} duration_ms=") for line in lines)
    assert any(line.startswith("[Agent] Stream summary ") and '"assistantChars":' in line for line in lines)


def test_a_log_handler_that_fails_breaks_no_stream(runnable):
    class Broken(logging.Handler):
        def emit(self, record):
            raise OSError("no space left")

    log = logging.getLogger("bookwright.agents.runtime")
    handler = Broken()
    log.addHandler(handler)
    try:
        handle = runnable(Speaker(["It burns."])).start("Does it?", Sinks(), running())
        assert handle.completion.result(60) is True
    finally:
        log.removeHandler(handler)


def test_a_talk_too_long_for_its_model_is_sent_without_its_oldest_turns_and_kept_whole(runnable, turns):
    heard, speaker = Heard(), Speaker(["word " * 4_000])
    execution = running()
    small = {"model": "embedded:smollm2"}
    handle = runnable(speaker).start("0?", Sinks(), replace(execution, **small))
    handle.completion.result(60)

    for number in (1, 2):
        again = replace(execution, session=state(handle), **small)
        handle = runnable(speaker).start(f"{number}?", heard.sinks, again)
        assert handle.completion.result(60) is True

    assert [len(request.corrections) for request in speaker.requests] == [0, 1, 1]
    assert [each.problem for each in speaker.requests[-1].corrections] == ["2?"]
    assert heard.names.count("shortened") == 1
    assert len(turns(handle.session_id)) == 6
