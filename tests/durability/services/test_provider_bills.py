"""What a provider bills and leaves unsaid, at book level: counts, prices, caps.

Source: facts/durability-performance.md section 5.3; DESIGN section 7, "Budget".
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.failpoints import Failpoint
from bookwright.models.book import BookState
from bookwright.models.settings import Price
from bookwright.storage.repositories.books import BookRepository
from tests.durability.services.troubled import ANTHROPIC, BOTH, OPENAI, Calm, TroubledBook, troubled

UNPRICED = "compatible:fake"


@pytest.mark.parametrize("model", BOTH)
def test_calls_without_a_count_are_estimated_marked_and_paid_from_the_budget(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, model, {-1: "no_usage"}, monkeypatch, brief={"budget": {"usd": 5}}) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        assert all(a.is_estimate and a.input_tokens and a.output_tokens and a.cost for a in case.attempts)
        assert book.cost == sum(attempt.cost for attempt in case.attempts)
        case.check_accounts()


@pytest.mark.parametrize(("model", "input_price", "output_price"), [(OPENAI, 2, 8), (ANTHROPIC, 3, 15)])
def test_the_book_pays_what_the_provider_counted_and_for_what_broke_off_an_estimate(
    model: str,
    input_price: int,
    output_price: int,
    calm: Callable[[str], Calm],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = {1: "429", 3: "503", calm(model).prose_call + 2: "reset"}
    with troubled(tmp_path, model, script, monkeypatch) as case:
        book = case.write()

        throttled, down, broken = case.failed
        assert book.state is BookState.FINISHED, book.reason
        assert (throttled.cost, down.cost) == (0, 0)
        assert broken.is_estimate
        assert broken.cost >= broken.input_tokens * input_price + broken.output_tokens * output_price
        assert book.cost == sum(attempt.cost for attempt in case.attempts)
        case.check_accounts()


def test_a_cap_in_money_refuses_a_model_without_a_price_before_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, UNPRICED, {}, monkeypatch, brief={"budget": {"usd": 5}}) as case:
        rested = case.write()
        asked = len(case.calls)
        book = case.write(prices={UNPRICED: Price(input=1, output=2)})

        assert rested.state is BookState.PAUSED
        assert "the model's price is unknown" in rested.reason
        assert "[prices] in config.toml" in f"{rested.reason} {rested.advice}"
        assert (asked, rested.calls) == (0, 0)
        assert book.state is BookState.FINISHED, book.reason
        assert book.unpriced_calls == 0
        assert book.cost == sum(call.input_tokens + 2 * call.output_tokens for call in case.calls)
        case.check_accounts()


def test_without_a_cap_in_money_calls_without_a_price_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with troubled(tmp_path, UNPRICED, {}, monkeypatch, brief={"budget": {"tokens": 1_000_000}}) as case:
        book = case.write()

        assert book.state is BookState.FINISHED, book.reason
        assert (book.cost, book.unpriced_calls) == (0, len(case.calls))
        case.check_accounts()


@pytest.mark.parametrize("model", [OPENAI, pytest.param(ANTHROPIC, marks=pytest.mark.soak)])
def test_a_cap_in_tokens_holds_and_a_higher_one_finishes_the_book(
    model: str, calm: Callable[[str], Calm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cap = 12_000
    script = {calm(model).prose_call: "reset"}
    with troubled(tmp_path, model, script, monkeypatch, brief={"budget": {"tokens": cap}}) as case:
        rested = case.write()
        raise_cap(case)
        book = case.write()

        assert rested.state is BookState.PAUSED
        assert f"of {cap:,} left" in rested.reason
        assert 0 < rested.tokens <= cap
        assert book.state is BookState.FINISHED, book.reason
        assert case.prose == calm(model).prose
        case.check_accounts()


def raise_cap(case: TroubledBook) -> None:
    with case.database.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).edit_brief(case.id, case.book.brief.changed(budget={"tokens": 1_000_000}))
