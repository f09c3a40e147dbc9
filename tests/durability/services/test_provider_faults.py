"""A provider that throttles, fails, breaks off, hangs, refuses or is gone, at book level.

Each row ends in success with the failed attempts on record, or in a book at rest with a reason that
says what to do; once the trouble is over the book is finished, and what was recorded is not asked
again. Source: facts/durability-performance.md section 5.3; DESIGN section 7.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookwright.models.book import BookState
from bookwright.models.step import Failure
from tests.durability.services.troubled import ANTHROPIC, BOTH, OPENAI, Calm, TroubledBook, from_call, troubled
from tests.support import novelist
from tests.support.fake_provider import FakeProvider

UNAVAILABLE, BROKEN = Failure.UNAVAILABLE.value, Failure.BROKEN_STREAM.value
SHORT = {"first_event_seconds": 1.0, "idle_seconds": 1.0, "total_seconds": 2.0}


@pytest.mark.parametrize(
    ("trouble", "model", "failure"),
    [
        ("429", OPENAI, UNAVAILABLE),
        ("429", ANTHROPIC, UNAVAILABLE),
        ("500", OPENAI, UNAVAILABLE),
        ("502", ANTHROPIC, UNAVAILABLE),
        ("503", OPENAI, UNAVAILABLE),
        ("529", ANTHROPIC, UNAVAILABLE),
        ("reset", OPENAI, BROKEN),
        ("reset", ANTHROPIC, BROKEN),
        ("eof", OPENAI, BROKEN),
        ("error_event", ANTHROPIC, BROKEN),
        ("garbage", ANTHROPIC, BROKEN),
        ("odd", OPENAI, BROKEN),
        ("html", ANTHROPIC, UNAVAILABLE),
    ],
)
def test_trouble_that_passes_changes_the_bill_and_not_the_book(
    trouble: str, model: str, failure: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, {place: trouble}, monkeypatch) as case:
        book = case.write()

        (failed,) = case.failed
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert case.tries(failed) == [(1, failure), (2, None)]
        assert bool(case.reply(failed)) == (failure == BROKEN)
        assert len(case.rests) == 1
        case.check_accounts()


@pytest.mark.parametrize("model", BOTH)
def test_a_provider_gets_the_rest_it_asks_for(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, model, {1: "429:7", 3: "529:3"}, monkeypatch) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert [int(seconds) for seconds in case.rests] == [7, 3]
        case.check_accounts()


@pytest.mark.parametrize(
    ("trouble", "model", "reason"),
    [
        ("429", OPENAI, "asks for fewer requests"),
        ("503", ANTHROPIC, "had an error of its own"),
        ("529", OPENAI, "is overloaded"),
        ("reset", OPENAI, "broke off its answer"),
        ("eof", ANTHROPIC, "broke off its answer"),
    ],
)
def test_a_book_rests_while_trouble_lasts_and_goes_on_after_it(
    trouble: str, model: str, reason: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, from_call(place, trouble), monkeypatch) as case:
        rested = case.write(max_attempts=2)
        said = [case.reply(attempt) for attempt in case.failed if attempt.failure == BROKEN]
        kept_in_trouble = case.kept()
        case.provider.script = {}
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert f"{model} {reason}" in rested.reason
        assert rested.reason.endswith("(after 2 attempts)")
        assert rested.advice == f"`bookwright resume {case.id}` goes on from here"
        assert not any(partial in kept_in_trouble for partial in said)
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert [number for number, _ in case.tries(case.failed[-1])] == [1, 2, 3]
        case.check_accounts()


@pytest.mark.parametrize(
    ("trouble", "model", "failure", "reason"),
    [
        ("hang", OPENAI, UNAVAILABLE, "gave no answer within 1 s (first_event_seconds)"),
        ("hang_mid", ANTHROPIC, BROKEN, "fell silent for 1 s (idle_seconds)"),
        ("drip", OPENAI, BROKEN, "did not finish within 2 s (total_seconds)"),
    ],
)
def test_a_book_rests_where_a_provider_is_silent_or_too_slow(
    trouble: str,
    model: str,
    failure: str,
    reason: str,
    calm: Callable[[str], Calm],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with at_rest_before(calm(model).prose_call, model, tmp_path, monkeypatch) as case:
        case.provider.script = from_call(len(case.calls), trouble)
        rested = case.write(max_attempts=2, **SHORT)
        case.provider.script = {}
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert f"{model} {reason} (after 2 attempts)" in rested.reason
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert case.tries(case.failed[0]) == [(1, UNAVAILABLE), (2, failure), (3, failure), (4, None)]
        case.check_accounts()


@pytest.mark.parametrize("model", BOTH)
def test_a_provider_that_asks_for_too_long_a_rest_is_given_up_at_once(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, {place: "429:600"}, monkeypatch) as case:
        rested = case.write()
        asked = len(case.calls)
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert "asks for a rest of 600 s" in rested.reason
        assert "wait that long, or name another model under [fallbacks]" in rested.reason
        assert (asked, case.rests) == (place + 1, [])
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert [number for number, _ in case.tries(case.failed[0])] == [1, 2]
        case.check_accounts()


@pytest.mark.parametrize(("model", "other"), [BOTH, BOTH[::-1]])
def test_a_fallback_answers_where_the_first_model_does_not(
    model: str, other: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, {place: "429:600"}, monkeypatch, fallbacks={"default": (other,)}) as case:
        book = case.write()

        (failed,) = case.failed
        assert book.state is BookState.FINISHED, book.reason
        assert case.tries(failed) == [(1, UNAVAILABLE), (2, None)]
        assert [attempt.model for attempt in case.attempts[place : place + 3]] == [model, other, model]
        case.check_accounts()


@pytest.mark.parametrize(
    ("trouble", "model", "advice"),
    [
        ("401", OPENAI, "refuses the API key (401); check OPENAI_API_KEY"),
        ("401", ANTHROPIC, "refuses the API key (401); check ANTHROPIC_API_KEY"),
        ("402", OPENAI, "the account's credit or quota is used up; top it up, then resume"),
        ("overflow", OPENAI, "does not fit the context window of openai:gpt-4.1 (400); choose a model with more"),
        ("overflow", ANTHROPIC, "(400); choose a model with more"),
    ],
)
def test_a_request_that_is_refused_is_not_repeated_and_the_reason_says_what_to_do(
    trouble: str, model: str, advice: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, from_call(place, trouble), monkeypatch) as case:
        rested = case.write()
        asked = len(case.calls)
        case.provider.script = {}
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert advice in rested.reason
        assert asked == place + 1
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert case.tries(case.failed[0]) == [(1, UNAVAILABLE), (2, None)]
        case.check_accounts()


@pytest.mark.parametrize("model", BOTH)
def test_a_provider_that_closes_its_door_for_good_is_named_and_another_finishes_the_book(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = calm(model).prose_call
    with troubled(tmp_path, model, {place: "close"}, monkeypatch) as case:
        rested = case.write()
        refused = [attempt for attempt in case.failed if attempt.failure == UNAVAILABLE]
        with FakeProvider(author=novelist.write) as other:
            case.move_to(other)
            book = case.write()

        assert rested.state is BookState.PAUSED
        assert f"{model} cannot be reached at http://127.0.0.1:" in rested.reason
        assert len(refused) == 3
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert [failure for _, failure in case.tries(case.failed[0])] == [BROKEN, *[UNAVAILABLE] * 3, None]
        assert book.calls - len(refused) == len(case.calls)  # nobody was there to count the refused ones
        assert len({call.prompt_hash for call in case.calls}) == len(case.calls) - 1


def test_a_key_that_is_gone_puts_the_book_to_rest_in_plain_words(
    calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, OPENAI, {2: "401"}, monkeypatch) as case:
        case.write()
        monkeypatch.delenv("OPENAI_API_KEY")
        rested = case.write()
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert rested.reason == "openai needs an API key: set OPENAI_API_KEY, or choose another model"
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(OPENAI).prose
        case.check_accounts()


@pytest.mark.soak
@pytest.mark.parametrize("step", ["json_call", "prose_call"])
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    "trouble",
    ["429", "429:600", "500", "502", "503", "504", "529", "400", "401", "402", "403", "404", "413", "overflow",
     "reset", "eof", "error_event", "garbage", "odd", "html", "hang", "hang_mid", "drip"],
)  # fmt: skip
def test_any_trouble_at_any_kind_of_step_ends_in_the_same_book(
    trouble: str,
    model: str,
    step: str,
    calm: Callable[[str], Calm],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patience = SHORT if trouble in ("hang", "hang_mid", "drip") else {}  # on a loaded machine it would end others, too
    with at_rest_before(getattr(calm(model), step), model, tmp_path, monkeypatch) as case:
        case.provider.script = from_call(len(case.calls), trouble)
        rested = case.write(max_attempts=2, **patience)
        again = case.write(max_attempts=2, **patience)
        case.provider.script = {}
        book = case.write()

        assert (rested.state, again.state) == (BookState.PAUSED, BookState.PAUSED)
        assert rested.reason
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        case.check_accounts()


@contextmanager
def at_rest_before(place: int, model: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TroubledBook]:
    """A book that has come to a call in peace, so that only what is ordered meets the short deadlines."""
    with troubled(home, model, {place: "401"}, monkeypatch) as case:
        case.write()
        yield case
