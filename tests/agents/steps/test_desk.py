"""One step at the desk: what is asked, found again, and kept from being asked."""

from dataclasses import replace

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.models.errors import (
    BookPaused,
)
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Decision, FlowDecision
from tests.agents.steps.shop import DECIDED, DECIDER, DRAFTER, RAIN, REFINER, Shop, count_words


def test_a_step_is_asked_once_recorded_and_its_move_made(shop: Shop) -> None:
    outcome = shop.run().run(DRAFTER, count_words)

    (record,) = shop.attempts("draft")
    assert (outcome.value, outcome.step) == (RAIN, record.id)
    assert (record.attempt, record.failure, record.reply.text) == (1, None, RAIN)
    with shop.deps.stores() as stores:
        assert stores.nodes.root().written == 10
        assert stores.books.get(shop.root.book).intent == "1 close"


def test_a_recorded_step_is_found_and_not_asked_again(shop: Shop) -> None:
    first = shop.run().run(DRAFTER, count_words)

    again = shop.run().run(DRAFTER, count_words)

    assert again == first
    assert shop.backend.speakers == ["1 write/draft"]
    with shop.deps.stores() as stores:
        assert stores.nodes.root().written == 10


def test_what_was_asked_can_be_shown(shop: Shop) -> None:
    step = shop.run().run(DRAFTER).step

    with shop.deps.stores() as stores:
        system, *blocks = stores.steps.prompt(step)
    prompt = shop.backend.requests[0].prompt
    assert (system, tuple(blocks)) == (prompt.system, prompt.blocks)


def test_a_later_step_sees_what_an_earlier_one_made_found_or_asked(shop: Shop) -> None:
    shop.run().run(DRAFTER)
    run = shop.run()
    run.run(DRAFTER)

    run.run(REFINER)

    prompt = shop.backend.requests[-1].prompt
    assert prompt.blocks[0] == f"<draft>\n{RAIN}\n</draft>"
    assert prompt.stable_blocks == len(prompt.blocks) - 1


def test_a_text_that_leads_stands_before_all_else_and_is_worth_a_place_in_a_cache(shop: Shop) -> None:
    run = shop.run(Activity.CLOSE)
    run.add("note", "Later.")
    run.lead_with("text", RAIN)

    run.run(DRAFTER, count_words)

    prompt, context = shop.backend.requests[-1].prompt, run.context
    assert prompt.blocks[: 1 + len(context.blocks)] == (f"<text>\n{RAIN}\n</text>", *context.blocks)
    assert prompt.blocks[1 + len(context.blocks)] == "<note>\nLater.\n</note>"
    assert prompt.unit_blocks == prompt.stable_blocks == 1 + context.stable


def test_an_answer_in_json_is_handed_on_as_it_was_written(shop: Shop) -> None:
    shop.backend.lines["decide"] = [DECIDED]
    run = shop.run()

    assert run.run(DECIDER).value == FlowDecision.model_validate_json(DECIDED)
    assert run.artefacts[0].block == f"<decision>\n{DECIDED}\n</decision>"


def test_a_bare_step_is_asked_with_its_template_alone(shop: Shop) -> None:
    run = shop.run()
    run.add("text", RAIN)

    run.run(DRAFTER, is_bare=True)

    prompt = shop.backend.requests[0].prompt
    assert (len(prompt.blocks), prompt.stable_blocks) == (1, 0)


def test_a_stop_asked_for_before_a_call_pays_nothing(shop: Shop) -> None:
    shop.deps.desk.journal.stop_requested = True

    with pytest.raises(BookPaused, match="asked to rest") as rest:
        shop.run().run(DRAFTER)

    assert "bookwright resume" in rest.value.advice
    assert (shop.backend.requests, shop.calls()) == ([], 0)


def test_a_stop_does_not_keep_a_recorded_step_from_being_found(shop: Shop) -> None:
    shop.run().run(DRAFTER)
    shop.deps.desk.journal.stop_requested = True

    assert shop.run().run(DRAFTER).value == RAIN


def test_a_stop_during_a_call_keeps_the_answer(shop: Shop) -> None:
    def stopped(request: Request) -> str:
        shop.deps.desk.journal.stop_requested = True
        return RAIN

    shop.backend.lines["draft"] = [stopped]
    run = shop.run()
    run.run(DRAFTER)

    with pytest.raises(BookPaused, match="asked to rest"):
        run.run(REFINER)

    assert shop.attempts("draft")[0].failure is None
    assert shop.calls() == 1


def test_a_full_disk_pays_nothing(shop: Shop) -> None:
    settings = shop.deps.desk.settings.model_copy(update={"free_megabytes": 10**12})
    full = replace(shop.deps, desk=replace(shop.deps.desk, settings=settings))

    with pytest.raises(BookPaused, match="MB are free"):
        replace(shop, deps=full).run().run(DRAFTER)

    assert shop.backend.requests == []


def test_a_step_whose_recorded_answer_another_agent_cannot_read_is_asked_anew(shop: Shop) -> None:
    shop.run().run(DRAFTER)
    shop.backend.lines["draft"] = [FlowDecision(decision=Decision.PROCEED_TO_WRITE)]

    outcome = shop.run().run(replace(DRAFTER, output=FlowDecision))

    assert outcome.value.decision is Decision.PROCEED_TO_WRITE
    assert [record.attempt for record in shop.attempts("draft")] == [1, 2]


def test_a_move_that_a_recorded_step_did_not_make_is_made_when_it_turns_out_to_be_the_last(shop: Shop) -> None:
    shop.run().run(DRAFTER)

    shop.run().run(DRAFTER, count_words)
    shop.run().run(DRAFTER, count_words)

    with shop.deps.stores() as stores:
        assert stores.nodes.root().written == 10
    assert shop.calls() == 1
