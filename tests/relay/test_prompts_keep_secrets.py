"""What is secret stays out of every prompt that writes prose, however often those who plan repeat it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.relay.leaks.units import FUNCTION_WORDS
from bookwright.flows.activities.prompt_sizes import condense
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.walk import write_unit
from bookwright.models.brief import make_brief
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity, Reply
from tests.support.books import new_library

HIDDEN = (
    "Odell Crane drowned his twin brother below the sluice. Since then he answers to the dead man's name.",
    "The ledger of the Marrow Trust was forged by Petra Vane, who burned the true one.",
)
AWARE = "Under the seventh stair a brick room holds forty unsent letters."
WORD = "fratricide"
CHINESE = "沈知微其实是当年被换走的皇女，乳母把真印藏在井底第三块砖后。"

_WORDS = {"goal": 1_000, "title": 110, "reasoning": 1_000}
_LISTS = {"instructions", "input_brief", "constraints", "acceptance_criteria", "missing_points"}


@dataclass
class Gossip:
    """The rehearsal author, and whatever it says beside the prose itself, it tells the secrets with."""

    models: ModelService
    secrets: tuple[str, ...]
    asked: list[Request] = field(default_factory=list)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Have it answered, and gossip."""
        self.asked.append(request)
        reply = self.models.ask(request, budget, listener, on_failure)
        if _is_told_as_prose(request) or request.facts["activity"] == Activity.REVIEW:
            return reply
        secret = self.secrets[len(self.asked) % len(self.secrets)]
        if request.output is None:
            return reply.model_copy(update={"text": f"{reply.text}\n\n- {secret}"})
        return reply.model_copy(update={"text": json.dumps(_told(json.loads(reply.text), secret), ensure_ascii=False)})

    @property
    def prose_prompts(self) -> list[str]:
        """Every prompt of a step that writes prose, with all that the model was shown."""
        return [_whole(request) for request in self.asked if request.facts["activity"] == Activity.WRITE]


def _is_told_as_prose(request: Request) -> bool:
    steps = ("draft", "refine", "revise", "lengthen", "shorten", "revise_leak", "improve")
    return request.facts["activity"] == Activity.WRITE and request.facts["step"].partition(".")[0] in steps


def _told(value: Any, secret: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _told(item, secret, name) for name, item in value.items()}
    if isinstance(value, list):
        return [*value, secret] if key in _LISTS and value else [_told(item, secret, key) for item in value]
    return f"{value} {secret}"[: _WORDS[key]] if key in _WORDS and isinstance(value, str) else value


def _whole(request: Request) -> str:
    prompt = request.prompt
    said = [part for turn in request.corrections for part in (turn.reply, turn.problem)]
    return "\n".join([prompt.system, *prompt.blocks, *said, prompt.prefill])


@cache
def phrases(secret: str) -> tuple[str, ...]:
    """Every run of whole words of eight characters with two words of content, and eight characters in a row of han."""
    return tuple(_phrases(secret))


def _phrases(secret: str) -> Iterator[str]:
    if re.search(r"[\u4e00-\u9fff]", secret):
        yield from (secret[start : start + 8] for start in range(len(secret) - 7))
        return
    words = re.findall(r"[\w']+", secret.casefold())
    for start in range(len(words)):
        for end in range(start + 2, len(words) + 1):
            run = words[start:end]
            content = [word for word in run if not set(re.split(r"'", word)) <= FUNCTION_WORDS | {"s"}]
            if len(" ".join(run)) >= 8 and len(content) >= 2:
                yield " ".join(run)


def leaks(prompt: str, secrets: tuple[str, ...]) -> list[str]:
    """The phrases of secrets in a prompt, whatever its case, signs and line breaks."""
    flat = " ".join(re.findall(r"[\w']+", prompt.casefold()))
    return [
        phrase for secret in secrets for phrase in phrases(secret) if phrase in (prompt if phrase > "\u3040" else flat)
    ]


def written(home: Path, gossip_about: tuple[str, ...], /, **brief: Any) -> tuple[Gossip, int]:
    """Write a book whose planners gossip; returns what was asked and how many units have prose."""
    settings = load_settings(home=home, model="rehearsal:exact", embedding="hashing", free_megabytes=0)
    models = ModelService(settings)
    gossip = Gossip(models, gossip_about)
    database = new_library(settings)
    book = find_or_create(database, make_brief({"premise": "A clerk audits a harbour town.", **brief}))
    with hold_book(book.id, RunConfig(settings, database, gossip)) as deps:
        with deps.stores() as stores:
            root = stores.nodes.root()
        condense(deps)
        write_unit(root, deps)
        with deps.stores() as stores:
            units = len(stores.nodes.units_before(root, 10_000)) or stores.nodes.root().written
    models.close()
    database.dispose()
    return gossip, units


def in_force() -> list[dict[str, Any]]:
    """The secrets as a brief has them."""
    return [
        {"id": "twin", "content": HIDDEN[0], "forbidden_keywords": [WORD], "importance": "critical"},
        {"id": "ledger", "content": HIDDEN[1]},
        {"id": "room", "content": AWARE, "visibility": 1},
    ]


def check(gossip: Gossip, secrets: tuple[str, ...]) -> None:
    prompts = gossip.prose_prompts
    assert prompts
    for prompt in prompts:
        assert leaks(prompt, secrets) == []
        assert WORD not in prompt


@pytest.mark.parametrize(("profile", "length"), [
    ("standard", 900), ("economy", 1_200), pytest.param("economy", 3_600, marks=pytest.mark.soak),
    pytest.param("fine", 3_600, marks=pytest.mark.soak),
])  # fmt: skip
def test_no_prose_prompt_holds_what_the_planners_gossip_about(tmp_path: Path, profile: str, length: int) -> None:
    secrets = (*HIDDEN, AWARE, f"It was {WORD}, and nothing else.")
    gossip, _ = written(tmp_path, secrets, length=length, max_unit_length=300, profile=profile, secrets=in_force())

    told = [_whole(request) for request in gossip.asked if request.facts["activity"] == Activity.BRIEF]
    reviewed = [_whole(request) for request in gossip.asked if request.facts["step"].startswith("leak_review")]
    check(gossip, (*HIDDEN, AWARE))
    assert all("Not all there is stands here." in prompt for prompt in gossip.prose_prompts)
    assert told
    assert all(secret in prompt for prompt in told for secret in (*HIDDEN, AWARE))
    assert all(secret in prompt for prompt in reviewed for secret in (*HIDDEN, AWARE))
    assert bool(reviewed) is (profile != "economy")


@pytest.mark.parametrize("profile", ["economy", "small"])
def test_a_premise_that_tells_a_secret_does_not_make_it_public(tmp_path: Path, profile: str) -> None:
    premise = f"A clerk audits a harbour town. {HIDDEN[1]} The clerk owes the town money."
    gossip, _ = written(
        tmp_path, HIDDEN, premise=premise, length=900, max_unit_length=300, profile=profile, secrets=in_force()
    )

    check(gossip, (*HIDDEN, AWARE))
    assert any("A clerk audits" in prompt for prompt in gossip.prose_prompts)


def test_a_chinese_book_keeps_its_secret_by_eight_characters(tmp_path: Path) -> None:
    gossip, _ = written(
        tmp_path, (CHINESE,), premise="一个账房查一座港城的旧账。", length=1_800, max_unit_length=600,
        profile="economy", secrets=[{"content": CHINESE}],
    )  # fmt: skip

    check(gossip, (CHINESE,))


def test_a_secret_is_free_from_the_place_on_where_it_comes_out(tmp_path: Path) -> None:
    secrets = [{"id": "twin", "content": HIDDEN[0], "revealed_at": 2}]
    gossip, _ = written(tmp_path, HIDDEN[:1], length=2_400, max_unit_length=600, profile="economy", secrets=secrets)

    by_unit: dict[str, list[str]] = {}
    for request in gossip.asked:
        if request.facts["activity"] == Activity.WRITE:
            by_unit.setdefault(request.facts["label"], []).append(_whole(request))
    units = sorted(by_unit, key=lambda label: [int(part) for part in label.split(".")])
    first, *later = units
    assert not any(leaks(prompt, HIDDEN[:1]) for prompt in by_unit[first])
    assert any(leaks(prompt, HIDDEN[:1]) for label in later for prompt in by_unit[label])


@pytest.mark.soak
def test_no_prose_prompt_of_a_book_of_two_hundred_units_holds_a_secret(tmp_path: Path) -> None:
    gossip, _ = written(
        tmp_path, (*HIDDEN, AWARE), length=200_000, max_unit_length=1_000, profile="economy", secrets=in_force()
    )

    units = {request.facts["label"] for request in gossip.asked if request.facts["activity"] == Activity.WRITE}
    assert len(units) >= 200
    check(gossip, (*HIDDEN, AWARE))
