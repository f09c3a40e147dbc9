"""An answer that is no result is asked for again, shown to the model, and counted."""

from dataclasses import replace
from pathlib import Path

import pytest

from bookwright.models.errors import (
    BookPaused,
    NoResult,
)
from bookwright.models.step import Failure
from tests.agents.steps.shop import DECIDED, DECIDER, DRAFTER, JSON_FAULT, RAIN, REFINER, CutOff, Flaky, Shop
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend


def test_a_failed_parse_is_a_recorded_attempt_and_the_model_is_shown_it(shop: Shop) -> None:
    shop.backend.lines["decide"] = [JSON_FAULT, DECIDED]

    outcome = shop.run().run(DECIDER)

    failed, stood = shop.attempts("decide")
    assert (failed.failure, failed.reply.text, failed.detail) == (
        Failure.UNPARSABLE, JSON_FAULT, "no JSON object was found",
    )  # fmt: skip
    assert (stood.failure, stood.id) == (None, outcome.step)
    (correction,) = shop.backend.requests[1].corrections
    assert (correction.reply, correction.problem) == (JSON_FAULT, "no JSON object was found")
    assert shop.backend.requests[0].corrections == ()
    assert shop.calls() == 2


@pytest.mark.parametrize("reply", ["I'm sorry, but I can't help with that.", ""])
def test_a_refusal_is_asked_again_without_being_shown(shop: Shop, reply: str) -> None:
    shop.backend.lines["draft"] = [reply, RAIN]

    assert shop.run().run(DRAFTER).value == RAIN

    assert [request.corrections for request in shop.backend.requests] == [(), ()]


def test_each_try_draws_another_seed_and_the_same_try_the_same(shop: Shop, tmp_path: Path) -> None:
    shop.backend.lines["draft"] = ["", "", RAIN]
    shop.run().run(DRAFTER)
    seeds = [request.sampling.seed for request in shop.backend.requests]

    other = ScriptedBackend(lines={"draft": ["", "", RAIN]})
    root, deps = begin(tmp_path / "again", other)
    Shop(root, deps, other).run().run(DRAFTER)

    assert len(set(seeds)) == 3
    assert [request.sampling.seed for request in other.requests] == seeds
    deps.storage.database.dispose()


def test_the_book_rests_with_a_reason_after_the_last_repair(shop: Shop) -> None:
    shop.backend.lines["decide"] = [JSON_FAULT]

    with pytest.raises(BookPaused) as rest:
        shop.run().run(DECIDER)

    tries = shop.deps.desk.settings.max_repairs + 1
    assert len(shop.attempts("decide")) == shop.calls() == tries
    assert f"{tries} answers in a row were no result" in rest.value.reason
    assert "unparsable" in rest.value.reason
    assert "bookwright log" in rest.value.advice


def test_a_resumed_step_is_asked_anew_and_numbered_on(shop: Shop) -> None:
    shop.backend.lines["decide"] = [JSON_FAULT]
    with pytest.raises(BookPaused):
        shop.run().run(DECIDER)
    shop.backend.lines["decide"] = [DECIDED]

    shop.run().run(DECIDER)

    assert [record.attempt for record in shop.attempts("decide")] == [1, 2, 3, 4]
    assert shop.backend.requests[-1].corrections[0].reply == JSON_FAULT
    asked = len(shop.backend.requests)
    shop.run().run(DECIDER)
    assert len(shop.backend.requests) == asked


def test_tries_that_did_not_stand_are_counted_until_one_does(shop: Shop) -> None:
    shop.backend.lines["decide"] = [JSON_FAULT, JSON_FAULT, JSON_FAULT, DECIDED]
    with pytest.raises(BookPaused):
        shop.run().run(DECIDER)
    failed = shop.run().failures(DECIDER.name)

    shop.run().run(DECIDER)

    assert (failed, shop.run().failures(DECIDER.name)) == (3, 0)


def test_a_check_can_refuse_an_answer_of_the_right_shape(shop: Shop) -> None:
    shop.backend.lines["decide"] = [DECIDED]

    with pytest.raises(BookPaused, match="write nothing yet"):
        shop.run().run(DECIDER, check=lambda answer: "write nothing yet")

    assert {record.failure for record in shop.attempts("decide")} == {Failure.UNPARSABLE}


def test_an_answer_that_reached_its_limit_can_be_a_result(shop: Shop) -> None:
    shop.backend.lines["draft"] = [RAIN]
    cut = CutOff(shop.backend)
    shop = replace(shop, deps=replace(shop.deps, desk=replace(shop.deps.desk, models=cut)))

    assert shop.run().run(DRAFTER, may_be_cut=True).value == RAIN
    assert shop.run().run(DRAFTER, may_be_cut=True).value == RAIN
    with pytest.raises(BookPaused, match="cut_off"):
        shop.run().run(REFINER)


def test_an_answer_that_ran_on_is_shown_again_only_in_part_and_without_strays(shop: Shop) -> None:
    shop.backend.lines["decide"] = ["\x00\ud800{" + "x" * 100_000, DECIDED]

    shop.run().run(DECIDER)

    shown = shop.backend.requests[-1].corrections[0].reply
    assert shown.startswith("{xxx")
    assert len(shown) < 25_000
    assert len(shop.attempts("decide")[0].reply.text) > 100_000


def test_tries_that_never_arrived_are_on_record_before_the_one_that_did(shop: Shop) -> None:
    flaky = Flaky(shop.backend, ["", "Rain fe"])
    shop = replace(shop, deps=replace(shop.deps, desk=replace(shop.deps.desk, models=flaky)))

    outcome = shop.run().run(DRAFTER)

    records = shop.attempts("draft")
    assert [record.failure for record in records] == [Failure.UNAVAILABLE, Failure.BROKEN_STREAM, None]
    assert [record.attempt for record in records] == [1, 2, 3]
    assert [record.reply.text for record in records] == ["", "Rain fe", RAIN]
    assert records[-1].id == outcome.step


def test_tries_that_never_arrived_are_not_counted_as_answers(shop: Shop) -> None:
    flaky = Flaky(shop.backend, ["", "Rain fe"])
    shop.backend.lines["decide"] = [JSON_FAULT] * 3
    shop = replace(shop, deps=replace(shop.deps, desk=replace(shop.deps.desk, models=flaky)))

    with pytest.raises(NoResult):
        shop.run().run(DECIDER)

    assert len(shop.attempts("decide")) == 5
    assert shop.run().failures(DECIDER.name) == 3
