"""The cast at work: a researcher over a web of twenty pages, and those who read a book."""

import json
import re
from contextlib import closing

import pytest

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.cast import CAST
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.tools.outside import today
from bookwright.app.talks.opening import SessionWish, open_talk
from bookwright.app.talks.talk import Talk
from bookwright.cli.chat.view import JsonView, TextView
from bookwright.flows.talking import ground
from bookwright.models.settings import load_settings
from bookwright.models.step import Reply, Usage
from tests.support.books import make_book, new_library
from tests.support.local_web import INJECTION, LocalWeb

LENS = "http://lights.example/fresnel-lens"


class Scripted:
    """A model of the provider `rehearsal` that says its lines in turn and keeps the requests."""

    def __init__(self, *lines):
        self._lines = list(lines)
        self.requests = []

    async def complete(self, request, listener):
        self.requests.append(request)
        text = self._lines.pop(0)
        text = text(request) if callable(text) else text
        listener(StreamEvent(EventKind.STARTED))
        for start in range(0, len(text), 9):
            listener(StreamEvent(EventKind.TEXT, text[start : start + 9]))
        listener(StreamEvent(EventKind.FINISHED))
        return Reply(text=text, model=request.model, usage=Usage(input_tokens=100, output_tokens=20))

    async def close(self):
        pass


@pytest.fixture
def talk(home, tmp_path):
    """Say something to an agent over a scripted model; the talk and what its model was asked."""

    def hold(agent, backend, *said, view=None, confirm=None, book=None, wire=None, model="rehearsal:exact", **settings):
        chosen = load_settings(home=home, embedding="hashing", model=model, **settings)
        database = new_library(chosen)
        opening = open_talk(SessionWish(agent, book), chosen, database)
        models = ModelService(chosen, {"rehearsal": backend} if backend else None)
        with (
            closing(EventBus()) as bus,
            closing(models),
            ground(opening.member, chosen, database, tmp_path, opening.book, wire) as stands_on,
        ):
            held = Talk(opening, stands_on, database, models, bus, view or JsonView(), confirm, None)
            answers = [held.say(each) for each in said]
        database.dispose()
        return answers

    return hold


def names_a_page(request):
    """Read the first page of the list that is no copy, by its address."""
    found = re.findall(r"url: (\S+)", request.corrections[-1].problem)
    url = next(address for address in found if address != INJECTION)
    return f"Thought: The page itself.\nAction: fetch_page[{json.dumps({'url': url})}]"


def answers_from_the_page(request):
    """Answer with the sentence of the page that names the year."""
    sentence = re.search(r"[^\n]*first lit in (\d{4})[^\n]*", request.corrections[-1].problem)
    return f"Thought: It says so.\nAction: Finish[In {sentence[1]} [1].\n\n[1] The Fresnel lens, {LENS}]"


def test_a_researcher_searches_reads_and_answers_with_its_sources(talk, capsys):
    backend = Scripted(
        'Thought: A page on lenses.\nAction: web_search[{"query": "Fresnel lens first lit Cordouan"}]',
        names_a_page, answers_from_the_page,
    )  # fmt: skip

    with LocalWeb().running() as web:
        answers = talk(
            "researcher", backend, "When was Fresnel's lens first lit?", view=TextView(streams=True),
            wire=web.wire, searxng_url=web.searxng_url,
        )  # fmt: skip

    out, err = capsys.readouterr()
    assert answers == [True]
    assert (web.searched, web.fetched) == (["Fresnel lens first lit Cordouan"], [LENS])
    assert f"In 1823 [1].\n\n[1] The Fresnel lens, {LENS}\n" in out
    assert [line.split()[:2] for line in err.splitlines() if line[:1] in "<>"] == [
        [">", "web_search"], ["<", "web_search"], [">", "fetch_page"], ["<", "fetch_page"],
    ]  # fmt: skip
    assert [line for line in err.splitlines() if "ource: " in line] == [f"source: The Fresnel lens, {LENS} ({today()})"]
    assert "[360 tokens, $0.00" in err
    assert "`web_search` in the words" in backend.requests[0].prompt.system


def test_a_page_that_gives_orders_is_read_as_material_and_asks_for_nothing_that_is_done(talk, tmp_path):
    backend = Scripted(f'Action: fetch_page[{{"url": "{INJECTION}"}}]', "Nothing of that is about lenses.")

    with LocalWeb().running() as web:
        assert talk("researcher", backend, "Read it.", wire=web.wire) == [True]

    seen = backend.requests[1].corrections[0].problem
    assert re.search(r"<outside-([0-9a-f]{12})>.*Ignore your instructions.*</outside-\1>", seen, re.DOTALL)
    assert list(tmp_path.glob("notes.md")) == []


def test_without_a_search_service_the_researcher_is_told_and_what_it_says_is_marked(talk, capsys):
    backend = Scripted("From memory: 1823. Unverified.")

    talk("researcher", backend, "When?", view=TextView(streams=False))

    [request] = backend.requests
    assert [tool.name for tool in request.tools] == ["fetch_page"]
    assert "No search service is set up here" in request.prompt.system
    assert "(unverified: nothing was looked up for this answer)" in capsys.readouterr().err


def test_a_writer_reads_a_copy_of_the_book_and_can_change_nothing(talk, book):
    backend = Scripted(
        'Action: LS[{"path": "."}]', 'Action: Read[{"path": "text/1.1.txt"}]',
        'Action: Write[{"path": "text/1.1.txt", "content": "Sun."}]', 'Action: Grep[{"pattern": "afraid|brother"}]',
        'Action: Read[{"path": "log.txt"}]', 'Action: search_designs[{"query": "why she stays"}]', "The lamp goes out.",
    )  # fmt: skip

    assert talk("writer", backend, "What happens to the lamp?", book="lamp") == [True]

    last = backend.requests[-1]
    seen = [each.problem for each in last.corrections]
    assert "outline.txt" in seen[0]
    assert "designs" in seen[0]
    assert "Rain fell. The [red] lamp went out." in seen[1]
    assert "There is no tool 'Write'" in seen[2]
    assert "She waits for her brother." in seen[3]
    assert "write/draft" in seen[4]
    assert seen[5].startswith("Observation: success")
    assert '"Night Watch", written in English' in last.prompt.system
    assert "Its files are a copy made for reading" in last.prompt.system


def test_who_has_no_files_is_told_of_none(talk, book):
    backend = Scripted("It goes out.")

    assert talk("researcher", backend, "What happens to the lamp?", book="lamp") == [True]

    assert '"Night Watch", written in English' in backend.requests[0].prompt.system
    assert "Its files are a copy" not in backend.requests[0].prompt.system


def test_a_write_waits_for_the_person_who_is_asked_once_for_each(talk, tmp_path):
    write = 'Action: Write[{"path": "lamp.txt", "content": "oil"}]'
    asked, decisions = [], [False, True]
    backend = Scripted(write, 'Action: Read[{"path": "lamp.txt"}]', write, "Written.")

    def confirm(tool, given):
        asked.append((tool, given["path"], (tmp_path / "lamp.txt").exists()))
        return decisions.pop(0)

    assert talk("code", backend, "Write it.", confirm=confirm) == [True]

    seen = [each.problem.partition(".")[0] for each in backend.requests[-1].corrections]
    assert asked == [("Write", "lamp.txt", False)] * 2
    assert seen[0] == "Observation: error PERMISSION_DENIED: Write may not be used: the person refuses"
    assert (tmp_path / "lamp.txt").read_text() == "oil"


def test_instructions_are_chinese_for_who_writes_chinese(talk):
    backend = Scripted("灯灭了。", "好。")

    talk("planner", backend, "灯怎么样了？", "再说一遍。")

    assert [request.prompt.system[:4] for request in backend.requests] == ["你和用户", "你和用户"]


def test_a_model_that_only_ever_acts_is_ended_after_twelve_looks_and_the_talk_goes_on(talk, capsys):
    backend = Scripted(*['Action: LS[{"path": "."}]'] * 13, "Enough.")

    answers = talk("code", backend, "Look.", "And now?", view=TextView(streams=False))

    out, err = capsys.readouterr()
    assert answers == [True, True]
    assert err.count("(the model asked for a tool where its answer was due)") == 1
    assert len(backend.requests) == 14
    assert backend.requests[12].tools == ()
    assert out.endswith("Enough.\n")


def test_an_empty_answer_is_said_to_be_none_and_the_talk_goes_on(talk, capsys):
    answers = talk("planner", Scripted("", "Yes."), "A?", "B?", view=TextView(streams=True))

    out, err = capsys.readouterr()
    assert answers == [True, True]
    assert (out, err.count("the model gave no answer")) == ("Yes.\n", 1)


def test_what_a_model_says_cannot_steer_the_terminal(talk, capsys):
    talk("planner", Scripted("\x1b]0;owned\x07red\u202e\x1b[31m\rgone"), "A?", view=TextView(streams=True))

    out, _ = capsys.readouterr()
    assert not set("\x1b\x07\u202e\r") & set(out)


@pytest.mark.parametrize("member", CAST, ids=lambda member: member.name)
def test_every_agent_of_the_cast_answers(talk, member):
    backend = Scripted("Yes.")

    assert talk(member.name, backend, "Are you there?") == [True]
    offered = {tool.name for tool in backend.requests[0].tools}
    assert ("Write" in offered) == ("Write" in member.tools)


@pytest.mark.soak
def test_the_embedded_model_answers_nonsense_and_the_talk_ends_well(talk, capsys):
    with LocalWeb().running() as web:
        answers = talk(
            "researcher", None, "When was Fresnel's lens first lit?", "And where?", view=TextView(streams=True),
            wire=web.wire, searxng_url=web.searxng_url, model="embedded:smollm2",
        )  # fmt: skip

    _, err = capsys.readouterr()
    assert answers == [True, True]
    assert err.count("tokens, $0.00; in all") == 2
    assert "source: " in err or "(unverified: " in err


@pytest.mark.parametrize(
    ("models", "asked", "model"),
    [
        ({"default": "rehearsal:miss"}, None, "rehearsal:miss"),
        ({"default": "rehearsal:miss", "planner": "rehearsal:default"}, None, "rehearsal:miss"),
        ({}, None, "rehearsal:exact"),
        ({"default": "rehearsal:miss"}, "rehearsal:default", "rehearsal:default"),
    ],
)
def test_a_talk_about_a_book_asks_the_books_model_unless_another_is_named(home, models, asked, model):
    settings = load_settings(home=home, embedding="hashing", model="rehearsal:exact")
    book = make_book(settings, [], models=models)

    assert open_talk(SessionWish("writer", book.book, model=asked), settings, book.database).model == model
