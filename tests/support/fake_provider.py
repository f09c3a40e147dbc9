"""A provider on 127.0.0.1 that speaks two APIs, keeps its own ledger, and misbehaves on order.

In a test: `with FakeProvider() as provider: ...`. As a process of its own:
`python -m tests.support.fake_provider --port 8099 --ledger ledger.jsonl --author tests.support.fake_author:write`.
"""

import argparse
import asyncio
import hashlib
import importlib
import json
import os
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any, Self

from aiohttp import web

from bookwright.agents.react.action import Action, Finish, read
from tests.support import fake_author
from tests.support.fake_troubles import spoiled
from tests.support.fake_wire import Answer, Anthropic, Api, OpenAI, Question

Author = Callable[[str, dict[str, Any] | None], str]
"""Answers a prompt; the schema is None where text is asked for."""

TROUBLES = {
    "hang": "accepts the request and never answers",
    "hang_mid": "streams one piece and falls silent",
    "slow": "thinks for so many seconds before it answers (`slow:0.7`)",
    "drip": "streams single characters, slowly",
    "reset": "resets the connection after half of the stream",
    "eof": "ends the stream after half of it without telling its end",
    "close": "resets the connection and listens no more, for good",
    "error_event": "breaks the stream with an error event",
    "truncate": "gives half of the text and says that the limit was reached",
    "fence": "wraps JSON in a code fence",
    "prose": "talks before and after the JSON",
    "wrong_schema": "gives JSON of another shape",
    "refuse": "refuses",
    "empty": "answers nothing",
    "echo": "gives the prompt back",
    "nul": "puts a NUL into a text, and before all values of JSON",
    "surrogate": "puts half of a surrogate pair into a text, and before all values of JSON",
    "wrong_language": "answers in Chinese, or in English where the answer would be Chinese",
    "garbage": "streams half of it and then what is no JSON",
    "odd": "streams half of it and then JSON that is no event",
    "html": "gives a web page, as a proxy of somebody's does",
    "no_usage": "counts no tokens",
    "huge": "answers 10 MB",
    "overflow": "says that the prompt is too long (400)",
    "no_schema": "knows neither tools nor JSON modes (400); the rest is answered",
}
"""What can be ordered for a call; any status of three digits is a trouble as well, and
`429:7` is one with `Retry-After: 7`."""

_DRIP_SECONDS = 0.05
_PIECES = 6
"""More of them tell no more of a stream, and each takes time on both sides."""
_LAST_WORDS = {
    "garbage": b"event: content_block_delta\ndata: {no JSON\n\n",
    "odd": b"event: content_block_delta\ndata: []\n\n",
}
_BREAKS = ("reset", "close", "eof", "error_event", "garbage", "odd", "html")


@dataclass
class Entry:
    """One call as the provider saw it."""

    index: int
    """From 0, in order of arrival."""
    api: str
    model: str
    prompt_hash: str
    time_in: float
    trouble: str = ""
    time_out: float | None = None
    reply_hash: str = ""
    input_tokens: int = 0
    """As told to the client; 0 where nothing was told."""
    output_tokens: int = 0
    billed_input: int = 0
    """As a provider bills it, told or not; of a stream that it broke off, half of the answer."""
    billed_output: int = 0
    status: int = 0
    is_whole: bool = False
    """All of the reply went out; the client had not left."""
    body: dict[str, Any] = field(default_factory=dict, repr=False)


class FakeProvider:
    """The server, run by a thread of its own."""

    def __init__(
        self,
        *,
        script: Mapping[int, str] | None = None,
        author: Author = fake_author.write,
        ledger_path: Path | None = None,
        port: int = 0,
        piece_characters: int = 40,
        piece_seconds: float = 0.0,
    ) -> None:
        """Set the server up.

        Args:
            script: The trouble for a call by its index; -1 stands for every call not named.
            ledger_path: Also writes each finished call there as a line of JSON, synced.
            piece_characters: The least that a piece of a stream has; a long answer comes in about six.
            piece_seconds: How long so many characters take.
        """
        self.script = dict(script or {})
        self.author = author
        self.told: dict[str, Any] = {}
        """What it says of its models, by path (`/props`, `/api/...`, `/v1/models`); 404 for what is not here."""
        self.told_paths: list[str] = []
        """The paths at which it was asked for that."""
        self.ledger: list[Entry] = []
        self._ledger_path = ledger_path
        self._port = port
        self._piece_characters = piece_characters
        self._piece_seconds = piece_seconds
        self._changed = Condition()
        self._recent: list[str] = []
        self._ready = Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._close_door: Callable[[], Awaitable[object]] = self._stop.wait
        self._thread = Thread(target=self._run, name="fake-provider", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def root(self) -> str:
        """The address for Anthropic's SDK."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """The address for OpenAI's SDK."""
        return f"{self.root}/v1"

    def wait_closed(self, calls: int, seconds: float = 10) -> list[Entry]:
        """Wait until so many calls have ended, whichever way; give the ledger."""
        with self._changed:
            self._changed.wait_for(lambda: sum(e.time_out is not None for e in self.ledger) >= calls, seconds)
        return self.ledger

    async def serve(self) -> None:
        """Serve until stopped."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", partial(self._answer, OpenAI))
        app.router.add_post("/v1/messages", partial(self._answer, Anthropic))
        app.router.add_get("/v1/models", self._tell)
        app.router.add_get("/props", self._tell)
        app.router.add_route("*", "/api/{name}", self._tell)
        app.router.add_get("/ledger", self._show_ledger)
        app.router.add_get("/search", self._search)
        app.router.add_post("/script", self._take_script)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port)
        await site.start()
        self._close_door = site.stop
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.serve())
        self._loop.close()

    async def _tell(self, request: web.Request) -> web.Response:
        self.told_paths.append(request.path)
        if request.path not in self.told:
            raise web.HTTPNotFound
        return web.json_response(self.told[request.path])

    async def _show_ledger(self, _: web.Request) -> web.Response:
        return web.json_response([{**asdict(entry), "body": None} for entry in self.ledger])

    async def _search(self, request: web.Request) -> web.Response:
        """Answer as SearXNG does: one page, which is about whatever was asked."""
        about = request.query["q"]
        page = {"url": "https://harbour.example/log", "title": f"A log of {about}", "content": f"All about {about}."}
        return web.json_response({"query": about, "results": [page], "unresponsive_engines": []})

    async def _take_script(self, request: web.Request) -> web.Response:
        self.script = {int(index): trouble for index, trouble in (await request.json()).items()}
        return web.json_response({})

    async def _answer(self, api: Api, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        question = api.read(body)
        entry = Entry(len(self.ledger), api.name, question.model, _hash(question.prompt), time.time(), body=body)
        entry.trouble = self.script.get(entry.index, self.script.get(-1, ""))
        self.ledger.append(entry)
        try:
            response = await self._carry_out(request, api, question, entry)
            entry.status = response.status
            entry.is_whole = response.status == 200 and entry.trouble not in _BREAKS
            return response
        finally:
            self._close(entry)

    async def _carry_out(self, request: web.Request, api: Api, question: Question, entry: Entry) -> web.StreamResponse:
        trouble, _, argument = entry.trouble.partition(":")
        if trouble.isdigit():
            headers = {"Retry-After": argument} if argument else {}
            return web.json_response(api.error(int(trouble), "ordered"), status=int(trouble), headers=headers)
        if trouble == "overflow":
            return web.json_response(api.error(400, "prompt is too long: 9 > 8 maximum context length"), status=400)
        if trouble == "no_schema" and (entry.body.get("tools") or "response_format" in entry.body):
            return web.json_response(api.error(400, "response_format json_schema is not supported"), status=400)
        if trouble == "html":
            return web.Response(text="<html><body>Sign in to the network.</body></html>", content_type="text/html")
        if trouble == "hang":
            await asyncio.Event().wait()
        if trouble == "slow":
            await asyncio.sleep(float(argument))
        if trouble == "close":
            await self._close_door()
        answer = self._compose(question, trouble)
        entry.reply_hash = _hash(answer.text)
        if answer.has_usage:
            entry.input_tokens, entry.output_tokens = answer.input_tokens, answer.output_tokens
        entry.billed_input = answer.input_tokens
        entry.billed_output = -(-answer.output_tokens // 2) if trouble in _BREAKS else answer.output_tokens
        if question.is_stream:
            return await self._stream(request, api, question, answer, trouble)
        return web.json_response(api.whole(question, answer))

    def _compose(self, question: Question, trouble: str) -> Answer:
        text, finish = spoiled(self.author(question.prompt, question.schema), question, trouble)
        tokens = max(1, len(question.prompt) // 4)
        cached = min(self._shared_prefix(question.prompt) // 4, tokens - 1)
        answer = Answer(text, finish, tokens, cached, max(1, len(text) // 4), has_usage=trouble != "no_usage")
        return _as_called(answer, question) if question.tools else answer

    def _shared_prefix(self, prompt: str) -> int:
        """Characters that this prompt shares with one of the last ones, as a prefix cache would find."""
        shared = max((_common_prefix(prompt, earlier) for earlier in self._recent), default=0)
        self._recent = [*self._recent[-7:], prompt]
        return shared

    async def _stream(
        self, request: web.Request, api: Api, question: Question, answer: Answer, trouble: str
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(api.opening(question, answer).encode())
        usual = max(self._piece_characters, len(answer.text) // _PIECES)
        size = {"drip": 1, "huge": 64 * 1024}.get(trouble, usual)
        seconds = _DRIP_SECONDS if trouble == "drip" else self._piece_seconds * size / self._piece_characters
        pieces = [answer.text[start : start + size] for start in range(0, len(answer.text), size)]
        breaks = trouble in _BREAKS
        for number, piece in enumerate(pieces):
            if breaks and number >= max(1, len(pieces) // 2):
                break
            await response.write(api.piece(question, answer, piece, is_first=number == 0).encode())
            await asyncio.sleep(seconds)
            if trouble == "hang_mid":
                await asyncio.Event().wait()
        if breaks:
            await _break_off(request, response, api, trouble)
            return response
        for event in api.closing(question, answer):
            await response.write(event.encode())
        await response.write_eof()
        return response

    def _close(self, entry: Entry) -> None:
        with self._changed:
            entry.time_out = time.time()
            self._changed.notify_all()
        if self._ledger_path:
            line = json.dumps({**asdict(entry), "body": None}) + "\n"
            with self._ledger_path.open("a") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())


async def _break_off(request: web.Request, response: web.StreamResponse, api: Api, trouble: str) -> None:
    """End a stream that has not told its end."""
    if trouble in ("reset", "close"):
        assert request.transport is not None
        request.transport.abort()
        return
    if trouble in _LAST_WORDS:
        await response.write(_LAST_WORDS[trouble])
    elif trouble == "error_event":
        await response.write(api.error_event().encode())
    await response.write_eof()


def _as_called(answer: Answer, question: Question) -> Answer:
    """Give an author's action as a call, and his answer without the form around it."""
    match read(answer.text):
        case Action(tool, arguments, thought) if tool in question.tools:
            return replace(answer, text=arguments, call=tool, thought=thought)
        case Finish(text):
            return replace(answer, text=text)
        case _:
            return answer


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _common_prefix(first: str, second: str) -> int:
    """Count the characters that two texts share at their beginning."""
    return bisect_left(range(min(len(first), len(second))), True, key=lambda at: first[: at + 1] != second[: at + 1])


def _load_author(path: str) -> Author:
    module, _, name = path.partition(":")
    author: Author = getattr(importlib.import_module(module), name)
    return author


def main() -> None:
    """Serve in the foreground and print the port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ledger", type=Path)
    parser.add_argument(
        "--author", default="tests.support.fake_author:write", help="module:function(prompt, schema) -> text"
    )
    parser.add_argument("--script", default="{}", help='troubles by call as JSON, such as {"1": "429:2", "-1": "drip"}')
    parser.add_argument("--piece-characters", type=int, default=40)
    parser.add_argument("--piece-seconds", type=float, default=0.0)
    options = parser.parse_args()
    script = {int(index): trouble for index, trouble in json.loads(options.script).items()}
    provider = FakeProvider(
        script=script,
        author=_load_author(options.author),
        ledger_path=options.ledger,
        port=options.port,
        piece_characters=options.piece_characters,
        piece_seconds=options.piece_seconds,
    )
    with provider:
        print(json.dumps({"url": provider.url, "root": provider.root}), flush=True)
        Event().wait()


if __name__ == "__main__":
    main()
