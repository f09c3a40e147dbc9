"""From a reply to a result or a named failure: whatever a model sends, nothing is raised."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from bookwright.agents.agent import Agent
from bookwright.agents.backends.tokens import count_raw
from bookwright.agents.steps.answers import answer_limit, parse
from bookwright.agents.workflows import REVISE
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.step import Failure, Reply
from bookwright.models.story.state import GlobalState
from bookwright.models.text.changes import Changes
from bookwright.models.text.language import Language
from bookwright.models.text.length import LengthRecord
from bookwright.models.tree.decision import AtomVerdicts, FlowDecision, Questions, Routing, TitleAndBlurb
from bookwright.models.tree.plan import PlanOutput
from tests.agents.backends.rehearsal.rehearsed import card

DRAFTER = Agent("draft", "story/x", "writer", 0.7, "writer", is_prose=True)
PLANNER = Agent("planner", "story/x", "planner", 0.4, "planner", output=PlanOutput)
DECIDER = Agent("flow_decision", "story/x", "judge", 0.1, "planner", output=FlowDecision)

PLAN = '{"reasoning": "r", "sub_tasks": [{"goal": "decide who opens the door"}]}'
RAIN = "Rain fell on the tower, and nobody counted the ships that night."
PROMPT = "# Method\n" + "Count what the keeper has in her hands and put each thing where it was. " * 6


def failure(agent: Agent, text: str, language: Language = Language.EN, **reply: str) -> Failure | None:
    return parse(agent, Reply(text=text, **reply), language, PROMPT).failure


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"```json\n{PLAN}\n```",
        f"```\n{PLAN}\n```",
        f"Here is the plan:\n\n```json\n{PLAN}\n```\nI hope that it helps.",
        f"The plan is {PLAN} as asked.",
        f"\ufeff{PLAN}",
        f"  {PLAN}\n\n",
        PLAN.replace('"r"', '"line one\nline two"'),
        PLAN.replace('"r"', '"tab\there"'),
        PLAN.replace("decide", "decide\x00\x1b"),
        PLAN.replace("decide", "decide\\u0000\\u001F"),
        PLAN.replace("decide", "decide\\ud800"),
        PLAN.replace("decide", "decide\udc00"),
        f"```json\n{{broken\n```\n```json\n{PLAN}\n```",
    ],
    ids=range(14),
)
def test_json_is_found_in_whatever_stands_around_it(text: str) -> None:
    parsed = parse(PLANNER, Reply(text=text), Language.EN, PROMPT)

    assert parsed.failure is None, parsed.detail
    assert [task.goal for task in parsed.value.sub_tasks] == ["decide who opens the door"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAN[:-20], "not valid JSON"),
        ("There is no plan.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("null", "no JSON object"),
        ('{"sub_tasks": [{"title": "no goal"}]}', "sub_tasks.0.goal"),
        ('{"sub_tasks": "none"}', "sub_tasks"),
        ('{"sub_tasks": [{"goal": "g", "length": "long"}]}', "sub_tasks.0.length"),
        ('{"sub_tasks": [{"goal": "g", "length": 1e999}]}', "OverflowError"),
        ('{"sub_tasks": [{"goal": "g", "length": NaN}]}', "length"),
        ('{"sub_tasks": [{"goal": "g", "length": ' + "9" * 5_000 + "}]}", "ValueError"),
        ('{"a":' * 100_000, ""),
        ('{"sub_tasks": [' * 5_000 + "]}" * 5_000, ""),
    ],
    ids=range(12),
)
def test_json_that_is_no_answer_says_what_is_wrong(text: str, said: str) -> None:
    parsed = parse(PLANNER, Reply(text=text), Language.EN, PROMPT)

    assert parsed.failure is Failure.UNPARSABLE
    assert said in parsed.detail
    assert 0 < len(parsed.detail) < 2_000


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with this request.",
        "I am sorry, I cannot write this scene.",
        "I'm unable to provide that.",
        "Sorry, I can't do that.",
        "**I can't help with that.**",
        "As an AI, I do not write such scenes.",
        "I'm sorry, but this request goes against the rules.",
        "抱歉，我无法满足这个请求。",
        "很抱歉，作为一个助手，我不能继续写下去。",
        "我无法提供这样的内容。",
        "作为一个AI语言模型，我没有个人经历。",
        "申し訳ありませんが、その内容は書けません。",
        "申し訳ございません。お手伝いできません。",
        "죄송합니다. 그 내용은 쓸 수 없습니다.",
        "죄송하지만 도와드릴 수 없습니다.",
    ],
)
@pytest.mark.parametrize("agent", [DRAFTER, PLANNER], ids=["prose", "json"])
def test_a_refusal_is_told_from_an_answer_in_four_languages(agent: Agent, text: str) -> None:
    assert failure(agent, text, Language.ZH) is Failure.REFUSAL


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (Language.EN, '"I\'m sorry," she said, and put the lamp down between them.'),
        (Language.EN, "“I can’t help you,” he said. Nobody had asked him to, and nobody did."),
        (Language.EN, "I'm sorry I ever set foot on that island, but the ferry left at noon."),
        (Language.EN, "I can't help laughing when the bell rings for nobody at all."),
        (Language.EN, "Sorry is a word my father kept for horses and for the sea."),
        (Language.ZH, "我无法相信他还活着。雨落在塔上，灯灭了，门外站着的人一动也不动，手里提着空桶。"),
        (Language.ZH, "“抱歉，我不能进去。”他站在门外，雨水顺着帽檐落下来，谁也没有说话。"),
        (Language.JA, "「申し訳ありません」と彼は言って、灯を机の上に置いたまま部屋を出て行った。"),
        (Language.KO, "“죄송합니다.” 그는 등불을 내려놓고 문밖으로 나갔다. 아무도 그를 붙잡지 않았다."),
    ],
)
def test_people_of_a_story_may_be_sorry(language: Language, text: str) -> None:
    assert parse(DRAFTER, Reply(text=text), language, PROMPT).value == text


def test_a_long_text_that_opens_like_a_refusal_is_prose() -> None:
    assert failure(DRAFTER, "I cannot write without the lamp. " + RAIN * 10) is None


@pytest.mark.parametrize("text", ["", " \n\t ", "\x00\x00", "\u3000"])
def test_nothing_is_an_empty_answer(text: str) -> None:
    assert failure(DRAFTER, text) is failure(PLANNER, text) is Failure.EMPTY


@pytest.mark.parametrize(("finish_reason", "named"), [("length", Failure.CUT_OFF), ("refusal", Failure.REFUSAL)])
def test_the_providers_word_on_how_it_ended_counts(finish_reason: str, named: Failure) -> None:
    assert failure(DRAFTER, RAIN, finish_reason=finish_reason) is named
    assert failure(PLANNER, PLAN, finish_reason=finish_reason) is named


def test_the_prompt_said_back_is_an_echo() -> None:
    assert failure(DRAFTER, PROMPT) is Failure.ECHO
    assert failure(DRAFTER, f"```\n{PROMPT}\n```") is Failure.ECHO
    assert failure(DRAFTER, RAIN) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (Language.EN, "雨落在塔上，没有人数船。她把灯放在窗前，等着潮水退去。"),
        (Language.ZH, RAIN),
        (Language.ZH, "灯台守は船を数えたが、一隻も書き留めなかった。雨が降っていた。"),
        (Language.JA, "등대지기는 배를 세었지만 한 척도 적지 않았다. 비가 내리고 있었다."),
        (Language.KO, "雨落在塔上，没有人数船。她把灯放在窗前，等着潮水退去。"),
    ],
)
def test_a_text_in_another_language_is_no_answer(language: Language, text: str) -> None:
    parsed = parse(DRAFTER, Reply(text=text), language, PROMPT)

    assert parsed.failure is Failure.WRONG_LANGUAGE
    assert language.english_name in parsed.detail


TASKS = {
    Language.EN: ("The price of the lamp", "Decide what Ines pays for the night on which she let the lamp go out."),
    Language.ZH: ("灯的代价", "定下伊内斯为熄灯的那一夜付出什么，谁替她还债。"),
    Language.JA: ("灯の値", "灯を消したあの夜のために、イネスが何を払うのかを決める。"),
    Language.KO: ("등불의 값", "등불이 꺼진 그 밤을 두고 이네스가 무엇을 치를지 정한다."),
}


def plan_in(language: Language) -> str:
    title, goal = TASKS[language]
    task = {"task_type": "design", "title": title, "goal": goal, "hierarchical_position": "chapter", "length": "3,000"}
    return json.dumps({"reasoning": "One task will do, for the rest is settled above.", "sub_tasks": [task]})


@pytest.mark.parametrize("language", Language)
def test_a_plan_is_held_to_the_books_language_whatever_it_was_thought_in(language: Language) -> None:
    outcomes = {wrote: parse(PLANNER, Reply(text=plan_in(wrote)), language, PROMPT) for wrote in Language}

    assert [wrote for wrote, parsed in outcomes.items() if parsed.failure is None] == [language]
    for wrote in set(Language) - {language}:
        assert outcomes[wrote].failure is Failure.WRONG_LANGUAGE
        assert language.english_name in outcomes[wrote].detail


def asked_for(output: type[BaseModel]) -> Agent:
    return Agent("asked", "story/x", "planner", 0.1, "planner", output=output)


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (FlowDecision, {"missing_points": ["Who paid the owner of the lamp, and what was promised for it?"],
                        "decision": "DECISION_CONTINUE_PLANNING"}),
        (Questions, {"questions": ["Where did Ines put the letter that the owner sent her?"]}),
        (TitleAndBlurb, {"title": "The Lamp", "blurb": "A keeper owes a debt that nobody alive can remember."}),
        (GlobalState, {"aim": "To keep the lamp lit.", "conflict": "The owner wants it dark.",
                       "relations": [{"who": "伊内斯", "to": "灯塔的主人", "now": "owes him seven thousand crowns"}]}),
    ],
)  # fmt: skip
def test_each_kind_of_answer_with_words_of_its_own_is_held_to_the_language(
    output: type[BaseModel], answer: dict[str, object]
) -> None:
    text = json.dumps(answer)

    assert failure(asked_for(output), text, Language.EN) is None
    assert failure(asked_for(output), text, Language.ZH) is Failure.WRONG_LANGUAGE


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (FlowDecision, {"reasoning": RAIN, "decision": "DECISION_PROCEED_TO_WRITE"}),
        (AtomVerdicts, {"verdicts": [{"task": 1, "reasoning": RAIN, "atom_result": "complex",
                                      "complex_reasons": ["dependency_insufficient", "requires_analysis"]}]}),
        (Routing, {"reasoning": RAIN, "expert": "generalist"}),
        (Changes, {"changes": [{"first": "1.1", "last": "[12.3]", "text": ""}] * 20}),
        (Questions, {"questions": []}),
        (TitleAndBlurb, {"title": "Ines", "blurb": "OK"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", Language)
def test_thoughts_closed_values_and_numbers_have_no_language(
    output: type[BaseModel], answer: dict[str, object], language: Language
) -> None:
    assert failure(asked_for(output), json.dumps(answer), language) is None


@pytest.mark.parametrize(
    ("language", "goal"),
    [
        (Language.EN, "林小雨 asks 顾长风 whose hand wrote the log, and 顾长风 lies to 林小雨 about it."),
        (Language.ZH, "Catherine Earnshaw 逼 Heathcliff 说出那封信的下落，Heathcliff 只肯说一半。"),
        (Language.ZH, "让さくら发现账本的秘密，她不敢告诉父亲，也不敢去找那位收账的人，只好独自去码头等船。"),
        (Language.JA, "Catherine Earnshaw に Heathcliff の手紙の行方を語らせ、半分だけ隠させる。"),
        (Language.KO, "Catherine Earnshaw 가 Heathcliff 에게 편지의 행방을 캐묻고 절반만 듣게 한다."),
    ],
)
def test_a_plan_may_name_people_in_another_script(language: Language, goal: str) -> None:
    assert failure(PLANNER, json.dumps({"sub_tasks": [{"goal": goal}]}), language) is None


def test_foreign_names_do_not_make_an_answer_of_their_language() -> None:
    goal = "Catherine Earnshaw 逼 Heathcliff 说出那封信的下落，Heathcliff 只肯说一半。"

    assert failure(PLANNER, json.dumps({"sub_tasks": [{"goal": goal}]}), Language.EN) is Failure.WRONG_LANGUAGE


@pytest.mark.parametrize("fence", ["```", "```markdown", "```text"])
def test_a_fence_around_a_whole_text_is_taken_off(fence: str) -> None:
    assert parse(DRAFTER, Reply(text=f"{fence}\n{RAIN}\n```"), Language.EN, PROMPT).value == RAIN


def test_characters_that_no_book_holds_are_taken_out() -> None:
    parsed = parse(DRAFTER, Reply(text="Rain\x00\x08 fell \ud83don it. \ud83d\ude00"), Language.EN, PROMPT)

    assert parsed.value == "Rain fell on it. \U0001f600"


def test_a_check_may_refuse_what_has_the_right_shape() -> None:
    parsed = parse(PLANNER, Reply(text=PLAN), Language.EN, PROMPT, lambda plan: "no search task among them")

    assert (parsed.failure, parsed.detail) == (Failure.UNPARSABLE, "no search task among them")


def test_ten_megabytes_are_read_like_ten_words() -> None:
    text = "Rain fell. " * 1_000_000
    long_plan = json.dumps({"reasoning": "x" * 10_000_000, "sub_tasks": [{"goal": "decide"}]})

    assert failure(DRAFTER, text) is None
    assert failure(PLANNER, long_plan) is None
    assert failure(PLANNER, "```json\n" * 500_000) is Failure.UNPARSABLE
    assert failure(PLANNER, "{" * 5_000_000) is Failure.UNPARSABLE


def test_a_closed_value_that_nobody_knows_is_no_decision() -> None:
    assert failure(DECIDER, '{"decision": "DECISION_GIVE_UP"}') is Failure.UNPARSABLE
    assert failure(DECIDER, '{"decision": "DECISION_PROCEED_TO_WRITE"}') is None


@given(st.text(st.characters(codec=None), max_size=300), st.sampled_from(Language), st.sampled_from([DRAFTER, DECIDER]))
def test_any_reply_is_a_value_or_a_named_failure(text: str, language: Language, agent: Agent) -> None:
    parsed = parse(agent, Reply(text=text), language, PROMPT)

    assert (parsed.value is None) == (parsed.failure is not None)
    assert (parsed.detail == "") == (parsed.failure is None)


@pytest.mark.parametrize(
    ("language", "sentence"), [(Language.EN, f"{RAIN} "), (Language.ZH, "雨落在塔上，灯灭了。")], ids=["en", "zh"]
)
@pytest.mark.parametrize("wanted", [60, 600, 2_400])
def test_whoever_writes_a_draft_anew_may_give_back_all_of_it_however_far_it_overran(
    language: Language, sentence: str, wanted: int
) -> None:
    """A model that wrote too little so far was asked for more than is wanted, and may overrun even that."""
    profile = PROFILES[ProfileName.ECONOMY]
    asked = LengthRecord(ratio=0.6).to_ask(wanted)
    room = answer_limit(DRAFTER, card(language, ask_length=asked), profile, language)
    draft = sentence * int(room / count_raw(sentence * 100, "o200k") * 100)
    measured = card(language, ask_length=wanted, draft_length=language.measure(draft))

    limit = answer_limit(REVISE, measured, profile, language)

    assert limit > count_raw(draft, "o200k") + 100  # with some findings before it
