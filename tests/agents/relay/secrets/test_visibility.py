"""The visibility filter: what is hidden never comes out, whatever else is in the codex."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bookwright.agents.relay.codex_texts import secret_text, section_level
from bookwright.agents.relay.secrets.kept import kept_of
from bookwright.agents.relay.secrets.matching import Matcher
from bookwright.agents.relay.secrets.visibility import VisibleCodex, collect_hints, filter_codex
from bookwright.agents.relay.threads.instructions import ForeshadowAction, instruct
from bookwright.models.codex.entries import CodexEntry, Secret, Visibility
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.sight import Sight
from bookwright.models.story_time.times import asked_time
from bookwright.models.tree.place import ReadingOrder

READING = ReadingOrder(chapters=("1.1", "1.2", "1.3", "1.10"))
PLACES = ("1", "1.1", "1.1.4", "1.2", "1.2.1", "1.3", "1.10", "1.10.2", "1.11")
TEXTS = (
    "The old king drowned his brother in the harbour at night.",
    "彼女は先代の灯台守の実の娘である。",
    "그 등대지기는 오래전에 죽은 선장의 아들이다.",
    "沈家的账本藏在祠堂的第三块砖后面。",
    "Nobody but the cook ever saw the second ledger.",
)


def entry(name: str = "Mira", **values: Any) -> CodexEntry:
    return CodexEntry.model_validate({"id": name.lower(), "kind": "character", "name": name, **values})


def secret(content: str, **values: Any) -> Secret:
    return Secret.model_validate({"id": "s", "content": content, **values})


def visible(entries: list[CodexEntry], secrets: list[Secret], threads: list[Foreshadowing], at: str) -> VisibleCodex:
    return filter_codex(kept_of([Sight(at, READING).see(one) for one in entries], secrets, threads, at, READING))


def told(codex: VisibleCodex) -> str:
    return codex.model_dump_json(exclude={"excluded_sections"})


sections = st.builds(
    lambda number, text, level, place: {"name": f"s{number}", "text": text, "visibility": level, "known_from": place},
    st.integers(0, 99), st.sampled_from(TEXTS), st.integers(0, 3), st.sampled_from((None, 2, "1.2.1", "1.10", 9)),
)  # fmt: skip


@settings(deadline=None)
@given(
    lists=st.lists(st.lists(sections, max_size=4, unique_by=lambda s: s["name"]), max_size=3),
    levels=st.lists(st.integers(0, 3), min_size=5, max_size=5),
    places=st.lists(st.sampled_from((None, 1, 3, "1.2", "1.10.2")), min_size=5, max_size=5),
    at=st.sampled_from(PLACES),
    quoting=st.sampled_from(("{}", "Rain. {} She slept.", "He said: 「{}」 and left.", "{}\n\nMore.")),
)
def test_a_text_that_is_hidden_or_only_noticed_never_comes_out(
    lists: list[Any], levels: list[int], places: list[Any], at: str, quoting: str
) -> None:
    quoted = [[s | {"text": quoting.format(s["text"])} for s in one] for one in lists]
    entries = [entry(f"E{index}", sections=one) for index, one in enumerate(quoted)]
    secrets = [
        secret(text, id=f"s{i}", visibility=level, revealed_at=place)
        for i, (text, level, place) in enumerate(zip(TEXTS, levels, places, strict=True))
    ]

    codex = visible(entries, secrets, [], at)

    seen = [Sight(at, READING).see(one) for one in entries]
    hidden = {one.content for one in secrets if secret_text(one, at, READING).level < Visibility.KNOW}
    hidden |= {
        text for one in seen for s in one.sections for text in TEXTS
        if text in s.section.text and section_level(one, s) < Visibility.KNOW
    }  # fmt: skip
    assert [text for text in hidden if text in told(codex)] == []
    matcher = Matcher(kept_of(seen, secrets, [], at, READING).withheld)
    assert not any(matcher.violations(fact.text) for fact in codex.facts)


@given(
    level=st.sampled_from(Visibility), place=st.sampled_from((None, 1, 2, 3, 4, "1.2.1", "1.10")),
    first=st.sampled_from(PLACES), second=st.sampled_from(PLACES),
)  # fmt: skip
def test_nothing_that_was_told_is_hidden_again_later(level: Visibility, place: Any, first: str, second: str) -> None:
    early, late = sorted((first, second), key=PLACES.index)
    kept = secret("x", visibility=level, revealed_at=place)
    one = entry(sections=[{"name": "a", "text": "x", "visibility": level, "known_from": place}])
    levels = [
        section_level(found, found.sections[0]) for at in (early, late) for found in [Sight(at, READING).see(one)]
    ]

    assert secret_text(kept, early, READING).level <= secret_text(kept, late, READING).level
    assert levels[0] <= levels[1] <= level


def test_an_entry_that_is_hidden_altogether_is_not_even_named() -> None:
    king = entry("闇の王", sections=[{"name": "正体", "text": "彼は父だ。", "visibility": 0}])
    mira = entry(aliases=["闇の王の娘"], sections=[{"name": "fear", "text": "She fears 闇の王. She likes rain."}])

    codex = visible([king, mira], [], [], "1.1")

    assert "闇の王" not in told(codex)
    assert codex.entries[0].sections[0].text == "She likes rain."
    assert codex.excluded_sections == ("character.闇の王", "character.Mira/fear")


def test_what_a_writer_is_only_aware_of_comes_as_a_notice_without_a_word_of_it() -> None:
    codex = visible(
        [entry(sections=[{"name": "look", "text": "Tall."}])],
        [secret(TEXTS[0], visibility=1, related_entity="ＭＩＲＡ", forbidden_keywords=["harbour"])], [], "1.1",
    )  # fmt: skip

    assert [(notice.id, notice.about) for notice in codex.notices] == [("s", "Mira")]
    assert codex.excluded_sections == ("secret.s",)
    assert "harbour" not in told(codex)
    assert [(hint.level, hint.hint_text) for hint in collect_hints(codex, [])] == [(Visibility.AWARE, "")]


def test_what_is_known_comes_with_the_words_for_it() -> None:
    kept = secret(
        TEXTS[0], visibility=2, importance="critical", allowed_expressions=["cold water"],
        forbidden_keywords=["drowned"], revealed_at="1.3",
    )  # fmt: skip

    before, here = visible([], [kept], [], "1.2.1"), visible([], [kept], [], "1.3")
    after = visible([], [kept], [], "1.4")

    [known] = before.restricted
    assert (known.content, known.allowed_expressions, known.forbidden_keywords) == (
        TEXTS[0], ("cold water",), ("drowned",),
    )  # fmt: skip
    assert (known.subtlety, known.band.name, before.facts) == (9, "almost invisible", ())
    assert (here.restricted, here.facts) == ((), ()), "where it comes out it is an order and no fact"
    assert (after.restricted, [fact.text for fact in after.facts]) == ((), [TEXTS[0]])


def test_texts_of_later_phases_go_and_those_of_earlier_ones_are_history() -> None:
    one = entry(
        phases=[{"name": "child"}, {"name": "keeper", "begins": "1.2"}, {"name": "ghost", "begins": 4}],
        sections=[
            {"name": "look", "text": "Small.", "phase": "child"}, {"name": "look", "text": "Grey.", "phase": "keeper"},
            {"name": "end", "text": "She walks the rocks.", "phase": "ghost"}, {"name": "voice", "text": "Low."},
        ],
    )  # fmt: skip

    at_two = visible([one], [], [], "1.2").entries[0]

    assert [(s.text, s.is_history) for s in at_two.sections] == [("Small.", True), ("Grey.", False), ("Low.", False)]


def test_an_entry_is_not_there_before_its_first_phase() -> None:
    late = entry("Noor", phases=[{"name": "stranger", "begins": 3}], sections=[{"name": "look", "text": "Thin."}])

    assert visible([late], [], [], "1.2").entries == ()
    assert [one.phase for one in visible([late], [], [], "1.3").entries] == ["stranger"]


def test_what_has_not_happened_by_the_storys_clock_is_not_there_yet() -> None:
    one = entry(sections=[
        {"name": "death", "text": "She drowns.", "happens_at": {"when": "the last winter", "order": 12}},
        {"name": "birth", "text": "Born at sea.", "happens_at": "long ago"},
    ])  # fmt: skip

    texts = [
        [
            s.text
            for s in filter_codex(kept_of([Sight("1.1", READING, now).see(one)], [], [], "1.1", READING))
            .entries[0]
            .sections
        ]
        for now in (None, asked_time("11"), asked_time("12"))
    ]

    assert texts == [["She drowns.", "Born at sea."], ["Born at sea."], ["She drowns.", "Born at sea."]]


def test_a_thread_to_be_planted_gives_its_seed_and_nothing_of_its_payoff() -> None:
    thread = Foreshadowing.model_validate({
        "id": "ring", "title": "The ring",
        "seed": {"content": "A ring lies on the sill. It is royal.", "planned_at": 2},
        "payoff": {"content": "The ring makes her the queen of the isles.", "planned_at": 4},
        "ai_visibility": {"forbidden_keywords": ["royal"], "allowed_expressions": ["cold gold"]},
    })  # fmt: skip

    [order] = instruct([thread], "1.2.1", READING, Matcher(kept_of([], [], [thread], "1.2.1", READING).withheld))
    due = visible([], [], [thread.model_copy(update={"status": "planted"})], "1.10")

    assert order.action is ForeshadowAction.PLANT
    assert (order.note, order.forbidden_expressions, order.subtlety_target) == ("A ring lies on the sill.", (), 4)
    assert visible([], [], [thread], "1.2.1").excluded_sections == ("foreshadowing.ring",)
    assert due.facts == (), "what is to be paid off here is an order and no fact"


def test_forbidden_words_have_their_sources_and_those_of_hidden_things_are_the_reviewers_alone() -> None:
    secrets = [
        secret("a", forbidden_keywords=["heir", "Crown"]),
        secret("b", id="t", visibility=2, forbidden_keywords=["ＣＲＯＷＮ"]),
        secret("c", id="u", forbidden_keywords=["out"], revealed_at=1),
    ]
    one = entry(sections=[{"name": "past", "text": "x", "visibility": 2, "forbidden_keywords": ["anchor"]}])
    thread = Foreshadowing.model_validate(
        {"id": "f", "title": "f", "status": "planted", "ai_visibility": {"forbidden_keywords": ["bell", "heir"]}}
    )

    found = kept_of([Sight("1.1", READING).see(one)], secrets, [thread], "1.1", READING, ["delve"]).keywords

    assert found.all == ("Crown", "anchor", "bell", "delve", "heir")
    assert found.shown == ("Crown", "anchor", "bell", "delve", "heir")
    assert [[(s.kind.value, s.id) for s in keyword.sources] for keyword in found.keywords] == [
        [("visibility", "s"), ("visibility", "t")], [("entity", "mira/past")], [("foreshadowing", "f")],
        [("global", "")], [("visibility", "s"), ("foreshadowing", "f")],
    ]  # fmt: skip
    assert kept_of([], secrets[:1], [], "1.1", READING, ["heirloom"]).keywords.shown == ()
