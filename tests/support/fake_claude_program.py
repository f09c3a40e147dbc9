"""What the stand-in for the program `claude` runs: it does what `FakeClaude` says, who started it, over a socket.

It imports as little as it can, since each of its many starts pays for that.
"""

import json
import os
import signal
import socket
import sys
import time

_COST = 0.0125


def main(address: str) -> None:
    """Be the program."""
    orders = _ask(address, _told())
    if "help" in orders:
        print(orders["help"])
        return
    trouble, _, argument = str(orders["trouble"]).partition(":")
    prompt = "" if trouble == "deaf" else sys.stdin.buffer.read().decode()
    text = str(_ask(address, {"index": orders["index"], "prompt": prompt})["text"])
    _Run(address, text, trouble, argument, "--include-partial-messages" in sys.argv).speak()


def _told() -> dict[str, object]:
    names = ("CLAUDECODE", "MAX_THINKING_TOKENS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "PATH")
    return {
        "pid": os.getpid(),
        "group": os.getpgrp(),
        "arguments": sys.argv[1:],
        "environment": {name: os.environ[name] for name in names if name in os.environ},
        "folder": os.getcwd(),
    }


def _ask(address: str, told: dict[str, object]) -> dict[str, object]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(json.dumps(told).encode() + b"\n")
        with connection.makefile() as file:
            answer: dict[str, object] = json.loads(file.readline())
    return answer


def _print(event: object) -> None:
    print(json.dumps(event, ensure_ascii=False), flush=True)


class _Run:
    def __init__(self, address: str, text: str, trouble: str, argument: str, has_pieces: bool) -> None:
        self.address = address
        self.text = text
        self.trouble = trouble
        self.argument = argument
        self.has_pieces = has_pieces

    @property
    def usage(self) -> dict[str, object]:
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
                import subprocess  # for this trouble alone

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
        event: dict[str, object] = {
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


def _piece(event: dict[str, object]) -> None:
    _print({"type": "stream_event", "event": event})


def _say(text: str) -> None:
    _piece({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
