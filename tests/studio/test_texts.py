"""The pages in two languages."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

from starlette.testclient import TestClient

import bookwright.studio
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.model_name import ROLES
from bookwright.models.step import Activity
from bookwright.storage.stores import BookStorage
from bookwright.studio.texts import DOING, Speaker, doing_words, done_words, kind_words, table

STUDIO = Path(bookwright.studio.__file__).parent
SAID = re.compile(r'(?:say|done|speaker\(request\))\(\s*"((?:[^"\\]|\\.)*)"\s*[,)]')


def test_the_pages_speak_chinese(page: TestClient, book: BookStorage) -> None:
    page.cookies.set("studio_language", "zh")

    shown = page.get("/").text

    assert '<html lang="zh">' in shown
    assert "书架" in shown


def test_a_browser_that_asks_for_chinese_gets_it(page: TestClient) -> None:
    shown = page.get("/", headers={"accept-language": "fr;q=1, zh-TW;q=0.9, en;q=0.8"}).text

    assert '<html lang="zh">' in shown


def test_every_text_has_its_chinese() -> None:
    files = [*(STUDIO / "templates").glob("*.j2"), *STUDIO.rglob("*.py")]
    said = {text for file in files for text in SAID.findall(file.read_text("utf-8"))}

    assert len(said) > 200
    assert sorted(said - table("zh").keys()) == []


def test_every_word_of_the_domain_has_its_chinese() -> None:
    words = {
        *DOING.values(), doing_words(""), *map(done_words, Activity), *map(kind_words, DocumentKind), *ROLES,
        *(state.value for state in BookState),
    }  # fmt: skip

    assert sorted(words - table("zh").keys()) == []


def test_placeholders_are_the_same_in_both_languages() -> None:
    fields = re.compile(r"\{(\w+)\}")

    assert [key for key, told in table("zh").items() if set(fields.findall(key)) != set(fields.findall(told))] == []


def test_what_the_engine_says_is_said_in_chinese() -> None:
    say = Speaker("zh")

    assert say("'The glove' is due in 3 chapters") == "伏线 'The glove' 再过 3 章应回收"
    assert say("asked to rest") == "应你的要求停下了"
    assert say("the length of book 'x' cannot become 7: 9 are written already") == "《'x'》已写 9，篇幅不能改成 7"
    assert say("it ended with code 3; nobody knows why") == "它以代码 3 结束。nobody knows why"
    assert Speaker("en")("asked to rest") == "asked to rest"


def test_the_engine_still_says_what_is_translated() -> None:
    """A message that was reworded would be said in English from then on."""
    said = "\n".join(_shape(text) for folder in FOLDERS for file in _sources(folder) for text in _literals(file))
    pieces = [piece for english in told_by_engine() for piece in re.split(r"\{\w+\}", english)]
    long = [piece.split() for piece in pieces if len(piece.split()) > 4]

    lost = [words for words in long if not any(" ".join(words[at : at + 4]) in said for at in range(len(words) - 3))]

    assert len(long) > 50
    assert lost == []


def test_every_refusal_of_a_page_has_its_chinese() -> None:
    say = Speaker("zh")
    refusals = {
        text
        for folder in ("studio", "app")
        for file in _sources(folder)
        for text in _refusals(file)
        if text[:1].isupper()
    }

    assert len(refusals) > 25
    assert [text for text in refusals if say(text) == text] == []


FOLDERS = ("app", "flows", "agents", "models", "storage", "manuscripts", "exports", "studio")


def told_by_engine() -> list[str]:
    """Return the messages of the table, as the source has them."""
    return list(tomllib.loads((STUDIO / "texts" / "zh_messages.toml").read_text("utf-8")))


def _sources(folder: str) -> Iterator[Path]:
    return (STUDIO.parent / folder).resolve().rglob("*.py")


def _literals(file: Path) -> Iterator[str]:
    """Every text of a module as it is compiled, which it mostly is already; one with values in it comes in pieces."""
    waiting: list[object] = [SourceFileLoader(file.stem, str(file)).get_code(file.stem)]
    while waiting:
        constant = waiting.pop()
        if isinstance(constant, CodeType):
            waiting += constant.co_consts
        elif isinstance(constant, tuple | frozenset):
            waiting += constant
        elif isinstance(constant, str):
            yield constant


def _refusals(file: Path) -> Iterator[str]:
    """What is raised: by itself, where the number of something is missing, or where a job was forgotten."""
    tree = ast.parse(file.read_text("utf-8"))
    named = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            said = node.exc.args[0]
            if isinstance(said, ast.JoinedStr):
                yield _joined(said).replace("{}", "x")
            elif isinstance(said, ast.Constant):
                yield str(said.value)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("needed_number", ".jobs.get", ".talks.get")):
            said = named.get(ast.unparse(node.args[-1]), node.args[-1])
            assert isinstance(said, ast.Constant)
            yield str(said.value)


def _joined(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def _shape(text: str) -> str:
    return " ".join(text.split())
