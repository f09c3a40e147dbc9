"""The rehearsal author: every step gets an answer, as often spoiled as it should be, and always the same."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bookwright.agents import readers, workflows
from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import Prompt, Request, Sampling
from bookwright.agents.backends.rehearsal import RehearsalBackend
from bookwright.agents.backends.rehearsal.assignments import fact_number
from bookwright.agents.backends.rehearsal.rules import RULES
from bookwright.agents.backends.rehearsal.voice import voice_of
from bookwright.agents.quality import repetition
from bookwright.agents.steps.parsing import parse
from bookwright.models.codex.extraction import DesignExtraction, Extraction
from bookwright.models.codex.leak import LeakJudgement
from bookwright.models.errors import RequestRejected
from bookwright.models.faults import FoundFaults, Verification
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.story.plot import Plot
from bookwright.models.story.quality import QualityJudgement
from bookwright.models.story.register import FewThreads, Register
from bookwright.models.story.state import GlobalState, lost_promises
from bookwright.models.talk.command_answer import CommandAnswer
from bookwright.models.text.changes import shortened
from bookwright.models.text.language import Language, is_in
from bookwright.models.text.length import range_of
from bookwright.models.text.prose import lengthened, numbered_paragraphs, numbered_sentences, read_insertions
from bookwright.models.tree.decision import AtomVerdicts, Decision, Expert, FlowDecision, Verdict, verdict_by_score
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanOutput, TaskType
from bookwright.prompts.card import BookCard, Card, NodeCard

PREMISE = "A keeper counts the lamps of a harbour that has none."
SAMPLES = 2_000


@dataclass(frozen=True)
class Before:
    """A text that stands before a step."""

    tag: str
    text: str


def card(language: Language = Language.EN, length: int = 600, **changes: Any) -> Card:
    """The card of a chapter with two tasks to judge."""
    book = BookCard(
        title="", premise=PREMISE, language=language.english_name, length=100_000,
        length_unit=language.length_unit, length_class="short",
    )  # fmt: skip
    unit = NodeCard(label="1.3", level="chapter", task_type="write", title="Lamps", goal="A goal.", length=length)
    tasks = tuple(replace(unit, label=f"1.3.{number}", task_type="design") for number in (1, 2))
    made = Card(
        book=book, unit=unit, task=unit, child_level="scene", tasks=tasks, word_allowance=120, ask_length=length,
        plan_length=80, missing_length=150, usual_child_length=1_000, remaining_length=5_000, condense_to=90,
    )  # fmt: skip
    return replace(made, **changes)


def ask(
    agent: Agent, activity: str, the_card: Card, *, label: str = "1.3", attempt: int = 1, mode: str = "default",
    language: Language = Language.EN, before: tuple[Before, ...] = (),
    limit: int = 20_000,
) -> Reply:  # fmt: skip
    """Ask the rehearsal author for one step."""
    request = Request(
        model=f"rehearsal:{mode}", role=agent.role, name=f"{label} {activity}/{agent.name}",
        prompt=Prompt("You write.", ("What to do.",)), sampling=Sampling(agent.temperature, limit, 1),
        output=agent.output,
        facts={
            "activity": activity, "step": agent.name, "template": agent.prompt, "label": label, "level": "chapter",
            "attempt": attempt, "card": the_card, "artefacts": before, "language": language.value, "seed": 7,
        },
    )  # fmt: skip
    return asyncio.run(RehearsalBackend(Settings()).complete(request, lambda event: None))


def all_steps() -> Iterator[tuple[str, Agent]]:
    """Every agent of every workflow, with the activity that asks it."""
    for profile in ProfileName:
        for level in Level:
            for length_class in ("short", "medium", "long"):
                yield from (("plan", agent) for agent in workflows.plan_workflow(level, length_class, profile))
            if level is not Level.PARAGRAPH:
                yield from (("divide", agent) for agent in workflows.hierarchy_workflow(level, profile))
            for kind in (TaskType.DESIGN, TaskType.SEARCH):
                yield from (("decompose", agent) for agent in workflows.decomposition_workflow(level, kind, profile))
                yield "judge", workflows.atom_judge(level, kind)
                yield "aggregate", workflows.aggregator(kind)
            for expert in Expert:
                yield from (("execute", agent) for agent in workflows.design_workflow(level, expert, profile))
            yield from (("write", agent) for agent in workflows.write_workflow(level, profile))
            yield "decide", workflows.flow_decision(level)
            yield "execute", workflows.search_executor(level, profile)
            yield "close", workflows.summariser(level, profile)
            yield "review", readers.editor(level)
        yield "maintain", workflows.book_design_maintainer(profile)
        yield "maintain", workflows.global_state_maintainer(profile)
        yield "publish", workflows.blurb_writer(profile)
    for agent in (workflows.LENGTHEN, workflows.SHORTEN, workflows.SMALL_PLAN, workflows.SMALL_DRAFT):
        yield "write", agent
    yield "write", workflows.SMALL_CRITIC
    yield "write", workflows.SMALL_REFINE
    yield "execute", workflows.ROUTER
    yield "brief", readers.VOICE
    yield "write", readers.REPAIR
    yield "review", readers.COLD_READER
    yield "review", readers.CHOOSE
    yield "plan", workflows.QUESTIONS


STEPS = list(dict.fromkeys(all_steps()))
DRAFT = workflows.write_workflow(Level.CHAPTER, ProfileName.STANDARD)[1]
REFINE = workflows.write_workflow(Level.CHAPTER, ProfileName.STANDARD)[-1]
PLAN = workflows.plan_workflow(Level.CHAPTER, "short", ProfileName.STANDARD)[-1]
DIVIDE = workflows.hierarchy_workflow(Level.BOOK, ProfileName.STANDARD)[-1]


@pytest.mark.parametrize("language", list(Language))
def test_every_step_of_every_profile_gets_an_answer_that_parses(language: Language) -> None:
    text = ask(DRAFT, "write", card(language), language=language, attempt=3).text
    before = (
        Before("draft", text), Before("text", numbered_sentences(text)), Before("current_document", ""),
        Before("news", text),
    )  # fmt: skip

    for activity, agent in STEPS:
        reply = ask(agent, activity, card(language), language=language, attempt=3, before=before)

        assert parse(agent, reply, language, "What to do.").failure is None, agent.prompt


@pytest.mark.parametrize("language", list(Language))
def test_answers_of_the_small_profile_fit_its_limits(language: Language) -> None:
    small = [(activity, agent) for activity, agent in STEPS if agent.prompt.startswith("story/small/")]
    steps = [step for step in small if not step[1].is_prose]

    for activity, agent in steps:
        limit = 500 if agent.output else 120
        reply = ask(agent, activity, card(language), language=language, attempt=3, limit=limit)

        assert parse(agent, reply, language, "").failure is None, agent.prompt


def test_prose_is_cut_where_its_limit_of_tokens_is_reached() -> None:
    reply = ask(DRAFT, "write", card(), attempt=3, limit=160)

    assert reply.finish_reason == "length"
    assert 80 <= Language.EN.measure(reply.text) <= 140


def test_no_answer_hides_that_it_is_a_rehearsal() -> None:
    text = ask(DRAFT, "write", card(), attempt=3).text
    before = (Before("draft", text), Before("text", text), Before("news", text))

    for activity, agent in STEPS:
        reply = ask(agent, activity, card(), attempt=3, before=before)

        assert "rehearsal" in reply.text, agent.prompt


def test_a_reply_depends_on_neither_time_nor_process() -> None:
    code = (
        "from tests.agents.backends.test_rehearsal import DRAFT, ask, card\n"
        "print(ask(DRAFT, 'write', card(length=80)).text, end='')"
    )

    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert elsewhere == ask(DRAFT, "write", card(length=80)).text


def test_units_of_a_book_differ_and_share_their_people() -> None:
    voice = voice_of(Language.EN, 7, PREMISE)
    texts = [ask(DRAFT, "write", card(), label=f"1.{n}", attempt=3).text for n in range(1, 6)]

    sentences = Counter(sentence for text in texts for sentence in text.split(". "))
    named = [sum(person.partition(" ")[0] in text for text in texts) for person in voice.people]

    assert sum(count for count in sentences.values() if count > 1) < 0.05 * sum(sentences.values())
    assert min(named) >= 3


def test_two_answers_in_a_hundred_are_no_result() -> None:
    failed = sum(
        parse(agent, ask(agent, activity, card(), label=f"1.{n}"), Language.EN, "").failure is not None
        for n in range(SAMPLES // 2)
        for activity, agent in (("plan", PLAN), ("close", workflows.summariser(Level.SCENE, ProfileName.STANDARD)))
    )

    assert 0.01 * SAMPLES <= failed <= 0.03 * SAMPLES


def test_a_third_try_is_never_spoiled() -> None:
    failures = [
        parse(PLAN, ask(PLAN, "plan", card(), label=f"1.{n}", attempt=3), Language.EN, "").failure
        for n in range(SAMPLES // 4)
    ]

    assert set(failures) == {None}


def test_two_decisions_in_five_go_on_planning_and_say_what_is_missing() -> None:
    agent = workflows.flow_decision(Level.CHAPTER)
    answers = [
        FlowDecision.model_validate_json(ask(agent, "decide", card(), label=f"1.{n}", mode="exact").text)
        for n in range(SAMPLES)
    ]

    going_on = [answer for answer in answers if answer.decision is Decision.CONTINUE_PLANNING]

    assert 0.36 * SAMPLES <= len(going_on) <= 0.44 * SAMPLES
    assert all(answer.missing_points for answer in going_on)


def test_a_fifth_of_all_tasks_is_complex_by_score_or_by_verdict() -> None:
    judge = workflows.atom_judge(Level.CHAPTER, TaskType.DESIGN)
    scores = [
        task.complexity_score
        for n in range(SAMPLES // 3)
        for task in PlanOutput.model_validate_json(
            ask(PLAN, "plan", card(), label=f"1.{n}", mode="exact").text
        ).sub_tasks
    ]
    verdicts = [
        verdict.atom_result
        for n in range(SAMPLES // 2)
        for verdict in AtomVerdicts.model_validate_json(
            ask(judge, "judge", card(), label=f"1.{n}", mode="exact").text
        ).verdicts
    ]

    judged = [verdict_by_score(score) for score in scores]
    undecided = judged.count(None) / len(judged)
    share = judged.count(Verdict.COMPLEX) / len(judged) + undecided * verdicts.count(Verdict.COMPLEX) / len(verdicts)

    assert 0.16 <= share <= 0.24


@pytest.mark.parametrize(
    ("mode", "least", "most"), [("miss", 0.28, 0.52), ("default", 0.0, 0.18), ("exact", 0.0, 0.03)]
)
@pytest.mark.parametrize("language", list(Language))
def test_drafts_miss_what_was_asked_by_as_much_as_the_mode_says(
    language: Language, mode: str, least: float, most: float
) -> None:
    lengths = [
        language.measure(
            ask(DRAFT, "write", card(language), label=f"1.{n}", mode=mode, language=language, attempt=3).text
        )
        for n in range(40)
    ]

    misses = [length / 600 - 1 for length in lengths]

    assert all(least <= abs(miss) <= most for miss in misses)
    assert mode == "exact" or 8 <= sum(miss > 0 for miss in misses) <= 32


def test_an_unknown_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RequestRejected, match="default, miss, exact"):
        ask(DRAFT, "write", card(), mode="perfect")


@pytest.mark.parametrize("language", list(Language))
def test_a_chapter_reads_as_its_language_and_repeats_little(language: Language) -> None:
    text = ask(DRAFT, "write", card(language, 3_000), language=language, mode="exact").text

    assert is_in(language, text)
    assert repetition(text, language) < 0.25
    assert text.count("\n\n") > 10


def test_a_refined_draft_keeps_most_of_its_paragraphs() -> None:
    draft = ask(DRAFT, "write", card(length=1_500), attempt=3).text

    refined = ask(REFINE, "write", card(length=1_500), attempt=3, before=(Before("draft", draft),)).text

    kept = set(draft.split("\n\n")) & set(refined.split("\n\n"))
    assert len(kept) >= 0.7 * len(draft.split("\n\n"))
    assert refined.split("\n\n")[0] == draft.split("\n\n")[0]


def test_what_is_lengthened_or_shortened_meets_its_target() -> None:
    text = ask(DRAFT, "write", card(length=600), mode="exact").text
    more = ask(workflows.LENGTHEN, "write", card(), mode="exact", before=(Before("text", numbered_paragraphs(text)),))
    less = ask(workflows.SHORTEN, "write", card(), mode="exact", before=(Before("text", numbered_sentences(text)),))

    long = lengthened(text, read_insertions(more.text), 740, Language.EN)
    changes = parse(workflows.SHORTEN, less, Language.EN, "").value.changes
    short = shortened(text, changes, range_of(460, 0.03), Language.EN, ())

    assert abs(Language.EN.measure(long) - 740) <= 15
    assert abs(Language.EN.measure(short) - 460) <= 15


def test_an_economy_revision_holds_findings_a_mark_and_the_text() -> None:
    draft = ask(DRAFT, "write", card(), attempt=3).text

    findings, mark, text = ask(
        workflows.REVISE, "write", card(), attempt=3, before=(Before("draft", draft),)
    ).text.partition(workflows.REVISION_MARK)

    assert mark
    assert findings.startswith("- ")
    assert text.strip().startswith(draft.split("\n\n")[0])


def test_a_fact_that_a_divider_orders_is_told_and_asked_for_later() -> None:
    voice = voice_of(Language.EN, 7, PREMISE)
    fact = voice.fact(fact_number("1.3", 1))
    first = _next_child(1)
    later = [line for index in range(3, 9) for line in _next_child(index).input_brief]

    unit = replace(card().unit, instructions=first.instructions)
    prose = ask(DRAFT, "write", card(unit=unit), attempt=3).text

    assert fact.told in prose
    assert fact.answer in fact.told
    assert any(fact.question in line for line in later)
    assert not any(fact.answer in line for line in later)


def _next_child(index: int) -> Any:
    the_card = card(is_incremental=True, child_index=index, child_level="chapter", usual_child_length=3_000)
    return PlanOutput.model_validate_json(ask(DIVIDE, "divide", the_card, mode="exact").text).sub_tasks[0]


def test_a_running_document_keeps_what_it_has_and_stays_within_its_allowance() -> None:
    agent = workflows.book_design_maintainer(ProfileName.STANDARD)
    state = ""
    for n in range(12):
        news = ask(DRAFT, "write", card(), label=f"1.{n}", attempt=3).text
        before = (Before("current_document", state), Before("news", news))
        state = ask(agent, "maintain", card(word_allowance=200), attempt=3, before=before).text

    assert 60 <= Language.EN.measure(state) <= 230
    assert state.count("\n\n- ") >= 5


def test_a_state_carries_every_promise_on_until_it_is_settled() -> None:
    agent = workflows.global_state_maintainer(ProfileName.STANDARD)
    present: GlobalState | None = None
    for n in range(20):
        news = ask(DRAFT, "write", card(), label=f"1.{n}", attempt=3).text
        shown = present.model_dump_json() if present else ""
        before = (Before("current_document", shown), Before("news", news))
        answer = GlobalState.model_validate_json(ask(agent, "maintain", card(), mode="exact", before=before).text)

        assert present is None or lost_promises(present, answer) == []
        present = answer.numbered(present, f"1.{n}")

    assert present is not None
    assert 1 <= len(present.promises) <= 9


def test_an_answer_of_an_unknown_shape_is_filled_by_its_schema() -> None:
    from pydantic import BaseModel, Field

    class Marks(BaseModel):
        overall: float = Field(ge=0, le=1)
        verdict: Decision
        issues: tuple[str, ...] = Field(min_length=1)
        inner: PlanOutput | None = None

    agent = Agent("quality", "story/quality/judge", "critic", 0.0, "evaluator", output=Marks)
    reply = ask(agent, "write", card(), mode="exact")

    assert parse(agent, reply, Language.EN, "").failure is None


def test_every_rule_is_of_a_field_that_a_step_asks_for() -> None:
    shapes = {agent.output for _, agent in STEPS if agent.output} | {
        DesignExtraction, Extraction, FewThreads, FoundFaults, LeakJudgement, QualityJudgement, CommandAnswer, Plot,
        Register, Verification,
    }  # fmt: skip
    schemas = [shape.model_json_schema() for shape in shapes]
    objects = [part for schema in schemas for part in (schema, *schema.get("$defs", {}).values())]
    fields = {part["title"]: set(part.get("properties", ())) for part in objects}

    unknown = [
        (name, field)
        for name, rules in RULES.items()
        for field in rules
        if not field.startswith("_") and field not in fields[name.partition("/")[0]]
    ]

    assert unknown == []


def test_tokens_are_counted_over_the_whole_prompt_and_the_reply() -> None:
    reply = ask(DRAFT, "write", card(), attempt=3)

    assert 5 <= reply.usage.input_tokens <= 12
    assert reply.usage.output_tokens > 400
    assert reply.usage.is_estimate
