"""The rehearsal author: every step gets an answer, always the same, in the shape and length that was asked."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from bookwright.agents import workflows
from bookwright.agents.agent import Agent
from bookwright.agents.backends.rehearsal.reading import fact_number
from bookwright.agents.backends.rehearsal.rules import RULES
from bookwright.agents.backends.rehearsal.voice import voice_of
from bookwright.agents.chief_editor import CommandAnswer
from bookwright.agents.quality import repetition
from bookwright.agents.steps.answers import parse
from bookwright.models.codex.extraction import DesignExtraction, Extraction
from bookwright.models.codex.leak import LeakJudgement
from bookwright.models.errors import RequestRejected
from bookwright.models.faults import FoundFaults, Verification
from bookwright.models.profile import ProfileName
from bookwright.models.story.quality import QualityJudgement
from bookwright.models.story.register import FewThreads, Register
from bookwright.models.story.state import GlobalState, lost_promises
from bookwright.models.text.changes import shortened
from bookwright.models.text.language import Language, is_in
from bookwright.models.text.length import range_of
from bookwright.models.text.prose import lengthened, numbered_paragraphs, numbered_sentences, read_insertions
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.plan import ChosenPlot, DoubtedPlot, PlanOutput, Plot
from tests.agents.backends.rehearsal.rehearsed import DIVIDE, DRAFT, PREMISE, REFINE, STEPS, Before, ask, card


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
        "from tests.agents.backends.rehearsal.rehearsed import DRAFT, ask, card\n"
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
        DesignExtraction, DoubtedPlot, Extraction, FewThreads, FoundFaults, LeakJudgement, QualityJudgement,
        ChosenPlot, CommandAnswer, Plot, Register, Verification,
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
