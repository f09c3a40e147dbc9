"""The real built-in model, in process: what it streams, keeps to, refuses and lets go of."""

import asyncio
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.agents.backends.local.embedded import EmbeddedBackend
from bookwright.agents.backends.protocol import EventKind, Prompt, Request, Sampling, StreamEvent
from bookwright.agents.small.sampling import PROSE_GRAMMARS, sampling_extra
from bookwright.models.errors import RequestRejected, UnknownModel
from bookwright.models.settings import load_settings
from bookwright.models.text.language import Language
from bookwright.models.tree.plan import PlanOutput
from tests.support.forks import reached

MODEL = "embedded:smollm2"
PREMISE = "Clara Holt keeps the lighthouse on Gull Rock alone. One night she finds a brass key."


class Room:
    """One backend on one event loop, for all tests of this file: loading the model takes a second."""

    def __init__(self, home: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.backend = EmbeddedBackend(load_settings(home=home))
        self.heard: list[StreamEvent] = []

    def ask(self, request: Request):  # type: ignore[no-untyped-def]
        self.heard.clear()
        return self.loop.run_until_complete(self.backend.complete(request, self.heard.append))

    def close(self) -> None:
        self.loop.run_until_complete(self.backend.close())
        self.loop.close()


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    one = Room(tmp_path_factory.mktemp("home"))
    yield one
    one.close()


def request_for(
    text: str = "Tell of the sea.", *, prefill: str = "", tokens: int = 12, extra: dict[str, object] | None = None,
    output: type[PlanOutput] | None = None, model: str = MODEL,
) -> Request:  # fmt: skip
    prompt = Prompt("You write fiction in English.", (text,), 0, prefill)
    return Request(model, "writer", "1 write/draft", prompt, Sampling(0.5, tokens, 7, extra=extra or {}), output)


pytestmark = pytest.mark.embedded


def test_text_streams_and_is_counted(room: Room) -> None:
    reply = room.ask(request_for())

    texts = [event.text for event in room.heard if event.kind is EventKind.TEXT]
    assert len(texts) > 5
    assert "".join(texts) == reply.text
    assert reply.finish_reason == "length"
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (12, False)


def test_a_prefill_is_gone_on_from_and_not_given_back(room: Room) -> None:
    opening = "Clara Holt walked down to the sea and"

    reply = room.ask(request_for(prefill=opening))

    assert reply.text
    assert "Clara Holt walked down" not in reply.text


def test_the_same_seed_gives_the_same_text(room: Room) -> None:
    first, second = room.ask(request_for()), room.ask(request_for())

    assert first.text == second.text


def test_json_keeps_to_the_bounded_schema(room: Room) -> None:
    reply = room.ask(request_for(f"{PREMISE} What happens first, then, last?", tokens=500, output=PlanOutput))

    plan = PlanOutput.model_validate_json(reply.text)
    assert reply.finish_reason == "stop"
    assert 1 <= len(plan.sub_tasks) <= 8
    assert all(len(task.goal.split()) >= 5 for task in plan.sub_tasks)


def test_narrow_prose_names_nobody_new_and_lets_nobody_speak(room: Room) -> None:
    extra = sampling_extra(Language.EN, is_prose=True, premise=PREMISE)
    opening = "Clara Holt kept the lighthouse on Gull Rock alone."
    # Without its grammar the model names Tom Brown within these few words.
    asked = f"{PREMISE}\n\nTell of Tom Brown, Ann and Captain Miller of London, and who says what."

    reply = room.ask(request_for(asked, prefill=opening, tokens=24, extra=extra))

    words = reply.text.replace(".", " . ").replace(",", " ").split()
    inside = [word for previous, word in itertools.pairwise(words) if previous != "."]
    assert {word for word in inside if word[0].isupper()} <= {"Clara", "Holt", "Gull", "Rock"}
    assert not set(reply.text) & set('"“”0123456789:;#*')


@pytest.mark.parametrize("language", list(Language))
def test_the_server_reads_every_prose_grammar(room: Room, language: Language) -> None:
    reply = room.ask(request_for(tokens=4, extra={"grammar": PROSE_GRAMMARS[language]}))

    assert reply.usage.output_tokens == 4


def test_a_prompt_that_does_not_fit_is_refused(room: Room) -> None:
    with pytest.raises(RequestRejected, match="does not fit"):
        room.ask(request_for("sea " * PROVIDERS["embedded"].context_window))


def test_a_cancelled_call_frees_the_model(room: Room) -> None:
    async def cancelled() -> list[bool]:
        begun = asyncio.Event()
        call = asyncio.create_task(
            room.backend.complete(request_for(tokens=4_000), lambda event: begun.set() if event.text else None)
        )
        await begun.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        (running,) = room.backend._running.values()
        for _ in range(100):
            slots = (await running.client.get("/slots")).json()
            if not slots[0]["is_processing"]:
                break
            await asyncio.sleep(0.05)
        return [slot["is_processing"] for slot in slots]

    assert room.loop.run_until_complete(cancelled()) == [False]


def test_the_server_answers_to_its_key_alone(room: Room) -> None:
    room.ask(request_for(tokens=1))
    (running,) = room.backend._running.values()

    reply = httpx2.post(
        f"{running.server.listening_address}/v1/chat/completions", json={"messages": []}, trust_env=False
    )

    assert running.server.listening_address.startswith("http://127.0.0.1:")
    assert reply.status_code == 401


def test_closing_ends_the_server(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.ask(request_for(tokens=1))
    (address,) = [running.server.listening_address for running in room.backend._running.values()]

    room.close()

    with pytest.raises(httpx2.ConnectError):
        httpx2.get(address, trust_env=False)


def test_a_server_that_is_let_go_of_at_once_ends() -> None:
    with open(os.devnull, "r+b") as nothing:
        program = reached().begin(["tests.agents.backends.local.letting_go"], os.environ, [nothing.fileno()] * 2 + [2])
    try:
        assert program.wait(60) == 0
    finally:
        program.kill()


def test_a_file_that_is_no_model_is_refused(tmp_path: Path, room: Room) -> None:
    file = tmp_path / "fake.gguf"
    file.write_bytes(b"GGUF" + b"0" * 100)

    with pytest.raises(UnknownModel, match=r"llama\.cpp cannot load"):
        room.ask(request_for(model=f"embedded:{file}"))
