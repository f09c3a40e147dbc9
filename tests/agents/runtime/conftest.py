"""Agents over a model that speaks its lines, and a database of their own."""

import shutil
import threading
from dataclasses import dataclass, field

import pytest

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.agents.runtime.agent import Execution, PromptAgent
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.start import build_prompt_agent_start
from bookwright.agents.runtime.stream import Services
from bookwright.models.errors import BackendUnavailable
from bookwright.models.step import Reply
from bookwright.models.talk.session import SessionState
from bookwright.storage.engine.database import open_database
from bookwright.storage.repositories.sessions import SessionRepository
from tests.conftest import migrated
from tests.support.books import make_settings


@dataclass
class Speaker:
    """A model that speaks its lines in turn, the last one again and again, and keeps every request.

    A line is a text, an error to raise, or `HANG`: the model begins and falls silent until it is cancelled.
    """

    lines: list
    requests: list = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event | None = None

    def ask(self, request, budget, listener, on_failure, canceller=None):
        self.requests.append(request)
        line = self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]
        listener(StreamEvent(EventKind.STARTED))
        if isinstance(line, Exception):
            raise line
        listener(StreamEvent(EventKind.REASONING, "hm"))
        pieces = [line[start : start + 7] for start in range(0, len(line), 7)]
        for piece in pieces:
            listener(StreamEvent(EventKind.TEXT, piece))
        self.began.set()
        if self.gate is not None:
            self.gate.wait(60)
        if line is HANG:
            while not canceller.is_cancelled:
                threading.Event().wait(0.005)
        if canceller is not None and canceller.is_cancelled:
            raise BackendUnavailable("the call was cancelled", kind="cancelled")
        listener(StreamEvent(EventKind.FINISHED))
        return Reply(text=line, model=request.model)


HANG = "I begin and"


class Keeper(PromptAgent):
    """A keeper of a lamp."""

    def __init__(self, agents=None):
        self._agents = agents

    def get_system_prompt(self):
        return "You keep a lamp."

    def get_agent_definitions(self):
        return self._agents


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A migrated database, to be copied."""
    settings = make_settings(tmp_path_factory.mktemp("runtime"))
    migrated(settings)
    return settings.database_path


@pytest.fixture
def database(tmp_path, template):
    settings = make_settings(tmp_path)
    shutil.copy(template, settings.database_path)
    database = open_database(settings)
    yield database
    database.dispose()


@pytest.fixture
def bus():
    bus = EventBus()
    yield bus
    bus.close()


@pytest.fixture
def turns(database):
    """The turns of a session, as kind and text."""

    def read(identity):
        with database.read() as connection:
            return [(turn.kind.value, turn.text) for turn in SessionRepository(connection).history(identity).turns]

    return read


@pytest.fixture
def runnable(database):
    """An agent over a model that speaks these lines."""

    def make(speaker, agent=None):
        return build_prompt_agent_start(agent or Keeper(), Services(speaker, database))

    return make


def running(session=None, **values):
    """An execution in a tab of its own."""
    return Execution("keeper", "tab", session or SessionState.new(), model="openai:gpt-x", **values)
