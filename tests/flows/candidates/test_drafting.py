"""Drafts of the same pages: what one that was not chosen leaves, stories told freely, an author's candidates."""

from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.agents.readers import FREE_DRAFT, draft_again
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import write_workflow
from bookwright.flows.activities.prose.write import steps_of
from bookwright.flows.activities.unit_facts import depth_at, is_one_sitting, unit_card
from bookwright.flows.candidates.drafting import drafted, is_free
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import GateKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.story.candidates import Angle, CandidateChoice, Decided
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.task import TaskNode
from tests.flows.activities.told import Told
from tests.flows.gated import Desk, Sit
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

PLAN = "What happens, in order."
WORTH = "The gull that pays for its fish."
FREE = ("Nobody had lit the lamp.", "My sister paid for the oil.")


@pytest.mark.parametrize("worth", [(WORTH,), ()])
def test_what_the_other_draft_does_better_goes_with_the_chosen_one(tmp_path: Path, worth: tuple[str, ...]) -> None:
    drafts = {"draft": ["The keeper reads the log."], "draft.again": ["Snow on the gallery."]}
    choice = Choice(carry_over=worth, better="A")
    backend = ScriptedBackend(lines=drafts | {"choose": [choice], "*": ["It rained."]})
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=1)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    *_, refine = agents = write_workflow(root.level, deps.profile.name, depth_at(root, deps))
    run.add("plan", PLAN)

    chosen = drafted(next(agent for agent in agents if agent.is_prose), root, run, deps)
    run.run(refine)
    free = is_free(root, deps)
    deps.storage.database.dispose()

    asked = backend.requests[-1].prompt.user
    assert not free
    assert all(words in asked for words in (*(f"- {line}" for line in worth), PLAN, chosen))
    assert asked.count("carry_over") == (3 if worth else 0)  # its two tags, and what to do with it


def test_a_story_of_one_sitting_is_written_from_the_better_of_two_that_were_told_for_its_order(tmp_path: Path) -> None:
    told = {"story": FREE[:1], "story.again": FREE[1:], "story.choose": [Choice(better="A")]}
    backend = ScriptedBackend(lines=told | {"draft.free": ["Rain fell."], "*": ["It rained."]})
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=None)

    assert is_one_sitting(root, deps)
    assert is_free(root, deps)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    names = [agent.name for agent in steps_of(root, deps)]
    chosen = drafted(next(agent for agent in steps_of(root, deps) if agent.is_prose), root, run, deps)
    asked = [request.prompt.user for request in backend.requests]
    still_free = is_free(root, deps)
    deps.storage.database.dispose()

    assert names == ["draft", "critic", "refine"]
    assert still_free
    first, second, compared, written = asked
    assert "who pays for the ending" in second
    assert "who pays for the ending" not in first
    assert not any(story in second for story in FREE)
    assert all(story in compared for story in FREE)
    assert "`carry_over`, left empty" in compared
    preferred = compared.partition("<draft_a>")[2].partition("</draft_a>")[0].strip()
    assert [story for story in FREE if story in written] == [preferred]
    assert chosen == "Rain fell."


def test_a_story_of_which_an_earlier_version_made_two_drafts_goes_on_with_the_better(tmp_path: Path) -> None:
    lines = {"draft.free": FREE[:1], "draft.free.again": FREE[1:], "choose": [Choice(better="A")], "*": ["It rained."]}
    backend = ScriptedBackend(lines=lines)
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=None)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    for writer in (FREE_DRAFT, draft_again(FREE_DRAFT)):
        run.run(writer)
    chosen = draft(root, deps)
    deps.storage.database.dispose()

    assert chosen in FREE
    assert [name.rpartition("/")[2] for name in backend.speakers] == ["draft.free", "draft.free.again", "choose"]


def test_candidates_of_a_story_that_an_earlier_version_drafted_are_written_to_its_order(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines=DRAFTS | {"*": [prefers(TEXTS[0])]})
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=None, candidates=2)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    run.run(FREE_DRAFT)
    draft(root, deps)
    second = next(one for one in backend.requests if one.name.endswith("draft.free.again")).prompt.user
    deps.storage.database.dispose()

    assert not [name for name in backend.speakers if "story" in name]
    assert "<story>" not in second
    assert deps.brief.premise in second


def test_a_story_of_one_sitting_costs_no_plan(tmp_path: Path) -> None:
    book = Told(tmp_path, length=1_500, profile="economy")
    names = [request.name.partition(" ")[2] for request in book.requests]
    book.close()

    assert book.book.brief.profile is ProfileName.ECONOMY
    assert names[:4] == ["write/story", "write/story.again", "review/story.choose", "write/draft.free"]
    assert names[4:6] == ["write/critic", "write/refine"]
    assert not [name for name in names if name.startswith(("plan/", "execute/", "brief/", "divide/"))]


def test_whoever_writes_a_story_of_one_sitting_has_all_of_its_order_and_what_was_told_for_it(tmp_path: Path) -> None:
    premise = " ".join(f"In room {number} a keeper counts a ship." for number in range(150))
    book = Told(tmp_path, length=1_500, profile="economy", premise=premise, style="dry and exact")
    [prompt], [letter] = book.prompts("1 write/draft.free"), book.prompts("1 write/critic")
    [choice] = book.prompts("1 review/story.choose")
    told = [choice.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip() for tag in ("draft_a", "draft_b")]
    book.close()

    assert premise in prompt
    assert "dry and exact" in prompt
    assert [story in prompt for story in told].count(True) == 1
    assert not [story for story in told if story in letter]
    assert "<order>" in letter


@pytest.mark.parametrize("sample", ["", "I am here. I stay. " * 80])
def test_a_story_of_one_sitting_sounds_like_the_sample_that_its_author_gave(tmp_path: Path, sample: str) -> None:
    book = Told(tmp_path, sample, length=1_500, profile="economy")
    steps = ("story", "draft.free", "critic", "refine")
    prompts = {step: book.prompts(f"1 write/{step}")[0] for step in steps}
    book.close()

    heard = [step for step, prompt in prompts.items() if "I am here. I stay." in prompt]
    assert heard == (["draft.free", "critic", "refine"] if sample else [])
    assert [step for step, prompt in prompts.items() if "<order>" in prompt] == ["critic", "refine"]


TEXTS = ("Nobody had lit the lamp.", "My sister paid for the oil.", "The gulls came first.", "Salt, and then the door.")
STEPS = ("draft.free", "draft.free.again", "draft.free.again.3", "draft.free.again.4")
TOLD = "Somebody owes the sea a lamp."
DRAFTS: dict[str, list[Any]] = {step: [text] for step, text in zip(STEPS, TEXTS, strict=True)} | {
    "story": [TOLD], "story.again": [TOLD],
}  # fmt: skip


def prefers(text: str) -> Any:
    """A reader who prefers one draft wherever it stands, and the one shown first where it is not there."""

    def answer(request: Request) -> Choice:
        shown = request.prompt.user
        place = shown.partition("<draft_b>")[0 if text not in shown.partition("<draft_b>")[2] else 2]
        return Choice(reasoning=f"It is about {text[:9]}.", better="A" if "<draft_a>" in place else "B")

    return answer


def choose(home: Path, count: int, readers: dict[str, list[Any]], **brief: Any) -> tuple[str, CandidateChoice, Any]:
    """Have a story drafted so often; return the draft that goes on, the record and who was asked what."""
    backend = ScriptedBackend(lines=DRAFTS | {"*": [prefers(TEXTS[0])]} | readers)
    root, deps = begin(home, backend, length=3_000, max_planning_rounds=None, candidates=count, **brief)
    chosen = draft(root, deps)
    again = draft(root, deps)
    record = record_of(root, deps)
    deps.storage.database.dispose()
    assert again == chosen, "what is on record is not drafted again"
    return chosen, record, backend


def draft(root: TaskNode, deps: Deps) -> str:
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    return drafted(next(agent for agent in steps_of(root, deps) if agent.is_prose), root, run, deps)


def record_of(unit: TaskNode, deps: Deps) -> CandidateChoice:
    with deps.stores() as stores:
        document = stores.documents.current(unit.key, DocumentKind.CANDIDATES)
        assert document is not None
        return CandidateChoice.model_validate_json(stores.documents.data_of(document))


def test_each_candidate_is_written_under_another_order_by_one_who_sees_no_other(tmp_path: Path) -> None:
    _, record, backend = choose(tmp_path, 4, {})

    asked = {
        name.rpartition("/")[2]: one.prompt.user for name, one in zip(backend.speakers, backend.requests, strict=True)
    }
    orders = [asked[step] for step in STEPS]
    assert len(set(orders)) == len(STEPS)
    assert all(TOLD in order for order in orders)
    assert not any(text in order for text in TEXTS for order in orders)
    assert "one draft will be printed" not in orders[0], "the first has the order as it stands"
    assert all("one draft will be printed" in order for order in orders[1:])
    assert [one.angle for one in record.candidates] == list(Angle)
    assert [one.text for one in record.candidates] == list(TEXTS)


def test_the_draft_that_readers_prefer_in_both_orders_goes_on(tmp_path: Path) -> None:
    chosen, record, backend = choose(tmp_path, 3, {"*": [prefers(TEXTS[2])]})

    judged = [name.rpartition("/")[2] for name in backend.speakers if "/choose" in name]
    assert judged == ["choose.1-2", "choose.2-1", "choose.1-3", "choose.3-1"]
    assert chosen == TEXTS[2]
    assert (record.chosen, record.by, record.is_agreed) == (3, Decided.JUDGE, True)
    assert record.comparisons[-1].winner == 3
    assert "It is about" in record.comparisons[-1].opinions[0].reason


def test_readers_whose_answer_hangs_on_the_order_make_a_tie_and_the_earlier_draft_goes_on(tmp_path: Path) -> None:
    always_first = Choice(reasoning="The first.", better="A")
    chosen, record, _ = choose(tmp_path, 2, {"choose.1-2": [always_first], "choose.2-1": [always_first]})

    assert chosen == TEXTS[0]
    assert record.comparisons[0].winner is None
    assert (record.chosen, record.by, record.is_agreed) == (1, Decided.RULE, False)
    assert "of a tie the earlier draft comes out" in record.summary


def test_where_no_answer_can_be_used_nobody_has_won(tmp_path: Path) -> None:
    chosen, record, _ = choose(tmp_path, 2, {"choose.1-2": [prefers(TEXTS[1])], "choose.2-1": ["no verdict"]})

    assert chosen == TEXTS[0]
    assert [one.better for one in record.comparisons[0].opinions] == [2, None]
    assert not record.is_agreed


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_book_pays_so_many_drafts_and_two_readers_for_each_pair(sit: Sit, count: int) -> None:
    desk = sit(length=900, profile="economy", candidates=count)
    desk.run()

    names = [name.rpartition(" ")[2] for name in desk.steps_since(0)]
    assert sum(name.startswith("write/draft") for name in names) == count
    assert sum(name.startswith("review/choose") for name in names) == 2 * (count - 1)


def test_a_planned_book_and_a_told_one_have_candidates_where_they_open_and_end(sit: Sit) -> None:
    chapters = {"length": 6_000, "max_unit_length": 2_000, "candidates": 2, "profile": "economy"}
    told, planned = sit(**chapters), sit(**chapters, max_planning_rounds=1, title="Planned")
    for desk in (told, planned):
        desk.run()
        names = [name for name in desk.steps_since(0) if "write/draft" in name]
        drafted_units = [name.partition(" ")[0] for name in names]
        first, *between, last = dict.fromkeys(drafted_units)
        assert between
        assert [drafted_units.count(unit) for unit in (first, *between, last)] == [2, *(1 for _ in between), 2]


def gated(sit: Sit) -> tuple[Desk, Any]:
    desk = sit(length=900, profile="economy", candidates=2, gates=["candidates"])
    return desk, desk.wait()


def chosen_in(desk: Desk) -> CandidateChoice:
    with desk.storage.read() as stores:
        document = stores.documents.current(stores.nodes.root().key, DocumentKind.CANDIDATES)
        assert document is not None
        return CandidateChoice.model_validate_json(stores.documents.data_of(document))


def test_an_author_who_approves_lets_the_readers_draft_go_on(sit: Sit) -> None:
    desk, gate = gated(sit)
    record = chosen_in(desk)
    preferred = record.candidates[record.preferred - 1].text
    before = len(desk.asked.requests)
    desk.approve(gate)
    desk.run()

    assert gate.kind is GateKind.CANDIDATES
    assert gate.draft == preferred
    assert preferred in desk.prompts_since(before, "1 write/critic")[0]
    assert not any("draft" in name or "choose" in name for name in desk.steps_since(before))


def test_an_author_may_take_another_draft_at_the_gate(sit: Sit) -> None:
    desk, gate = gated(sit)
    record = chosen_in(desk)
    other = next(one for one in record.candidates if one.number != record.preferred)
    before = len(desk.asked.requests)
    desk.approve(gate, other.text)
    desk.run()

    decided = chosen_in(desk)
    assert (decided.chosen, decided.preferred, decided.by) == (other.number, record.preferred, Decided.AUTHOR)
    assert other.text in desk.prompts_since(before, "1 write/critic")[0]


def test_drafts_that_an_author_rejects_are_written_anew_under_their_note(sit: Sit) -> None:
    desk, gate = gated(sit)
    before = len(desk.asked.requests)
    desk.reject(gate, "The keeper is a woman of sixty.")
    again = desk.wait()

    assert (again.kind, again.revision) == (GateKind.CANDIDATES, gate.revision + 1)
    drafts = desk.prompts_since(before, "1 write/draft")
    assert len(drafts) == 2
    assert all("The keeper is a woman of sixty." in prompt for prompt in drafts)


def test_a_decided_gate_holds_though_the_brief_asks_for_none_any_more(sit: Sit) -> None:
    desk, gate = gated(sit)
    record = chosen_in(desk)
    other = next(one for one in record.candidates if one.number != record.preferred)
    desk.approve(gate, other.text)
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(gates=[]))
    desk.run()

    assert chosen_in(desk).chosen == other.number


def test_nothing_of_the_gate_is_asked_twice(sit: Sit) -> None:
    desk, gate = gated(sit)
    paid = desk.book.calls
    with pytest.raises(GateWaiting) as waiting:
        desk.run()

    assert waiting.value.gate == gate
    assert desk.book.calls == paid
