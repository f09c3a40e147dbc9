"""A provider whose answers arrive whole and are none, or hold what nobody can store, at book level.

Each row ends in success, or in a book at rest with a reason that says what to do; what is no answer
is kept as a failed attempt and never becomes part of the book.
Source: facts/durability-performance.md section 5.3; DESIGN section 5, rule 3.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bookwright import failpoints
from bookwright.agents.workflows import REVISION_MARK
from bookwright.models.book import BookState
from bookwright.models.step import Failure
from tests.durability.services.troubled import ANTHROPIC, BOTH, OPENAI, Calm, from_call, troubled
from tests.support import fake_author, novelist
from tests.support.fake_provider import Author
from tests.support.postgres import PostgresServer

JSON, PROSE = "json_call", "prose_call"
STRAYS = ("\x00", "\ud800")


@pytest.mark.parametrize(("trouble", "model"), [("fence", OPENAI), ("prose", ANTHROPIC)])
def test_json_is_found_in_a_fence_and_in_talk(
    trouble: str, model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, model, {calm(model).json_call: trouble}, monkeypatch) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.failed == []
        case.check_accounts()


@pytest.mark.parametrize(("trouble", "model"), [("nul", OPENAI), ("surrogate", OPENAI), ("surrogate", ANTHROPIC)])
def test_strays_in_every_answer_are_recorded_as_they_came_and_reach_no_page(
    trouble: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, model, {-1: trouble}, monkeypatch) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.failed == []
        assert all(any(stray in case.reply(attempt) for stray in STRAYS) for attempt in case.attempts)
        assert not any(stray in case.kept() for stray in STRAYS)
        case.check_accounts()


@pytest.mark.postgres
@pytest.mark.parametrize("trouble", ["nul", "surrogate"])
def test_postgres_keeps_them_too(
    trouble: str, postgres: PostgresServer, postgres_template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.url(postgres.new_database(postgres_template))
    with troubled(tmp_path, OPENAI, {-1: trouble}, monkeypatch, database_url=url) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert all(any(stray in case.reply(attempt) for stray in STRAYS) for attempt in case.attempts)
        case.check_accounts()


@pytest.mark.parametrize(
    ("trouble", "step", "model", "failure"),
    [
        ("truncate", PROSE, OPENAI, Failure.CUT_OFF),
        ("truncate", JSON, ANTHROPIC, Failure.CUT_OFF),
        ("wrong_schema", JSON, OPENAI, Failure.UNPARSABLE),
        ("huge", JSON, ANTHROPIC, Failure.CUT_OFF),
        ("refuse", PROSE, OPENAI, Failure.REFUSAL),
        ("refuse", JSON, ANTHROPIC, Failure.REFUSAL),
        ("empty", PROSE, ANTHROPIC, Failure.EMPTY),
        ("echo", PROSE, OPENAI, Failure.ECHO),
        ("echo", JSON, ANTHROPIC, Failure.ECHO),
        ("wrong_language", PROSE, OPENAI, Failure.WRONG_LANGUAGE),
        ("wrong_language", JSON, ANTHROPIC, Failure.UNPARSABLE),
    ],
)
def test_a_book_rests_over_answers_that_are_none_and_goes_on_after_them(
    trouble: str, step: str, model: str, failure: Failure, calm: Callable[[str], Calm], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    place = getattr(calm(model), step)
    with troubled(tmp_path, model, from_call(place, trouble), monkeypatch) as case:
        rested = case.write()
        nothing = [case.reply(attempt) for attempt in case.failed]
        kept_in_trouble = case.kept()
        case.provider.script = {}
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert f"3 answers in a row were no result (the last: {failure}" in rested.reason
        assert f"`bookwright resume {book.id}` tries again, and another model for this role" in rested.advice
        assert not any(text and text in kept_in_trouble for text in nothing)
        assert book.state is BookState.FINISHED, book.reason
        tries = case.tries(case.failed[0])
        assert tries[:3] == [(1, failure), (2, failure), (3, failure)]
        assert [number for number, _ in tries] == list(range(1, len(tries) + 1))
        assert tries[-1][1] is None
        case.check_accounts(hung_up=trouble == "huge")


@pytest.mark.parametrize("model", [OPENAI, pytest.param(ANTHROPIC, marks=pytest.mark.soak)])
def test_no_step_takes_its_own_prompt_for_an_answer(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every_other = dict.fromkeys(range(0, 2 * len(calm(model).steps), 2), "echo")
    with troubled(tmp_path, model, every_other, monkeypatch) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert [attempt.failure for attempt in case.attempts] == [Failure.ECHO, None] * len(calm(model).steps)
        case.check_accounts()


def test_english_is_no_answer_in_a_chinese_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brief = {"premise": "守灯人读到一本用她自己的笔迹写成的日志。", "title": "日志", "length": 300}
    with troubled(tmp_path, OPENAI, {0: "wrong_language"}, monkeypatch, author=in_chinese, brief=brief) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.tries(case.failed[0]) == [(1, Failure.WRONG_LANGUAGE), (2, None)]
        case.check_accounts()


@pytest.mark.parametrize(
    ("share", "step", "trouble"), [(0.4, "lengthen", "wrong_language"), (2.2, "shorten", "refuse")]
)
def test_prose_of_a_wrong_length_stands_where_nobody_can_mend_it(
    share: float, step: str, trouble: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(OPENAI).call("write", "revise") + 1
    script = dict.fromkeys(range(place, place + 3), trouble)
    with troubled(tmp_path, OPENAI, script, monkeypatch, author=of_length(share)) as case:
        failpoints.arm("before:move=raise")  # between the last answer and what follows from it
        with pytest.raises(failpoints.FailpointReached):
            case.write()
        failpoints.arm()
        book = case.write()

        revised = next(case.reply(attempt) for attempt in case.attempts if attempt.step == "revise")
        assert book.state is BookState.FINISHED, book.reason
        assert [(attempt.step, attempt.attempt) for attempt in case.failed] == [(step, 1), (step, 2), (step, 3)]
        assert revised.endswith(case.prose)
        case.check_accounts()


@pytest.mark.soak
@pytest.mark.parametrize("step", [JSON, PROSE])
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("trouble", ["truncate", "wrong_schema", "huge", "refuse", "empty", "echo", "wrong_language"])
def test_no_answer_that_is_none_becomes_part_of_a_book(
    trouble: str,
    model: str,
    step: str,
    calm: Callable[[str], Calm],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with troubled(tmp_path, model, from_call(getattr(calm(model), step), trouble), monkeypatch) as case:
        case.write()
        case.write()
        nothing = [case.reply(attempt) for attempt in case.failed]
        rested_over = case.failed[-1]  # what a book can do without may have failed before it
        case.provider.script = {}
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert [failure is None for _, failure in case.tries(rested_over)] == [False] * 6 + [True]
        assert not any(text and text in case.kept() for text in nothing)
        case.check_accounts(hung_up=trouble == "huge")


def of_length(share: float) -> Author:
    """An author whose revised prose has this share of the paragraphs that were asked for."""

    def write(prompt: str, schema: dict[str, Any] | None) -> str:
        head, mark, prose = novelist.write(prompt, schema).partition(REVISION_MARK)
        paragraphs = prose.strip().split("\n\n")
        return f"{head}{mark}\n" + "\n\n".join((paragraphs * 3)[: round(len(paragraphs) * share)]) if mark else head

    return write


def in_chinese(prompt: str, schema: dict[str, Any] | None) -> str:
    """An author who says everything in Chinese, in JSON too."""
    text = novelist.write(prompt, schema)
    if schema is not None:
        return json.dumps(_told_in_chinese(json.loads(text)), ensure_ascii=False)
    return f"{REVISION_MARK if REVISION_MARK in text else ''}\n{fake_author.foreign(text)}"


def _told_in_chinese(value: Any) -> Any:
    """Closed values are single words, and stay."""
    match value:
        case dict():
            return {name: _told_in_chinese(item) for name, item in value.items()}
        case list():
            return [_told_in_chinese(item) for item in value]
        case str() if " " in value:
            return fake_author.foreign(value)[: len(value)]
        case _:
            return value
