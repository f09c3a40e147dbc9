"""A stand-in for the program `claude`: it speaks its protocol, and misbehaves on order.

In a test: `with FakeClaude(tmp_path) as claude: ...` and `claude_path=str(claude.path)`. The program that
is put there asks this process over a socket what to do, so that calls are counted and answered here.
The real program is never run.
"""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Self

from tests.support import fake_author

TROUBLES = {
    "late": "thinks for so many seconds before it says anything (`late:0.5`)",
    "lone": "tells whole messages only",
    "drip": "says a letter now and then, for ever",
    "silent": "says nothing at all",
    "silent_after": "says half and falls silent",
    "deaf": "never reads its prompt, and answers",
    "stubborn": "says half, falls silent and does not end when it is asked to",
    "cut_off": "ends in the middle of a line",
    "crash": "says half, complains and ends with code 3",
    "killed": "says half and is killed",
    "old_option": "does not know an option",
    "garbage": "prints what is no event between its events",
    "odd": "prints events of unheard-of shapes between its events",
    "huge_line": "prints a line of 11 MB before its answer",
    "no_result": "says all of it and ends without a result",
    "empty": "gives an empty result and has said nothing",
    "declined": "stops for refusal",
    "limit": "reaches the limit of the answer, and would go on",
    "endless": "answers without an end",
    "double": "gives two results",
    "lingers": "gives its result and does not end, also when it is asked to",
    "orphan": "leaves a child of its own behind that holds its output, and gives no result",
    "error": "gives a result that is an error (`error:TEXT`), as the program tells of its provider's",
    "broken": "gives a result with a subtype of error (`broken:error_max_turns`) and no text",
    "uncounted": "tells neither tokens nor cost",
    "tools": "uses a tool of its own, and an agent below it, before it answers",
}

_ROOT = Path(__file__).resolve().parents[2]
_ALL_OPTIONS = (
    "--allowedTools --disable-slash-commands --include-partial-messages --model --no-session-persistence "
    "--output-format --print --strict-mcp-config --system-prompt --tools --verbose"
)
_SCHEMA_MARK = "It keeps to this JSON schema:\n"
_COST = 0.0125

Author = Callable[[str, dict[str, Any] | None], str]


@dataclass
class Call:
    """One run of the program, as it saw itself."""

    pid: int
    group: int
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    trouble: str
    prompt: str = ""
    """What it read; empty until it has."""


class FakeClaude:
    """The program, and the one it asks."""

    def __init__(
        self,
        folder: Path,
        *,
        author: Author = fake_author.write,
        script: Mapping[int, str] | None = None,
        options: str = _ALL_OPTIONS,
        formats: str = '"text", "json", "stream-json"',
    ) -> None:
        """Set it up.

        Args:
            script: The trouble for a call by its index; -1 stands for every call not named.
            options: What its help names; an older version has fewer.
        """
        self.path = folder / "claude"
        self.author = author
        self.script = dict(script or {})
        self.help = f"Usage: claude [options] [prompt]\nOptions: {options}\n(choices: {formats})\n"
        self.helped = 0
        self.calls: list[Call] = []
        self.left_behind: list[int] = []
        self._sockets = TemporaryDirectory(prefix="bw-")  # its own: a path of a socket must be short
        address = f"{self._sockets.name}/s"
        self._server = _Server(address, self)
        self.path.write_text(
            f"#!{sys.executable} -S\nimport sys\nsys.path.insert(0, {str(_ROOT)!r})\n"
            f"from tests.support.fake_claude import main\nmain({address!r})\n"
        )
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._sockets.cleanup()
        for pid in [call.pid for call in self.calls] + self.left_behind:
            if runs(pid):
                with suppress(ProcessLookupError):  # it may end by itself meanwhile
                    os.kill(pid, signal.SIGKILL)

    def decide(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Say what a run is to do."""
        if "left" in asked:
            self.left_behind.append(asked["left"])
            return {}
        if "prompt" in asked:
            self.calls[asked["index"]].prompt = asked["prompt"]
            return {"text": self.author(asked["prompt"], _schema(asked["prompt"]))}
        if "--help" in asked["arguments"]:
            self.helped += 1
            return {"help": self.help}
        index = len(self.calls)
        trouble = self.script.get(index, self.script.get(-1, ""))
        self.calls.append(Call(**asked, trouble=trouble))
        return {"index": index, "trouble": trouble}


class _Server(ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, address: str, claude: FakeClaude) -> None:
        self.claude = claude
        super().__init__(address, _Handler)


class _Handler(StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        answer = self.server.claude.decide(json.loads(self.rfile.readline()))
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def runs(pid: int) -> bool:
    """Tell whether a process is there and not only waiting to be reaped."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip()[:1] not in ("", "Z")


def _schema(prompt: str) -> dict[str, Any] | None:
    _, mark, rest = prompt.partition(_SCHEMA_MARK)
    return json.loads(rest.splitlines()[0]) if mark else None


# What follows is run by the program.


def main(address: str) -> None:
    """Be the program."""
    orders = _ask(address, _told())
    if "help" in orders:
        print(orders["help"])
        return
    trouble, _, argument = orders["trouble"].partition(":")
    prompt = "" if trouble == "deaf" else sys.stdin.buffer.read().decode()
    text = _ask(address, {"index": orders["index"], "prompt": prompt})["text"]
    _Run(address, text, trouble, argument, "--include-partial-messages" in sys.argv).speak()


def _told() -> dict[str, Any]:
    names = ("CLAUDECODE", "MAX_THINKING_TOKENS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "PATH")
    return {
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "arguments": sys.argv[1:],
        "environment": {name: os.environ[name] for name in names if name in os.environ},
        "folder": str(Path.cwd()),
    }


def _ask(address: str, told: dict[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(json.dumps(told).encode() + b"\n")
        with connection.makefile() as file:
            answer: dict[str, Any] = json.loads(file.readline())
    return answer


def _print(event: Any) -> None:
    print(json.dumps(event, ensure_ascii=False), flush=True)


@dataclass(frozen=True)
class _Run:
    address: str
    text: str
    trouble: str
    argument: str
    has_pieces: bool

    @property
    def usage(self) -> dict[str, Any]:
        return {
            "input_tokens": 12,
            "cache_creation_input_tokens": 300,
            "cache_read_input_tokens": 700,
            "output_tokens": max(1, len(self.text) // 4),
        }

    def speak(self) -> None:
        if self.trouble in ("stubborn", "lingers"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.trouble == "late":
            time.sleep(float(self.argument))
        if self.trouble == "silent":
            time.sleep(600)
        if self.trouble == "old_option":
            sys.exit("error: unknown option '--max-turns'")
        _print({"type": "system", "subtype": "init", "session_id": "5e55", "tools": [], "model": "claude-opus-4-6"})
        if self.trouble == "huge_line":
            _print({"type": "user", "message": "x" * (11 * 1024 * 1024)})
        if self.trouble == "tools":
            self._use_tools()
        self._answer()
        self._result()

    def _use_tools(self) -> None:
        use = {"type": "tool_use", "id": "t1", "name": "WebSearch", "input": {"query": "lamps"}}
        _print(
            {"type": "assistant", "message": {"id": "m0", "content": [{"type": "text", "text": "I look it up."}, use]}}
        )
        below = {"id": "b1", "content": [{"type": "text", "text": "Said by an agent below."}]}
        _print({"type": "assistant", "parent_tool_use_id": "t1", "message": below})
        found = {"type": "tool_result", "tool_use_id": "t1", "content": "42 lamps"}
        _print({"type": "user", "message": {"role": "user", "content": [found]}})

    def _answer(self) -> None:
        if self.trouble in ("empty", "error", "broken"):
            return
        if self.has_pieces and self.trouble not in ("lone", "uncounted"):
            self._pieces()
        self._break_off()
        if self.trouble == "garbage":
            for line in ("(node:1) Warning: be warned", "{", "[1, 2]", "null", '"result"', "\x00", "[" * 100_000):
                print(line, flush=True)
        if self.trouble == "odd":
            self._odd()
        parts = [{"type": "text", "text": self.text}]
        _print({"type": "assistant", "message": {"id": "m1", "model": "claude-opus-4-6", "content": parts}})

    def _break_off(self) -> None:
        match self.trouble:
            case "cut_off":
                sys.stdout.write(json.dumps({"type": "result", "result": self.text})[: len(self.text) // 2])
                sys.exit()
            case "crash":
                print("noise " * 2_000 + "\nTypeError: cannot read 'usage', key sk-ant-oat01-secret", file=sys.stderr)
                os._exit(3)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "silent_after" | "stubborn" | "limit":
                time.sleep(600)
            case "orphan":
                left = subprocess.Popen(["sleep", "600"])
                _ask(self.address, {"left": left.pid})
                os._exit(0)

    def _pieces(self) -> None:
        _piece({"type": "message_start", "message": {"id": "m1", "usage": {**self.usage, "output_tokens": 1}}})
        is_half = self.trouble in ("cut_off", "crash", "killed", "silent_after", "stubborn", "orphan", "limit")
        text = self.text[: len(self.text) // 2] if is_half else self.text
        step = 1 if self.trouble == "drip" else 40
        for start in range(0, len(text), step):
            _say(text[start : start + step])
            if self.trouble == "drip":
                time.sleep(0.02)
        while self.trouble in ("drip", "endless"):
            _say("and on " * (1 if self.trouble == "drip" else 1_000))
            time.sleep(0.02)
        reasons = {"limit": "max_tokens", "declined": "refusal"}
        reason = reasons.get(self.trouble, "end_turn")
        if not is_half or self.trouble == "limit":
            _piece({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 77}})

    def _odd(self) -> None:
        for event in (
            {"type": "stream_event", "event": None},
            {
                "type": "stream_event",
                "event": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": 7}},
            },
            {"type": "stream_event", "event": {"type": "message_delta", "delta": None, "usage": []}},
            {
                "type": "stream_event",
                "event": {"type": "message_start", "message": {"usage": {"input_tokens": "many"}}},
            },
            {"type": "assistant", "message": "no"},
            {"type": "assistant", "message": {"content": [None, 3, {"type": "text"}, {"type": "text", "text": []}]}},
            {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}},
            {"type": 12},
        ):
            _print(event)

    def _result(self) -> None:
        if self.trouble == "no_result":
            return
        event: dict[str, Any] = {
            "type": "result", "subtype": "success", "is_error": False, "duration_ms": 5, "num_turns": 1,
            "result": self.text, "session_id": "5e55-1d", "total_cost_usd": _COST, "usage": self.usage,
        }  # fmt: skip
        match self.trouble:
            case "empty":
                event["result"] = ""
            case "error":
                event |= {"is_error": True, "result": self.argument, "total_cost_usd": 0, "usage": {}}
            case "broken":
                event |= {"subtype": self.argument, "num_turns": 50, "errors": ["it went wrong"]}
                del event["result"]
            case "uncounted":
                del event["usage"], event["total_cost_usd"]
            case "tools":
                event["num_turns"] = 2
        _print(event)
        if self.trouble == "double":
            _print({**event, "result": "another answer"})
        if self.trouble in ("double", "lingers"):
            time.sleep(600)


def _piece(event: dict[str, Any]) -> None:
    _print({"type": "stream_event", "event": event})


def _say(text: str) -> None:
    _piece({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
