"""One step at the desk: asked until it stands, each try on record, and never asked twice."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bookwright.agents.activity_run import ActivityRun
from bookwright.agents.agent import Agent
from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Listener, Request
from bookwright.agents.cards import make_card
from bookwright.agents.recording import record_surely
from bookwright.flows.deps import Deps
from bookwright.models.decision import Decision, FlowDecision
from bookwright.models.errors import (
    BackendUnavailable,
    BookPaused,
    DatabaseUnreachable,
    DiskFull,
    LeaseLost,
    NodeNotFound,
    NoResult,
)
from bookwright.models.step import Activity, Failure, Reply, StepKey, StepRecord
from bookwright.models.task import TaskNode
from bookwright.storage.journal import Attempt, Journal, Move
from bookwright.storage.stores import Stores
from tests.fakes import ScriptedBackend
from tests.flows.walking import begin

DRAFTER = Agent("draft", "story/book/write/draft", "writer", 0.75, "writer", artefact="draft", is_prose=True)
REFINER = Agent("refine", "story/book/write/refine", "writer", 0.4, "refiner", is_prose=True)
DECIDER = Agent(
    "decide", "story/book/flow_decision/flow_decision", "judge", 0.1, "planner", artefact="decision",
    output=FlowDecision,
)  # fmt: skip
RAIN = "Rain fell on the tower, and nobody counted the ships."
DECIDED = '{"decision": "DECISION_PROCEED_TO_WRITE"}'
JSON_FAULT = "This is not what was asked for."


@dataclass
class Shop:
    """A book, its walk, and what its scripted model was asked."""

    root: TaskNode
    deps: Deps
    backend: ScriptedBackend

    def run(self, activity: Activity = Activity.WRITE) -> ActivityRun:
        """Sit down anew, as a resumed walk does."""
        card = make_card(self.deps.brief, self.root)
        return self.deps.desk.begin(activity, self.root, self.root, card, context="writer", next_activity="close")

    def attempts(self, step: str, activity: Activity = Activity.WRITE) -> list[StepRecord]:
        """What is on record of a step."""
        key = StepKey(book=self.root.book, node=self.root.key, revision=1, activity=activity, round=0, step=step)
        return self.deps.desk.journal.attempts(key)

    def calls(self) -> int:
        """How many answers the book has paid for."""
        with self.deps.stores() as stores:
            return stores.books.get(self.root.book).calls


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A book whose model answers as each test says."""
    backend = ScriptedBackend(lines={"*": [RAIN]})
    root, deps = begin(tmp_path, backend)
    yield Shop(root, deps, backend)
    deps.storage.database.dispose()


def count_words(text: str) -> Move:
    def move(stores: Stores, step: int) -> None:
        stores.nodes.add_written(stores.nodes.root(), len(text.split()))

    return move


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


def test_a_stop_asked_for_before_a_call_pays_nothing(shop: Shop) -> None:
    shop.deps.desk.journal.request_stop()

    with pytest.raises(BookPaused, match="asked to rest") as rest:
        shop.run().run(DRAFTER)

    assert "bookwright resume" in rest.value.advice
    assert (shop.backend.requests, shop.calls()) == ([], 0)


def test_a_stop_does_not_keep_a_recorded_step_from_being_found(shop: Shop) -> None:
    shop.run().run(DRAFTER)
    shop.deps.desk.journal.request_stop()

    assert shop.run().run(DRAFTER).value == RAIN


def test_a_stop_during_a_call_keeps_the_answer(shop: Shop) -> None:
    def stopped(request: Request) -> str:
        shop.deps.desk.journal.request_stop()
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


def test_an_answer_that_reached_its_limit_can_be_a_result(shop: Shop) -> None:
    shop.backend.lines["draft"] = [RAIN]
    cut = CutOff(shop.backend)
    shop = replace(shop, deps=replace(shop.deps, desk=replace(shop.deps.desk, models=cut)))

    assert shop.run().run(DRAFTER, may_be_cut=True).value == RAIN
    assert shop.run().run(DRAFTER, may_be_cut=True).value == RAIN
    with pytest.raises(BookPaused, match="cut_off"):
        shop.run().run(REFINER)


def test_a_bare_step_is_asked_with_its_template_alone(shop: Shop) -> None:
    run = shop.run()
    run.add("text", RAIN)

    run.run(DRAFTER, bare=True)

    prompt = shop.backend.requests[0].prompt
    assert (len(prompt.blocks), prompt.stable_blocks) == (1, 0)


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


def test_an_answer_that_ran_on_is_shown_again_only_in_part_and_without_strays(shop: Shop) -> None:
    shop.backend.lines["decide"] = ["\x00\ud800{" + "x" * 100_000, DECIDED]

    shop.run().run(DECIDER)

    shown = shop.backend.requests[-1].corrections[0].reply
    assert shown.startswith("{xxx")
    assert len(shown) < 25_000
    assert len(shop.attempts("decide")[0].reply.text) > 100_000


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


def test_who_lost_the_lease_learns_it_and_records_nothing(shop: Shop) -> None:
    def overtaken(request: Request) -> str:
        with shop.deps.storage.write() as stores:
            stores.books.change(shop.root.book, lease_token=99)
        return RAIN

    shop.backend.lines["draft"] = [overtaken]

    with pytest.raises(LeaseLost):
        shop.run().run(DRAFTER)

    assert shop.calls() == 0


def test_a_paid_reply_is_kept_in_memory_until_the_database_takes_it(shop: Shop) -> None:
    journal = Hindered(shop.deps, faults=[DiskFull("full")])

    step = record_surely(journal, attempt_of(shop), None, "1 critic", patience=60)

    assert [record.id for record in shop.attempts("draft")] == [step]
    assert journal.tries == 2


def test_a_commit_whose_answer_was_lost_is_read_back_and_not_made_twice(shop: Shop) -> None:
    journal = Hindered(shop.deps, lost=[DatabaseUnreachable("the connection broke")])

    step = record_surely(journal, attempt_of(shop), count_words(RAIN), "1 critic", patience=60)

    assert [record.id for record in shop.attempts("draft")] == [step]
    assert (journal.tries, shop.calls()) == (2, 1)
    with shop.deps.stores() as stores:
        assert stores.nodes.root().written == 10


def attempt_of(shop: Shop) -> Attempt:
    key = StepKey(book=shop.root.book, node=shop.root.key, revision=1, activity=Activity.WRITE, round=0, step="draft")
    return Attempt(key, 1, "writer", "story/x", ("ask",), Reply(text=RAIN, model="scripted:writer"))


@dataclass
class CutOff:
    """A model whose answers all reach their limit."""

    inner: ScriptedBackend

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, cut off."""
        reply = self.inner.ask(request, budget, listener, on_failure)
        return reply.model_copy(update={"finish_reason": "length"})


@dataclass
class Flaky:
    """A model whose first streams break with what had arrived."""

    inner: ScriptedBackend
    partials: list[str]

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Fail as often as there are partial answers, then answer."""
        for number, partial in enumerate(self.partials, 1):
            error = BackendUnavailable("the stream broke")
            on_failure(FailedAttempt(request.model, number, error, Reply(text=partial, model=request.model)))
        self.partials = []
        return self.inner.ask(request, budget, listener, on_failure)


class Hindered(Journal):
    """A journal whose database refuses at first, or loses its answer after the commit."""

    def __init__(self, deps: Deps, faults: list[Exception] | None = None, lost: list[Exception] | None = None) -> None:
        super().__init__(deps.storage, deps.desk.journal._lease)
        self.faults, self.lost, self.tries = faults or [], lost or [], 0

    def record(self, attempt: Attempt, move: Move | None = None, intent: str = "", *, again: bool = False) -> int:
        """Record, or fail before or after."""
        self.tries += 1
        if self.faults:
            raise self.faults.pop()
        step = super().record(attempt, move, intent, again=again)
        if self.lost:
            raise self.lost.pop()
        return step


FAULTS = [ZeroDivisionError("a fault of ours"), NodeNotFound("a fault of ours"), BookPaused("a fault of ours")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("is_late", [False, True], ids=["deciding on the move", "making it"])
def test_a_fault_while_its_move_is_made_does_not_cost_the_paid_reply(
    shop: Shop, fault: Exception, is_late: bool
) -> None:
    def fail(*_: object) -> None:
        raise fault

    with pytest.raises(type(fault)):
        shop.run().run(DRAFTER, (lambda text: fail) if is_late else fail)

    (record,) = shop.attempts("draft")
    assert (record.failure, record.reply.text) == (Failure.FAULT, RAIN)
    assert "a fault of ours" in record.detail
