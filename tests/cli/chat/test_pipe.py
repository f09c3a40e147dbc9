"""Talking through a pipe: what is on stdout, what the exit code is, what can be gone on with."""

import json

import pytest

from bookwright.failpoints import Failpoint
from bookwright.models.talk.session import Turn, TurnKind
from bookwright.storage.engine.database import open_database
from bookwright.storage.engine.migrate import upgrade
from bookwright.storage.repositories.sessions import SessionRepository
from tests.support.fake_provider import FakeProvider


def speak(prompt, schema):
    last = prompt.rstrip().splitlines()[-1]
    if last == "write it":
        return 'Action: Write[{"path": "lamp.txt", "content": "oil"}]'
    if last == "have it tested":
        return 'Action: Task[{"agent": "test", "prompt": "Say that it is tested."}]'
    if "answer: " in last:
        return f"Action: Finish[The other says: {last.partition('answer: ')[2]}]"
    return f"Thought: Nothing to look up.\nAction: Finish[You said {last!r}.]"


@pytest.fixture
def provider(monkeypatch):
    with FakeProvider(author=speak) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        yield server


@pytest.fixture
def pipe(home, provider, tmp_path, monkeypatch, prefect_forks):
    """Run `bookwright chat` in a process of its own with an input."""
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "openai:gpt-4.1")

    def run(given, *arguments):
        return prefect_forks.run(["bookwright", "chat", *arguments], given.encode(), tmp_path)

    return run


@pytest.fixture
def kept(settings):
    """Keep a session in which so much was said; return its id."""

    def keep(agent, *turns, book=None):
        database = open_database(settings)
        upgrade(database)
        with database.write(Failpoint.EDIT_BOOK) as connection:
            sessions = SessionRepository(connection)
            session = sessions.create(agent, "chat", model="openai:gpt-4.1", book=book)
            sessions.append(session.id, [Turn(kind=kind, text=text) for kind, text in turns])
        database.dispose()
        return session.id

    return keep


def listed(cli, *arguments):
    return json.loads(cli("chat", "--list", "--json", *arguments).out)


def test_a_pipe_is_one_message_and_nothing_but_the_answer_is_on_stdout(pipe, cli, home, tmp_path):
    done = pipe("One.\n/quit\nwrite it\n", "--agent", "code")

    [line] = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert line.startswith("You said")
    assert "nobody is there to permit it; the option --yes does" in line
    assert b"you> " not in done.stderr
    assert b"> Write" in done.stderr
    assert not (tmp_path / "lamp.txt").exists()
    [session] = listed(cli)
    assert (session["agent"], session["turns"], session["title"]) == ("code", 4, "One. /quit write it")
    assert (home / "events" / f"code-{session['session'][:8]}.ndjson").exists()  # what `watch` follows


def test_messages_are_listed_from_the_store_and_stand_in_the_event_file(pipe, cli, home):
    done = pipe("One.\n/messages\n", "--agent", "code", "--lines")

    listed_lines = done.stderr.decode().splitlines()
    assert "you: One." in listed_lines
    assert "code: You said 'One.'." in listed_lines
    [session] = listed(cli)
    told = (home / "events" / f"code-{session['session'][:8]}.ndjson").read_text().splitlines()
    added = [event["payload"]["message"] for event in map(json.loads, told) if event["type"] == "message:added"]
    assert ("user", "One.") in [(each["role"], each["text"]) for each in added]


def test_a_coordinator_has_another_agent_do_a_part_and_stays_in_its_own_session(pipe, cli):
    done = pipe("have it tested", "--agent", "code")

    assert done.returncode == 0
    assert done.stdout.decode() == "The other says: You said 'Say that it is tested.'.\n"
    assert b"> Task" in done.stderr
    by_agent = {each["agent"]: each["turns"] for each in listed(cli)}
    assert by_agent == {"code": 4, "test": 2}


@pytest.mark.soak
def test_lines_are_messages_of_one_session_until_one_gets_no_answer(pipe, provider, cli):
    provider.script = {2: "401"}

    done = pipe("One.\n\n/cost\nTwo.\nThree.\nFour.\n", "--agent", "writer", "--lines")

    assert (done.returncode, done.stdout) == (1, b"You said 'One.'.\nYou said 'Two.'.\n")
    assert len(provider.ledger) == 3
    [session] = listed(cli)
    assert session["turns"] == 6


def test_json_is_one_event_a_line_with_raw_replies_and_the_bill(pipe, kept, provider, cli, tmp_path):
    origin = kept("test", (TurnKind.SAY, "One."), (TurnKind.ANSWER, "Yes."))

    done = pipe("write it", "--session", origin[:6], "--fork", "--json", "--yes", "--budget-usd", "2")

    events = [json.loads(line) for line in done.stdout.splitlines()]
    named = {event["payload"].get("name", event["type"]): event["payload"] for event in events}
    assert done.returncode == 0
    assert (tmp_path / "lamp.txt").read_text() == "oil"
    assert "Action: Finish[" in named["reply"]["text"]
    assert named["bill"]["data"]["cost"] > 0
    assert named["bill"]["data"]["tokens"] == sum(each.input_tokens + each.output_tokens for each in provider.ledger)
    assert {each["session"]: (each["turns"], each["parent"]) for each in listed(cli)} == {
        origin: (2, None), named["bill"]["data"]["sessionId"]: (6, origin),
    }  # fmt: skip


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--agent is one of code, test, researcher, writer, planner, log-monitor"),
        (("--agent", "coder"), "there is no agent 'coder'"),
        (("--agent", "code", "--fork"), "--fork goes with --session"),
        (("--agent", "code", "--session", "beef"), "no session that begins with 'beef'"),
        (("--agent", "code", "--provider", "zhipu"), "--provider zhipu needs --model"),
        (("--agent", "code", "--provider", "zhipu", "--model", "GLM-4.7"), "zhipu needs an API key"),
        (("--agent", "code", "--model", "nix"), "provider:model"),
        (("--agent", "code", "--book", "nix"), "there is no book 'nix'"),
        (("--agent", "code", "--cwd", "/no/such"), "is no folder"),
        (("--agent", "code", "--budget-usd", "inf"), "no amount of money"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_and_nothing_is_begun(cli, arguments, message):
    done = cli("chat", *arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert listed(cli) == []


def test_a_session_in_which_nothing_was_said_is_not_forked_and_keeps_its_agent(cli, kept):
    empty = kept("writer")

    forked = cli("chat", "--session", empty, "--fork")
    other = cli("chat", "--session", empty, "--agent", "code")

    assert (forked.code, other.code) == (2, 2)
    assert "nothing was said in session" in forked.err
    assert "cannot be forked" in forked.err
    assert "this session is of the agent 'writer', not 'code'" in other.err


def test_sessions_are_listed_latest_first_with_turns_age_and_first_words(cli, kept, book):
    kept("writer", (TurnKind.SAY, "How\x1b[31m does it end?"), (TurnKind.ANSWER, "In fire."), book="lamp")
    kept("code", (TurnKind.SAY, "What is [here]?"))

    table = cli("chat", "--list").out.splitlines()

    assert [line.split()[1] for line in table] == ["agent", "code", "writer"]
    assert "What is [here]?" in table[1]
    assert "How[31m does it end?" in table[2]
    assert table[2].split()[2:4] == ["lamp", "2"]
    assert [each["agent"] for each in listed(cli, "--book", "la")] == ["writer"]
    assert [each["agent"] for each in listed(cli, "--agent", "code")] == ["code"]


def test_a_session_is_deleted_with_its_events_once_that_is_agreed_to(cli, kept, home):
    gone, stays = kept("writer", (TurnKind.SAY, "One.")), kept("writer", (TurnKind.SAY, "Two."))
    events = home / "events" / f"writer-{gone[:8]}.ndjson"
    events.parent.mkdir(exist_ok=True)
    events.write_text("{}")

    asked = cli("chat", "--session", gone, "--delete")
    unnamed = cli("chat", "--delete", "--yes")
    done = cli("chat", "--session", gone, "--delete", "--yes")

    assert (asked.code, unnamed.code, done.code) == (2, 2, 0)
    assert "nothing was deleted; --yes deletes without asking" in asked.err
    assert "--delete goes with --session" in unnamed.err
    assert "neither --list nor --fork" in cli("chat", "--session", gone, "--delete", "--list").err
    assert f"session {gone[:8]} is deleted" in done.err
    assert [each["session"] for each in listed(cli)] == [stays]
    assert not events.exists()


def test_before_anything_was_said_the_list_says_how_to_begin(cli, home):
    shown = cli("chat", "--list")

    assert (shown.code, "begins one" in shown.out, home.exists()) == (0, True, False)
