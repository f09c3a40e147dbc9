"""The tool server, used by the official client: what it shows, keeps back, and does when it is allowed to."""

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from bookwright.app.access import open_book
from bookwright.app.assistants.queries import BookQueries
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.record import Origin
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.cli.shelf import add_choice
from tests.support.fake_prefect import queued
from tests.support.forks import forking_python

if TYPE_CHECKING:
    from mcp.client.client import Client

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra `mcp` is not installed")

LOOKS = {
    "books", "status", "tree", "read_text", "codex", "threads", "secrets", "report", "stale", "bill_for_new_book",
    "bill_for_going_on", "branches", "compare", "candidates", "notes",
}  # fmt: skip
CHANGES = {"save_text", "fork_book", "add_note", "pause_book", "begin_book", "resume_book", "refresh_book"}
ORDER = {"premise": "A clerk finds a letter in her own hand.", "length": "600"}


@asynccontextmanager
async def asking(settings: Settings, *, allows: bool = False) -> "AsyncIterator[Client]":
    from mcp.client.client import Client  # takes half a second to load, here alone

    from bookwright.app.assistants.server import make_server

    async with Client(make_server(settings, allows_changes=allows)) as client:
        yield client


def asked(settings: Settings, does: "Callable[[Client], Awaitable[Any]]", *, allows: bool = False) -> Any:
    async def run() -> Any:
        async with asking(settings, allows=allows) as client:
            return await does(client)

    return asyncio.run(run())


async def call(client: "Client", name: str, **arguments: Any) -> Any:
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, answer.content
    told = answer.structured_content
    return told["result"] if set(told) == {"result"} else told


async def refused(client: "Client", name: str, **arguments: Any) -> str:
    answer = await client.call_tool(name, arguments)
    assert answer.is_error
    return str(answer.content[0].text)


async def names(client: "Client") -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


def test_it_only_looks_unless_it_is_allowed_more(settings: Settings) -> None:
    assert asked(settings, names) == LOOKS
    assert asked(settings, names, allows=True) == LOOKS | CHANGES


def test_every_tool_says_what_it_does_and_whether_it_only_reads(settings: Settings) -> None:
    tools = asked(settings, lambda client: client.list_tools(), allows=True).tools

    assert [tool.name for tool in tools if not (tool.description or "").strip()] == []
    assert {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint} == LOOKS


def test_a_book_is_looked_at_from_every_side(settings: Settings, book: BookStorage) -> None:
    async def does(client: "Client") -> dict[str, Any]:
        return {
            "books": await call(client, "books"), "status": await call(client, "status", book="lamp"),
            "tree": await call(client, "tree", book="lamp"),
            "text": await call(client, "read_text", book="lamp", place="chapter 1"),
            "codex": await call(client, "codex", book="lamp"), "threads": await call(client, "threads", book="lamp"),
            "report": await call(client, "report", book="lamp"), "stale": await call(client, "stale", book="lamp"),
        }  # fmt: skip

    found = asked(settings, does)

    assert [one["book"] for one in found["books"]] == [found["status"]["book"]] == ["lamp"]
    assert [node["level"] for node in found["tree"]][:2] == ["book", "chapter"]
    assert all("goal" not in node for node in found["tree"])
    assert found["text"]["characters"] == len(found["text"]["text"]) > 0
    assert found["text"]["version"] == 1
    assert len(found["report"]["chapters"]) == 2
    assert found["stale"]["bill_hash"]


def test_secrets_are_told_as_such_alone(settings: Settings, book: BookStorage) -> None:
    with book.write() as stores:
        stores.codex.add(Secret(id="the-heir", content="Ines is the heir."), Origin.AUTHOR)

    async def does(client: "Client") -> tuple[Any, Any, str]:
        plain = await call(client, "secrets", book="lamp")
        told = await call(client, "secrets", book="lamp", spoilers=True)
        looks = [await call(client, name, book="lamp") for name in ("tree", "codex", "threads", "report", "status")]
        return plain, told, json.dumps(looks)

    plain, told, looks = asked(settings, does)

    assert plain == [{"secret": "secret-1", "importance": "medium"}]
    assert told[0]["content"] == "Ines is the heir."
    assert "heir" not in json.dumps(plain) + looks


def test_a_branch_is_begun_where_that_is_allowed_and_looked_at_freely(settings: Settings, book: BookStorage) -> None:
    add_choice(book)

    async def does(client: "Client") -> tuple[Any, ...]:
        made = await call(client, "fork_book", book="lamp", branch="she stays", place="chapter 2")
        await call(client, "add_note", book="lamp", place="chapter 1", at="lamp went", words="Which lamp?")
        listed = await call(client, "branches", book="lamp")
        compared = await call(client, "compare", book="lamp", other=made["book"])
        [drafts] = await call(client, "candidates", book="lamp", place="chapter 2")
        [note] = await call(client, "notes", book="lamp")
        return made, listed, compared, drafts, note

    made, listed, compared, drafts, note = asked(settings, does, allows=True)

    assert [row["book"] for row in listed["branches"]] == ["lamp", made["book"]]
    assert compared["differing"] == ["1.2"]
    assert "records" not in compared  # what the codex keeps back is not told by the way
    assert (drafts["chosen"], note["at"]) == (2, "lamp went")


def test_what_cannot_be_is_told_in_words(settings: Settings, book: BookStorage) -> None:
    async def does(client: "Client") -> list[str]:
        return [
            await refused(client, "status", book="nobody"),
            await refused(client, "read_text", book="lamp", place="chapter 9"),
        ]

    book_words, place_words = asked(settings, does)

    assert "no book 'nobody'" in book_words
    assert "there is no chapter 9; the book has 3 so far" in place_words


def test_an_author_s_words_are_saved_once_and_a_stale_version_is_refused(settings: Settings, book: BookStorage) -> None:
    async def does(client: "Client") -> tuple[Any, str]:
        text = await call(client, "read_text", book="lamp", place="chapter 1")
        words = {"book": "lamp", "place": "chapter 1", "text": "The lamp went out.", "version": text["version"]}
        return await call(client, "save_text", **words), await refused(client, "save_text", **words | {"text": "No."})

    saved, why = asked(settings, does, allows=True)

    assert (saved["version"], saved["is_changed"], saved["waits"]) == (2, True, False)
    assert "version" in why
    with open_book("lamp", lambda line: None, settings) as opened, opened.storage.read() as stores:
        assert stores.nodes.by_label(saved["node"]).written == 4


def test_nothing_is_begun_without_the_bill_that_was_shown(settings: Settings) -> None:
    async def does(client: "Client") -> tuple[str, str, Any, Any, str, Any]:
        why = await refused(client, "begin_book", order=ORDER, bill_hash="0" * 64)
        misspelt = await refused(client, "bill_for_new_book", order=ORDER | {"bugdet": "3"})
        bill = await call(client, "bill_for_new_book", order=ORDER)
        before = await call(client, "books")
        begun = await call(client, "begin_book", order=ORDER, bill_hash=bill["bill_hash"])
        again = await refused(client, "begin_book", order=ORDER, bill_hash=bill["bill_hash"])
        return why, misspelt, before, begun, again, await call(client, "books")

    why, misspelt, before, begun, again, after = asked(settings, does, allows=True)

    assert "bill" in why
    assert "an order has no 'bugdet'; it has audience," in misspelt
    assert "still at work on this book" in again
    assert len(after) == 1
    assert before == []
    assert begun["is_started"]
    assert finished(settings, begun["book"])


def finished(settings: Settings, book: str) -> bool:
    for _ in range(600):
        with open_book(book, lambda line: None, settings) as opened:
            if opened.book.state == "finished":
                return True
        time.sleep(0.1)
    return False


def test_it_speaks_over_stdin_and_stdout(settings: Settings, book: BookStorage) -> None:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters

    environment = dict(os.environ)
    server = StdioServerParameters(command=forking_python(), args=["-m", "bookwright", "mcp"], env=environment)

    async def run() -> tuple[set[str], Any]:
        async with Client(server) as client:
            return await names(client), await call(client, "books")

    tools, books = asyncio.run(run())

    assert tools == LOOKS
    assert [one["book"] for one in books] == ["lamp"]


def test_over_http_it_answers_the_token_and_no_page(settings: Settings, book: BookStorage) -> None:
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/mcp"
    command = [forking_python(), "-m", "bookwright", "mcp", "--http", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        token = told_token(settings, port)
        bearer = {"Authorization": f"Bearer {token}"}

        async def run() -> Any:
            async with (
                httpx2.AsyncClient(headers=bearer) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                return await call(client, "books")

        assert [one["book"] for one in asyncio.run(run())] == ["lamp"]
        assert httpx2.post(address, json={}).status_code == 401
        assert httpx2.post(address, json={}, headers=bearer | {"Origin": "http://evil.example"}).status_code == 403
        assert httpx2.post(address, json={}, headers=bearer | {"Host": "evil.example"}).status_code == 421
        assert (settings.home / "mcp-token").stat().st_mode & 0o077 == 0
    finally:
        process.terminate()
        process.wait()


def test_servers_that_start_at_once_have_one_token(settings: Settings) -> None:
    from bookwright.app.assistants.server import token_of

    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(token_of, [settings] * 8))

    assert tokens == {(settings.home / "mcp-token").read_text()}


def test_on_a_port_in_use_it_does_not_say_that_it_serves(cli: Cli, settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        outcome = cli("mcp", "--http", port)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"bookwright: port {port} cannot be had (Address already in use); --http names another\n"
    assert not (settings.home / "mcp-token").exists()


def told_token(settings: Settings, port: int) -> str:
    """The token of a server that listens; it is made once the port is had."""
    kept = settings.home / "mcp-token"
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0 and kept.exists():
                return kept.read_text().strip()
        time.sleep(0.1)
    raise AssertionError("it does not listen")


def test_a_book_that_waits_for_a_worker_is_queued(settings: Settings, book: BookStorage) -> None:
    queries = BookQueries(settings)
    resting = queries.status("lamp")["state"]

    with queued(settings, "lamp"):
        assert (resting, queries.status("lamp")["state"], queries.books()[0]["state"]) == ("paused", "queued", "queued")
