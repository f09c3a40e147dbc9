"""The fake provider itself, for it is what other tests rest on."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.models.tree.plan import PlanOutput
from tests.places import ROOT
from tests.support import fake_author
from tests.support.fake_provider import FakeProvider


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def question(text: str = "Tell of rain.", **more: Any) -> dict[str, Any]:
    return {"model": "fake", "max_tokens": 50, "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture
def process(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The provider as a process of its own."""
    ledger = tmp_path / "ledger.jsonl"
    command = [sys.executable, "-m", "tests.support.fake_provider", "--ledger", str(ledger), "--script", '{"1": "503"}']
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        yield {**json.loads(child.stdout.readline()), "ledger": ledger}
        child.kill()


def test_both_apis_answer_without_a_stream() -> None:
    with FakeProvider(author=lambda prompt, schema: "Rain fell.") as provider:
        chat = post(f"{provider.url}/chat/completions", question())
        message = post(f"{provider.root}/v1/messages", question())

    assert chat["choices"][0]["message"]["content"] == "Rain fell."
    assert message["content"] == [{"type": "text", "text": "Rain fell."}]
    assert [entry.api for entry in provider.ledger] == ["openai", "anthropic"]
    assert all(entry.is_whole for entry in provider.ledger)


def test_the_ledger_tells_equal_prompts_and_replies_by_their_hashes() -> None:
    with FakeProvider() as provider:
        for text in ("Tell of rain.", "Tell of rain.", "Tell of snow."):
            post(f"{provider.url}/chat/completions", question(text))

    first, second, third = provider.ledger
    assert (first.prompt_hash, first.reply_hash) == (second.prompt_hash, second.reply_hash)
    assert third.prompt_hash != first.prompt_hash
    assert all(entry.time_out is not None and entry.time_out >= entry.time_in for entry in provider.ledger)


def test_a_process_writes_a_line_for_each_call_and_takes_orders(process: dict[str, Any]) -> None:
    post(f"{process['url']}/chat/completions", question())
    with pytest.raises(urllib.error.HTTPError, match="503"):
        post(f"{process['url']}/chat/completions", question())
    post(f"{process['root']}/script", {"2": "truncate"})
    cut = post(f"{process['url']}/chat/completions", question())

    lines = [json.loads(line) for line in process["ledger"].read_text().splitlines()]
    assert [(line["status"], line["trouble"], line["is_whole"]) for line in lines] == [
        (200, "", True),
        (503, "503", False),
        (200, "truncate", True),
    ]
    assert cut["choices"][0]["finish_reason"] == "length"


def test_the_default_author_fits_a_recursive_shape() -> None:
    answer = fake_author.write("Plan the book.", PlanOutput.model_json_schema())

    assert PlanOutput.model_validate_json(answer).sub_tasks


def test_the_default_author_answers_in_the_prompts_script() -> None:
    assert "雨" in fake_author.write("请写下这一章。", None)
    assert fake_author.write("Write.", None).isascii()
