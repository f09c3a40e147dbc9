"""`ask`: words in four languages become one command; it is shown, and done only at a yes."""

import json
import os
import pty
import select
import shlex
from pathlib import Path

import pytest

from bookwright.app.branches.forks import fork
from bookwright.app.command_lines import arguments_of, typed
from bookwright.app.commands import settled
from bookwright.cli.access import open_book
from bookwright.models.book import BookState
from bookwright.models.codex.entries import Importance, Secret
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.talk.command import AddSecret, EditSecret, EditThread, Revise, Unclear
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.support.forks import Forks

WISHES = {
    "en": [
        ("How far is it?", "status lamp"),
        ("Let me see the outline", "tree lamp"),
        ("show me chapter 2", "show lamp 1.2"),
        ("I want to read 1.1", "read lamp --node=1.1"),
        ("what would it cost?", "estimate --book=lamp"),
        ("please stop for today", "pause lamp"),
        ("keep writing until chapter 3", "resume lamp --until=chapter:3"),
        ("keep writing", "resume lamp"),
        ('change the title to "The Long Watch"', "brief lamp '--set=title=The Long Watch'"),
        ("raise the budget to 12 dollars", "brief lamp --set=budget.usd=12"),
        ("export it as EPUB", "export lamp --to=epub"),
        ("make a report on quality", "report lamp --to=html"),
        ("rewrite 1.2: start in winter", "revise lamp 1.2 '--note=start in winter'"),
        ("bring back version 2 of 1.2", "restore lamp 1.2 2"),
        ("fork the book at chapter 2: she stays", "fork lamp --at=1.2 '--name=she stays'"),
        ("which branches are there?", "branches lamp"),
        ('compare it with "she goes"', "compare lamp she-goes-dae07f"),
        ("which drafts does chapter 2 have?", "candidates lamp 1.2"),
        ("take draft 2 of chapter 1", "candidates lamp 1.1 --take=2"),
        ("show my notes at 1.1", "note lamp 1.1"),
        ('a note on "lamp went" in chapter 1: which lamp?', "note lamp 1.1 'which lamp?' '--at=lamp went'"),
        ("what is out of date?", "stale lamp"),
        ("bring it all up to date", "refresh lamp"),
        ("add a character: Ines Vale", "codex add lamp 'Ines Vale' --kind=character"),
        ("add a secret: she lit the fire", "secrets add lamp 'she lit the fire'"),
        ("add a thread: the stopped clock", "foreshadowing add lamp 'the stopped clock'"),
        ("approve gate 1", "approve lamp 1"),
        ("reject gate 1: start in winter", "reject lamp 1 '--note=start in winter'"),
        ("delete the book", "delete lamp"),
    ],
    "zh": [
        ("进度怎么样了？", "status lamp"),
        ("看一下大纲", "tree lamp"),
        ("看看第二章", "show lamp 1.2"),
        ("我想读一下第一章", "read lamp --node=1.1"),
        ("写完要花多少钱？", "estimate --book=lamp"),
        ("先暂停吧", "pause lamp"),
        ("继续写到第三章", "resume lamp --until=chapter:3"),
        ("接着写", "resume lamp"),
        ("书名改成《长夜灯》", "brief lamp --set=title=长夜灯"),
        ("预算提到20美元", "brief lamp --set=budget.usd=20"),
        ("导出成epub", "export lamp --to=epub"),
        ("给我质量报告", "report lamp --to=html"),
        ("从第二章起开一个分支：她留下了", "fork lamp --at=1.2 --name=她留下了"),
        ("有哪些分支？", "branches lamp"),
        ("第二章有哪些草稿？", "candidates lamp 1.2"),
        ("加个秘密：火是她放的", "secrets add lamp 火是她放的"),
        ("埋一条伏笔：停了的钟", "foreshadowing add lamp 停了的钟"),
        ("批准1号关口", "approve lamp 1"),
        ("把这本书删除", "delete lamp"),
    ],
    "ja": [
        ("どこまで進みましたか", "status lamp"),
        ("目次を出して", "tree lamp"),
        ("第2章を見せて", "show lamp 1.2"),
        ("第1章を読みたい", "read lamp --node=1.1"),
        ("費用はいくらですか", "estimate --book=lamp"),
        ("一時停止してください", "pause lamp"),
        ("第3章まで続けて", "resume lamp --until=chapter:3"),
        ("続きを書いて", "resume lamp"),
        ("題名を「長い夜」にして", "brief lamp --set=title=長い夜"),
        ("EPUBで書き出して", "export lamp --to=epub"),
        ("品質のレポートを作って", "report lamp --to=html"),
        ("秘密を追加：火をつけたのは彼女", "secrets add lamp 火をつけたのは彼女"),
        ("伏線を追加：止まった時計", "foreshadowing add lamp 止まった時計"),
        ("1番を承認します", "approve lamp 1"),
        ("この本を削除して", "delete lamp"),
    ],
    "ko": [
        ("어디까지 왔어요?", "status lamp"),
        ("목차를 보여 줘", "tree lamp"),
        ("2장을 보여 줘", "show lamp 1.2"),
        ("1장을 읽고 싶어", "read lamp --node=1.1"),
        ("비용이 얼마예요?", "estimate --book=lamp"),
        ("잠깐 멈춰 주세요", "pause lamp"),
        ("3장까지 계속 써 줘", "resume lamp --until=chapter:3"),
        ("계속 써 줘", "resume lamp"),
        ("제목을 《긴 밤》으로 바꿔", "brief lamp '--set=title=긴 밤'"),
        ("epub로 내보내 줘", "export lamp --to=epub"),
        ("품질 보고서를 만들어 줘", "report lamp --to=html"),
        ("비밀을 추가: 불은 그녀가 질렀다", "secrets add lamp '불은 그녀가 질렀다'"),
        ("복선을 추가: 멈춘 시계", "foreshadowing add lamp '멈춘 시계'"),
        ("1번을 승인할게", "approve lamp 1"),
        ("이 책을 삭제해 줘", "delete lamp"),
    ],
}


@pytest.fixture
def gated(book: BookStorage) -> BookStorage:
    """The book, with gate 1 waiting and a branch."""
    with open_book("lamp") as opened:
        fork(opened, None, "she goes")
    with book.write() as stores:
        stores.gates.open(stores.nodes.root(), GateKind.OUTLINE)
    return book


@pytest.mark.parametrize("language", WISHES)
def test_a_wish_is_shown_as_the_line_it_stands_for(cli: Cli, gated: BookStorage, language: str) -> None:
    shown = [(words, cli("ask", "lamp", words)) for words, _ in WISHES[language]]

    assert [(words, shlex.split(run.out)) for words, run in shown] == [
        (words, ["bookwright", *shlex.split(line)]) for words, line in WISHES[language]
    ]
    assert {run.code for _, run in shown} == {6}


def test_only_shown_means_nothing_is_done(cli: Cli, gated: BookStorage) -> None:
    cli("ask", "lamp", 'change the title to "Other"')
    cli("ask", "lamp", "--yes", "delete the book")
    cli("ask", "lamp", "--yes", "approve gate 1")

    with gated.read() as stores:
        assert stores.books.get("lamp").title == "Night Watch"
        assert [gate.is_waiting for gate in stores.gates.all()] == [True]


def test_yes_by_option_does_what_the_line_does(cli: Cli, book: BookStorage) -> None:
    run = cli("ask", "lamp", "--yes", 'change the title to "The Long Watch"')

    assert run.code == 0
    assert run.out.startswith("bookwright brief lamp '--set=title=The Long Watch'\n")
    with book.read() as stores:
        assert stores.books.get("lamp").title == "The Long Watch"


def test_json_holds_the_command_and_what_it_brought(cli: Cli, book: BookStorage) -> None:
    run = cli("ask", "lamp", "--yes", "--json", "how far is it?")
    facts = json.loads(run.out)

    assert facts["command"] == "bookwright status lamp"
    assert (facts["is_done"], facts["is_recorded"], facts["quote"]) == (True, True, "how far")
    assert facts["result"]["book"] == "lamp"


def test_a_command_that_fails_gives_its_own_exit_code(cli: Cli, book: BookStorage) -> None:
    run = cli("ask", "lamp", "--yes", "add a secret: she lit the fire")
    again = cli("ask", "lamp", "--yes", "add a secret: she lit the fire")

    assert (run.code, again.code) == (0, 2)
    assert again.err.rstrip().splitlines()[-1].startswith("bookwright:")


@pytest.mark.parametrize(
    ("named", "meant"),
    [("secret-1", "fire"), ("1", "fire"), ("fire", "fire"), ("secret-2", "secret-2"), ("2", "secret-2")],
)
def test_a_secret_is_named_by_its_neutral_name_or_its_id(book: BookStorage, named: str, meant: str) -> None:
    keep_secrets(book)

    with open_book("lamp") as opened:
        command = settled(EditSecret(verb="secret_edit", secret=named, importance=Importance.HIGH), opened)

    assert isinstance(command, EditSecret)
    assert command.secret == meant


def test_a_model_that_names_no_secret_is_told_of_no_id(book: BookStorage) -> None:
    keep_secrets(book)

    with open_book("lamp") as opened, pytest.raises(ValueError, match="the book has secret-1, secret-2") as refused:
        settled(EditSecret(verb="secret_edit", secret="the flame", importance=Importance.HIGH), opened)

    assert "fire" not in str(refused.value)


def keep_secrets(book: BookStorage) -> None:
    """One secret of a book of before, whose id tells it, and one of now."""
    with book.write() as stores:
        stores.codex.add(Secret(id="fire", content="She lit the fire."), Origin.AUTHOR)
        stores.codex.add(Secret(id="secret-2", content="He saw it."), Origin.AUTHOR)


def test_what_is_no_wish_is_asked_back(cli: Cli, book: BookStorage) -> None:
    run = cli("ask", "lamp", "make me a sandwich", "--json")

    assert run.code == 6
    assert json.loads(run.out)["question"].endswith("?")


@pytest.mark.parametrize("words", ["", "   ", "a" * 4_001])
def test_no_words_and_endless_words_are_bad_input(cli: Cli, book: BookStorage, words: str) -> None:
    assert cli("ask", "lamp", words).code == 2


def test_a_call_is_on_the_book_s_record_and_its_state_and_intent_stay(cli: Cli, book: BookStorage) -> None:
    with book.read() as stores:
        before = stores.books.get("lamp")

    cli("ask", "lamp", "how far is it?")
    cli("ask", "lamp", "how far is it?")

    with book.read() as stores:
        after, lines = stores.books.get("lamp"), stores.steps.last(2)
    assert [(line.activity, line.round, line.step, line.role) for line in lines] == [
        ("ask", 1, "chief_editor", "judge"),
        ("ask", 2, "chief_editor", "judge"),
    ]
    assert (after.calls, after.state, after.intent) == (before.calls + 2, before.state, before.intent)
    assert after.lease_owner is None


def test_beside_a_running_book_the_call_is_made_and_said_to_be_on_no_record(cli: Cli, book: BookStorage) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "process 1 on elsewhere", 60)
        stores.books.set_state("lamp", BookState.WRITING)

    run = cli("ask", "lamp", "--yes", "please pause")

    assert "in no journal" in run.err
    assert run.out.startswith("bookwright pause lamp")
    with book.read() as stores:
        now = stores.books.get("lamp")
        assert (now.calls, now.stop_requested, now.lease_owner) == (3, True, "process 1 on elsewhere")
        assert stores.steps.last_round(stores.nodes.root().key, Activity.ASK) == 0


def test_a_budget_that_is_used_up_lets_nothing_be_asked(cli: Cli, book: BookStorage) -> None:
    cli("brief", "lamp", "--set", "budget.tokens=4600")

    run = cli("ask", "lamp", "how far is it?")

    assert run.code == 1
    with book.read() as stores:
        assert stores.books.get("lamp").calls == 3


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (AddSecret(verb="secret_add", content="--yes"), "bookwright secrets add -- lamp --yes"),
        (Revise(verb="revise", node="1.2", note="-x; rm -rf /"), "bookwright revise lamp 1.2 '--note=-x; rm -rf /'"),
        (
            EditThread(verb="foreshadowing_edit", thread="-x", payoff="-y"),
            "bookwright foreshadowing edit --payoff=-y -- lamp -x",
        ),
    ],
)  # fmt: skip
def test_no_value_is_taken_for_an_option(command: AddSecret | Revise | EditThread, line: str) -> None:
    assert typed(arguments_of(command, "lamp")) == line


def test_a_question_is_no_command() -> None:
    with pytest.raises(AssertionError):
        arguments_of(Unclear(verb="unclear", question="What?"), "lamp")


def test_in_a_terminal_a_no_does_nothing(book: BookStorage, home: Path, prefect_forks: Forks) -> None:
    assert _at_terminal(prefect_forks, "n\n", "ask", "lamp", 'change the title to "Other"') == 6

    with book.read() as stores:
        assert stores.books.get("lamp").title == "Night Watch"


def test_a_deletion_agreed_to_is_asked_about_once_more(book: BookStorage, home: Path, prefect_forks: Forks) -> None:
    assert _at_terminal(prefect_forks, "y\nn\n", "ask", "lamp", "--yes", "delete the book") == 2

    with book.read() as stores:
        assert stores.books.find("lamp") is not None


def test_estimate_takes_the_brief_of_a_book_that_is_there(cli: Cli, settings: Settings, book: BookStorage) -> None:
    run = cli("estimate", "--book", "lamp", "--length", "200", "--json")

    assert json.loads(run.out)["length"] == 200
    assert cli("estimate", "brief.toml", "--book", "lamp").code == 2


def _at_terminal(forks: Forks, typed_in: str, *arguments: str) -> int:
    """Run the program at a terminal of its own and return its exit code."""
    ours, theirs = pty.openpty()
    process = forks.begin(["bookwright", *arguments], os.environ, [theirs] * 3)
    os.close(theirs)
    answers = typed_in.splitlines(keepends=True)
    shown = ""
    while select.select([ours], [], [], 60)[0]:
        try:
            shown += os.read(ours, 4_096).decode(errors="replace")
        except OSError:
            break  # its side is closed
        if shown.rstrip().endswith("]:") and answers:
            os.write(ours, answers.pop(0).encode())
            shown = ""
    os.close(ours)
    return process.wait(60)


def test_the_prompt_of_an_ask_can_be_looked_at(cli: Cli, book: BookStorage) -> None:
    cli("ask", "lamp", "how far is it?")
    with book.read() as stores:
        [line] = stores.steps.last(1)

    run = cli("prompt", "lamp", line.id)

    assert run.code == 0
    assert "how far is it?" in run.out
    with book.read() as stores:
        assert stores.documents.latest(DocumentKind.STYLE_GUIDE) is None
