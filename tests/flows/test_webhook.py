"""The webhook of a gate: told once, tried twice, and never a reason for a book to stop."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows import webhook
from bookwright.flows.stopping import Limits
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookPaused, InvalidBrief
from tests.flows.gated import Desk, sit_down


@dataclass
class Hook:
    """A server that hears of gates."""

    url: str = ""
    answers: list[int] = field(default_factory=lambda: [204])
    """Statuses in turn, the last one for good; 0 for none at all."""
    heard: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def hook() -> Iterator[Hook]:
    told = Hook()
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            status = told.answers.pop(0) if len(told.answers) > 1 else told.answers[0]
            if status == 0:
                done.wait()
                return
            self.send_response(status)
            self.send_header("location", told.url)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        told.url = f"http://127.0.0.1:{server.server_port}/hook?key=sesame"
        yield told
        done.set()
        server.shutdown()


@contextmanager
def book_told_at(url: str, home: Path) -> Iterator[Desk]:
    desk = sit_down(home, gates=["outline"], webhook=url)
    yield desk
    desk.close()


def test_a_webhook_is_told_once_how_to_decide(hook: Hook, tmp_path: Path) -> None:
    with book_told_at(hook.url, tmp_path) as desk:
        gate = desk.wait()
        desk.wait()

    [news] = hook.heard
    assert (news["event"], news["book"], news["gate"], news["kind"]) == ("gate_waiting", gate.book, gate.id, "outline")
    assert (news["node"], news["approve"]) == ("1", f"bookwright approve {gate.book} {gate.id}")
    assert gate.told_at is not None
    assert gate.notice == ""


def test_a_webhook_that_fails_once_is_told_again(hook: Hook, tmp_path: Path) -> None:
    hook.answers = [503, 200]
    with book_told_at(hook.url, tmp_path) as desk:
        gate = desk.wait()

    assert len(hook.heard) == 2
    assert gate.told_at is not None


@pytest.mark.parametrize("status", [500, 404, 302])
def test_a_webhook_that_refuses_is_noted_without_its_key_and_tried_at_the_next_run(
    hook: Hook, tmp_path: Path, status: int
) -> None:
    hook.answers = [status]
    with book_told_at(hook.url, tmp_path) as desk:
        gate = desk.wait()
        assert len(hook.heard) == 2
        hook.answers = [200]
        told = desk.wait()

    server = hook.url.partition("/hook")[0]
    assert gate.notice == f"the webhook at {server} was not told: it answered {status}"
    assert gate.told_at is None
    assert (told.notice, len(hook.heard)) == ("", 3)


def test_a_webhook_where_nobody_listens_stops_no_book(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/"
    with book_told_at(url, tmp_path) as desk:
        gate = desk.wait()

    assert "was not told: ConnectError" in gate.notice


def test_a_webhook_that_never_answers_is_left_at_the_deadline(hook: Hook, tmp_path: Path) -> None:
    with book_told_at("", tmp_path) as desk:
        gate = desk.wait()
        hook.answers = [0]
        book = desk.book.model_copy(update={"brief": desk.book.brief.changed(webhook=hook.url)})

        told = webhook.tell(gate, book, desk.database, deadline=0.2)

    assert told.notice.endswith(("no answer within 0.2 s", "ReadTimeout: timed out"))
    assert len(hook.heard) == 2


def test_a_worker_tells_no_host_that_the_owner_has_not_allowed(hook: Hook, tmp_path: Path) -> None:
    with book_told_at("", tmp_path) as desk:
        gate = desk.wait()
        book = desk.book.model_copy(update={"brief": desk.book.brief.changed(webhook=hook.url)})

        silent = webhook.tell(gate, book, desk.database, hosts=("hooks.example",))
        unheard = len(hook.heard)
        told = webhook.tell(gate, book, desk.database, hosts=("127.0.0.1",))

    assert unheard == 0
    assert "was not told: workers tell nobody whose host is not among webhook_hosts" in silent.notice
    assert (told.notice, len(hook.heard)) == ("", 1)


@pytest.mark.parametrize(
    "url", ["ftp://x/y", "http://", "https:///path", "just words", "http://a b", "http://x:99999/"]
)
def test_what_is_no_address_is_refused_with_the_brief(url: str) -> None:
    with pytest.raises(InvalidBrief, match="webhook in the brief: is no http"):
        make_brief({"premise": "x", "length": 900, "webhook": url})


@pytest.mark.parametrize("gate", ["human_fallback", "page", ""])
def test_what_no_brief_can_ask_for_is_refused(gate: str) -> None:
    with pytest.raises(InvalidBrief, match=r"gates.* in the brief"):
        make_brief({"premise": "x", "length": 900, "gates": [gate]})


def heard_by(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """What the author's command was run with: the line and the news."""
    held = file.read_text("utf-8").splitlines() if file.exists() else []
    return [(line, json.loads(news)) for line, news in map(json.loads, held)]


def writes_down(file: Path) -> tuple[str, ...]:
    code = (
        "import json, sys; out = open(sys.argv[1], 'a');"
        "out.write(json.dumps([sys.argv[-1], sys.stdin.read()]) + chr(10)); out.close()"
    )
    return (sys.executable, "-c", code, str(file))


def told_by(home: Path, command: tuple[str, ...], **brief: Any) -> Desk:
    """A book whose author has set a command."""
    desk = sit_down(home, **brief)
    settings = desk.around.settings.model_copy(update={"notify_command": command})
    desk.around = replace(desk.around, settings=settings)
    return desk


def test_the_end_of_a_book_is_told_once_to_the_webhook_and_the_command(hook: Hook, tmp_path: Path) -> None:
    file = tmp_path / "heard"
    desk = told_by(tmp_path / "home", writes_down(file), webhook=hook.url)
    book = desk.run()
    desk.run()
    desk.close()

    [(line, told)] = heard_by(file)
    assert line == f"{book.title} is finished"
    assert (told["event"], told["book"], told["show"]) == ("book_finished", book.id, f"bookwright read {book.id}")
    assert hook.heard == [told]


def test_a_gate_is_told_to_the_command_and_then_a_rest(tmp_path: Path) -> None:
    file = tmp_path / "heard"
    desk = told_by(tmp_path / "home", writes_down(file), gates=["outline"], length=6_000, max_unit_length=2_400)
    desk.approve(desk.wait())
    desk.around = replace(desk.around, limits=Limits(words_today=1))
    with pytest.raises(BookPaused):
        desk.run()
    desk.close()

    (gate_line, gate), (rest_line, rest) = heard_by(file)
    assert (gate["event"], gate_line.endswith("waits for your decision: outline")) == ("gate_waiting", True)
    assert (rest["event"], rest["has_failed"]) == ("book_rests", False)
    assert rest["reason"] in rest_line


@pytest.mark.parametrize("command", [("/no/such/program",), (sys.executable, "-c", "raise SystemExit(3)")])
def test_a_command_that_fails_stops_no_book(tmp_path: Path, command: tuple[str, ...]) -> None:
    desk = told_by(tmp_path / "home", command)

    assert desk.run().state == "finished"
    desk.close()
