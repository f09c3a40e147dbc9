"""The same brief in four languages: whatever is kept, shown to a model or exported is in the book's own.

The scripted model answers in the language it is asked for, so what strays is the program's.
"""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.steps.desk import Asker
from bookwright.exports.files import export
from bookwright.flows.activities.plan import plan
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import NoResult
from bookwright.models.step import Failure, Reply
from bookwright.models.story.retelling import Person, Retelling, Trouble
from bookwright.models.text.language import Language, is_in
from bookwright.models.text.length import contract_of
from bookwright.models.tree.plan import PlanNode, PlanOutput
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part, render_problem, render_retelling
from bookwright.storage.stores import BookStorage
from tests.flows.walking import begin
from tests.support.books import make_settings, new_library
from tests.support.fakes import ScriptedBackend
from tests.support.scripts import FORM, strays, strays_in_material

LENGTH = 6_000
PREMISES = {
    Language.EN: "A keeper of a lighthouse reads a log in her own hand, and cannot remember writing it.",
    Language.ZH: "守塔人读到一本日志，字是她自己的，她却不记得写过。",
    Language.JA: "灯台守の女が航海日誌を読む。自分の筆跡なのに、書いた覚えがない。",
    Language.KO: "등대지기가 일지를 읽는다. 자신의 글씨인데 쓴 기억이 없다.",
}
WISHES = {
    Language.EN: {"genre": "mystery", "style": "dry and exact", "ending": "She burns the log."},
    Language.ZH: {"genre": "悬疑", "style": "冷静而准确", "ending": "她烧掉了日志。"},
    Language.JA: {"genre": "ミステリー", "style": "乾いた正確な文章", "ending": "彼女は日誌を燃やす。"},
    Language.KO: {"genre": "추리", "style": "건조하고 정확하게", "ending": "그녀는 일지를 태운다."},
}
REPORTED = (DocumentKind.CONSISTENCY, DocumentKind.LEAK_REVIEW, DocumentKind.QUALITY)
"""For `report`, which speaks English as the command line does; no prompt shows them."""
_STUMBLED = (Trouble(quote="1", trouble="1"),)
RETOLD = Retelling(
    people=(Person(name="1", is_who="1", wants="1"),), happened="1", why="1", at_stake="1", not_understood=_STUMBLED,
    dull=_STUMBLED, impossible=_STUMBLED, damaged=_STUMBLED, alive=("1",),
)  # fmt: skip
"""What a reader may tell, all of it, without a word: printed, the headings are left, which speak as the prompts do."""


def strays_in(document: Document, language: Language, told_in: Language) -> list[str]:
    """The words of a document in another language than the book's; a retelling's headings are the template's.

    A consistency report has the names of an answer's fields.
    """
    locale = "zh" if told_in is Language.ZH else "en"
    headings = strays(render_retelling(RETOLD, locale), [language]) if document.kind is DocumentKind.RETELLING else []
    form = FORM if document.kind is DocumentKind.CONSISTENCY else ()
    return [word for word in strays(document.text, [language], form) if word not in headings]


@dataclass
class Overheard:
    """Passes everything on to a model, and keeps what it was asked."""

    models: Asker
    requests: list[Request] = field(default_factory=list)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Have the model answer."""
        self.requests.append(request)
        return self.models.ask(request, budget, listener, on_failure)


@dataclass
class Written:
    """A finished book, what was asked for it, and what is left of it."""

    book: Book
    nodes: list[TaskNode]
    documents: list[Document]
    prompts: list[str]
    """Each with the name of its step in front of it."""
    exports: dict[str, Path]

    @property
    def language(self) -> Language:
        return self.book.brief.language

    @property
    def prompt_language(self) -> Language:
        """What prompts are told in: Chinese has templates of its own, the others have the English ones."""
        asked = self.book.brief.prompt_language or self.language
        return asked if asked is Language.ZH else Language.EN


def written(home: Path, **brief: Any) -> Written:
    settings = make_settings(home, free_megabytes=0, keep_vault=False)
    database = new_library(settings)
    service = ModelService(settings)
    models = Overheard(service)
    try:
        book = find_or_create(database, make_brief({"length": LENGTH, **brief}))
        book = run_book(book.id, RunConfig(settings, database, models))
        storage = BookStorage(database, book.id, book.brief.language)
        with storage.read() as stores:
            nodes = list(stores.nodes.walk())
            documents = stores.documents.of_nodes([node.key for node in nodes], *DocumentKind)
        exports = {name: export(storage, name, home / f"book.{name}") for name in ("md", "txt", "epub")}
    finally:
        service.close()
        database.dispose()
    prompts = ["\n\n".join((r.name, r.prompt.system, *r.prompt.blocks)) for r in models.requests]
    return Written(book, nodes, documents, prompts, exports)


@pytest.fixture(scope="module", params=[(language, name) for language in Language for name in ("economy", "standard")])
def work(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The brief in one language under one profile, written to its end: planned in full, or told from one plan."""
    language, profile = request.param
    home = tmp_path_factory.mktemp("home")
    rounds = 1 if profile == "standard" else None
    brief = {"premise": PREMISES[language], **WISHES[language], "profile": profile, "max_planning_rounds": rounds}
    return written(home, **brief)


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        (Language.EN, "The keeper's log, at 12:30. § <text>", []),
        (Language.EN, "The keeper 守塔人 wrote ログ and 일지.", ["守塔人", "ログ", "일지"]),
        (Language.ZH, "守塔人读日志，第3章。", []),
        (Language.ZH, "守塔人读 the log，ログ。", ["the", "log", "ログ"]),
        (Language.JA, "灯台守がログを読む。등대 light", ["light", "등대"]),
        (Language.KO, "등대지기가 일지(日誌)를 읽는다. [1.2 chapter design: 등대]", ["chapter", "design", "日誌"]),
    ],
)
def test_the_checker_sees_a_word_in_another_script(language: Language, text: str, found: list[str]) -> None:
    assert strays(text, [language]) == found


def test_the_book_is_finished_in_the_language_of_its_brief(work: Written) -> None:
    leaves = [document for document in work.documents if document.kind is DocumentKind.PROSE]

    assert work.book.state is BookState.FINISHED
    assert abs(sum(work.language.measure(leaf.text) for leaf in leaves) - LENGTH) <= contract_of(LENGTH) * LENGTH
    assert all(is_in(work.language, leaf.text) for leaf in leaves)


def test_every_document_is_in_the_books_language(work: Written) -> None:
    told = [document for document in work.documents if document.kind not in REPORTED]
    found = {document.kind: strays_in(document, work.language, work.prompt_language) for document in told}

    kept = {DocumentKind.GLOBAL_STATE} if work.book.brief.max_planning_rounds else set()
    assert {DocumentKind.PROSE, DocumentKind.SUMMARY, DocumentKind.BOOK_DESIGN, DocumentKind.BLURB,
            DocumentKind.RETELLING} | kept <= set(found)  # fmt: skip
    assert [one for one in told if not is_in(work.language, one.text) and one.kind is not DocumentKind.RETELLING] == []
    assert {kind: words for kind, words in found.items() if words} == {}


def test_every_title_and_every_order_is_in_the_books_language(work: Written) -> None:
    told = [work.book.title]
    for node in work.nodes:
        lists = (node.instructions, node.input_brief, node.constraints, node.acceptance_criteria, node.outline)
        told += [node.title, node.goal, *(line for lines in lists for line in lines), *node.open_points]

    assert all(node.title for node in work.nodes)
    assert strays("\n".join(told), [work.language]) == []


def test_a_prompt_is_in_its_own_language_and_the_books_and_no_third(work: Written) -> None:
    languages = {work.language, work.prompt_language}
    known = FORM if work.prompt_language is not Language.EN else ()
    found = {}
    for prompt in work.prompts:
        name, _, told = prompt.partition("\n\n")
        found[name] = strays(told, languages, known)

    assert {name: words for name, words in found.items() if words} == {}


def test_what_a_prompt_shows_of_the_book_is_in_the_books_language(work: Written) -> None:
    found = {prompt.partition("\n")[0]: strays_in_material(prompt, work.language) for prompt in work.prompts}

    assert {name: words for name, words in found.items() if words} == {}


def test_markdown_is_in_the_books_language_but_for_the_names_of_its_metadata(work: Written) -> None:
    head, text = work.exports["md"].read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    names = [line.partition(": ")[0] for line in head.splitlines()]
    values = [line.partition(": ")[2] for line in head.splitlines()]

    assert names == ["title", "lang", "description"]
    assert values[1] == f'"{work.language}"'
    assert strays("\n".join((values[0], values[2], text)), [work.language]) == []
    assert len(re.findall(r"^# ", text, re.MULTILINE)) >= 2


def test_plain_text_is_in_the_books_language(work: Written) -> None:
    assert strays(work.exports["txt"].read_text(encoding="utf-8"), [work.language]) == []


def test_an_epub_is_in_the_books_language_and_says_so(work: Written) -> None:
    shown = {name: text for name, tree in epub_trees(work) for text in [" ".join(tree.itertext())]}
    languages = {tree.get("lang") for _, tree in epub_trees(work) if tree.tag.endswith("}html")}
    package = next(tree for name, tree in epub_trees(work) if name.endswith(".opf"))
    declared = {element.tag.rpartition("}")[2]: element.text for element in package[0]}

    assert declared["language"] == work.language
    assert languages == {work.language.value}
    assert strays(f"{declared['title']}\n{declared['description']}", [work.language]) == []
    shown = {name: text for name, text in shown.items() if not name.endswith((".opf", "container.xml"))}
    assert {"EPUB/nav.xhtml", "EPUB/toc.ncx", "EPUB/title.xhtml", "EPUB/section-00001.xhtml"} <= set(shown)
    assert {name: words for name, text in shown.items() if (words := strays(text, [work.language]))} == {}


def epub_trees(work: Written) -> Iterator[tuple[str, ElementTree.Element]]:
    with zipfile.ZipFile(work.exports["epub"]) as archive:
        for name in archive.namelist():
            if name.endswith((".xhtml", ".ncx", ".opf", ".xml")):
                yield name, ElementTree.fromstring(archive.read(name))


@pytest.mark.parametrize(("language", "told_in"), [(Language.EN, Language.ZH), (Language.ZH, Language.EN)])
def test_a_book_may_be_asked_for_in_another_language_than_its_own(
    tmp_path: Path, language: Language, told_in: Language
) -> None:
    work = written(
        tmp_path,
        premise=PREMISES[language],
        length=900,
        prompt_language=told_in,
        profile="economy",
        max_unit_length=500,
    )
    told = "\n".join((work.book.title, *(node.title + node.goal for node in work.nodes)))
    systems = [prompt.split("\n\n")[1] for prompt in work.prompts]

    assert [one.kind for one in work.documents if strays_in(one, language, told_in)] == []
    assert strays(told, [language]) == []
    assert all(strays(system, [told_in], FORM) == [] for system in systems)
    assert [words for prompt in work.prompts if (words := strays_in_material(prompt, language))] == []


ENGLISH_PLAN = PlanOutput(sub_tasks=(PlanNode(goal="Decide whose hand wrote the log, and who saw it written."),))
CHINESE_PLAN = PlanOutput(sub_tasks=(PlanNode(goal="定下日志是谁的笔迹，写的时候有谁在场看见。"),))


def test_a_plan_in_another_language_is_sent_back_in_the_language_of_the_prompts(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"refiner": [ENGLISH_PLAN, CHINESE_PLAN], "*": ["就这样定了。"]})
    root, deps = begin(tmp_path, backend, premise=PREMISES[Language.ZH])
    deps = replace(deps, desk=replace(deps.desk, locale="zh"))

    plan(root, 1, deps)

    [correction] = backend.requests[-1].corrections
    with deps.stores() as stores:
        goals = [node.goal for node in stores.nodes.children(root.key)]
    assert goals == [CHINESE_PLAN.sub_tasks[0].goal]
    assert "中文" in correction.problem
    assert strays(correction.problem, [Language.ZH], FORM) == []
    deps.storage.database.dispose()


def test_a_plan_that_stays_in_another_language_is_asked_for_no_more_often_than_any_other(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"refiner": [ENGLISH_PLAN], "*": ["就这样定了。"]})
    root, deps = begin(tmp_path, backend, premise=PREMISES[Language.ZH])

    with pytest.raises(NoResult, match=Failure.WRONG_LANGUAGE):
        plan(root, 1, deps)

    asked = [name for name in backend.speakers if name.endswith("/refiner")]
    assert len(asked) == deps.desk.settings.max_repairs + 1
    deps.storage.database.dispose()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("no_tasks", {}),
        ("too_few_parts", {"given": 1, "length": 3_000, "least": 2}),
        ("chapter_count", {"given": 3, "wanted": 4}),
        ("nothing_missing", {}),
        ("no_new_text", {"mark": "<<<TEXT>>>"}),
        ("lost_lines", {"release": "§-", "lines": "§ 欠七千克朗。"}),
        ("lost_lines_condensed", {"lines": "§ 欠七千克朗。"}),
        ("lost_promises", {"ids": "1.4-2"}),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_the_language_of_the_prompts(name: str, values: dict[str, Any]) -> None:
    said = {locale: render_problem(name, locale, **values) for locale in ("en", "zh")}
    sent = render_part("story/_correction", "zh", failure=Failure.UNPARSABLE, problem=said["zh"], language="Chinese")

    assert all(said.values())
    assert all(str(value) in text for value in values.values() for text in said.values())
    assert strays(sent, [Language.ZH], FORM) == []
