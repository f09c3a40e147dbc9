"""Pictures of every page for docs/studio, taken of books made for that: `python -m tests.studio.screens FOLDER`."""

import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.models.book import BookState
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret, Section
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.edit import Anchor
from bookwright.models.gate import GateKind
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.story.quality import QualityReport, Scores
from bookwright.models.story.state import GlobalState, Promise, Relation
from bookwright.models.story_time.times import StoryTime
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores
from tests.cli.shelf import attempt
from tests.places import ROOT
from tests.studio.browsing import SharedStudio, shared_studio
from tests.studio.palette import small_png
from tests.studio.screen_branches import BRANCH_PAGES, branch_off
from tests.support.books import finish, make_book, make_settings
from tests.support.forks import listening

TITLES = ("The Peg", "Fourteen Minutes", "A Man to the Radiator", "Dermot", "The Slow Ones")
WHEN = ("October", "November", "last Lent", "December", "the concert")
PAGES = {
    "shelf": "/", "inbox": "/inbox", "new": "/new", "import": "/import", "pool": "/pool", "help": "/help",
    "desk": "", "contents": "/read", "read": "/read/1.2", "edit": "/edit/1.2?kind=prose", "history": "/history/1.1",
    "order": "/brief", "codex": "/codex", "threads": "/threads", "story": "/story", "stale": "/stale",
    "journal": "/journal", "step": "/journal/4", "exports": "/exports", "talk": "/talk", **BRANCH_PAGES,
}  # fmt: skip
OF_ALL = ("shelf", "inbox", "new", "import", "pool", "help")
HEIGHTS = {"story": 2_000, "branches": 1_300, "compare": 1_100}
"""Of pages of which more than the first screen is worth a picture."""


def main(folder: Path) -> None:
    """Take the pictures."""
    with TemporaryDirectory(prefix="bookwright-screens-") as temporary:
        home = Path(temporary) / "books"
        fill(make_settings(home))
        with listening(), shared_studio(home) as shared:
            _first_talk(shared)
            for width, height in ((1280, 800), (390, 780)):
                _take(shared, folder, width, height)


def fill(settings: Settings) -> None:
    """Make the shelf: a book in hand with all that pages show, and others of other languages."""
    _in_hand(settings)
    fog = [{"level": "chapter", "title": "霧", "text": KIRI}, {"level": "chapter", "title": "灯"}]
    japanese = make_book(
        settings, fog, identity="kiri", language="ja", title="一隻多い", length=200,
        premise="灯台守が船を一隻多く数える。",
    )  # fmt: skip
    with japanese.write() as stores:
        stores.books.set_state("kiri", BookState.PAUSED, "reached chapter 1")
    chinese = make_book(
        settings, [{"level": "chapter", "title": "早一分钟", "text": ZAO}], identity="zao", language="zh",
        premise="一个总是早到一分钟的人。", title="早一分钟的人", length=100, genre="悬疑",
    )  # fmt: skip
    finish(chinese)


def _in_hand(settings: Settings) -> None:
    texts = _texts()
    chapters = [{"level": "chapter", "title": title, "text": text} for title, text in zip(TITLES, texts, strict=True)]
    book = make_book(
        settings, [*chapters, {"level": "chapter", "title": "Sit Down"}], identity="dermot", title="Sit Down, Dermot",
        premise="The treasurer of a church choir, who cannot sing, has to tell why the choir's money is gone.",
        genre="comic story", pen_name="M. Toomey", length=4_000, budget={"usd": 15},
    )  # fmt: skip
    with book.write() as stores:
        for number, text in enumerate(texts, 1):
            _look_back(stores, number, text)
        _know(stores)
        first, second = stores.nodes.by_label("1.1"), stores.nodes.by_label("1.2")
        quote = texts[1].split(".")[0].split("\n")[-1].strip()[:60]
        stores.comments.add(second.key, Anchor(quote=quote), "Is this the first time that we hear of it?")
        own = texts[0].replace("drunk", "merry", 1).replace("a lad with a laptop", "a boy with a machine", 1)
        author = DocumentOrigin.AUTHOR
        stores.documents.add(NewDocument(node=first.key, kind=DocumentKind.PROSE, text=own, origin=author), None)
    _journal(book)
    branch_off(book, settings)
    with book.write() as stores:
        stores.gates.open(stores.nodes.by_label("1.5"), GateKind.CHAPTER)
        stores.books.set_state("dermot", BookState.WAITING)


def _look_back(stores: Stores, number: int, text: str) -> None:
    node = stores.nodes.by_label(f"1.{number}")
    base = 0.58 + 0.06 * number - (0.12 if number == 3 else 0)
    values = dict.fromkeys(Scores.model_fields, round(base, 2)) | {"emotional_resonance": round(base - 0.1, 2)}
    report = QualityReport(unit=node.label, scores=Scores(**values))
    quality = NewDocument(
        node=node.key, kind=DocumentKind.QUALITY, text="Judged.", data=report.model_dump_json(exclude_defaults=True)
    )
    told = text.split("\n\n")[0]
    prose = stores.documents.current(node.key, DocumentKind.PROSE)
    assert prose is not None
    for document in (quality, NewDocument(node=node.key, kind=DocumentKind.SUMMARY, text=told, inputs=(prose.id,))):
        stores.documents.add(document, None)
    stores.nodes.change(
        node.key, story_time=StoryTime(when=WHEN[number - 1]), length=len(text.split()) + 12 * (-1) ** number
    )


def _know(stores: Stores) -> None:
    for name, about in (
        ("Mrs Toomey", "Treasurer for nineteen years. Has no ear, so she mimes."),
        ("Mr Ormerod", "Conducts. Had been a deputy head and did not like anything."),
        ("Dermot", "Sings bass, and stands up when nobody asked."),
    ):
        entry = CodexEntry(
            id=name.lower().replace(" ", "-"), kind=EntryKind.CHARACTER, name=name,
            sections=(Section(name="about", text=about),),
        )  # fmt: skip
        stores.codex.add(entry, Origin.AUTHOR)
    stores.codex.add(
        Secret(id="s1", content="She has never sung a note in the choir.", revealed_at="1.6"), Origin.AUTHOR
    )
    for name, seed, payoff, again in (
        ("The radiator that whines", "1.1", "1.6", ("1.3",)), ("The peg in the mouth", "1.1", "1.4", ()),
        ("Eleven thousand pounds", "1.2", "1.6", ("1.3", "1.4")),
    ):  # fmt: skip
        thread = Foreshadowing.model_validate(
            {"id": name.split()[1], "title": name, "status": "planted", "seed": {"content": name, "planned_at": seed},
             "payoff": {"planned_at": payoff}, "timeline": {"reinforce_at": again, "events": [
                 {"type": "plant", "place": seed}, *({"type": "reinforce", "place": one} for one in again)]}}
        )  # fmt: skip
        stores.codex.add(thread, Origin.AUTHOR)
    state = GlobalState(
        aim="Mrs Toomey wants it told by herself before the Co-op tells it.",
        conflict="Whoever hears it out will know that she cannot sing.",
        promises=(Promise(promise="Why the heating is not heating", due="chapter 6"),),
        relations=(Relation(who="Mrs Toomey", to="Mr Ormerod", now="He thinks her the only true voice he has."),),
    )  # fmt: skip
    root = stores.nodes.root()
    data = state.model_dump_json(exclude_defaults=True)
    stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.GLOBAL_STATE, text="As told.", data=data), None)


def _journal(book: BookStorage) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, book.book, "the pictures", 60)
        nodes = [stores.nodes.by_label(f"1.{number}") for number in range(1, len(TITLES) + 1)]
    journal = Journal(book, lease)
    for node in nodes:
        for activity, step in ((Activity.BRIEF, "brief"), (Activity.WRITE, "draft"), (Activity.CLOSE, "evaluate")):
            journal.record(attempt(node, step, f"{step} of {node.title}.", activity), intent=f"{node.label} {step}")
    with book.write() as stores:
        lease.release(stores.connection)


def _texts() -> list[str]:
    """Return the example as five chapters of about one length."""
    lines = (ROOT / "examples" / "sit-down-dermot.md").read_text("utf-8").split("\n\n")
    paragraphs = [line.strip() for line in lines if line.strip() and not line.startswith(("#", "<!--"))]
    share = len(paragraphs) / len(TITLES)
    cuts = [round(share * number) for number in range(len(TITLES) + 1)]
    return ["\n\n".join(paragraphs[begin:end]) for begin, end in pairwise(cuts)]


def _first_talk(shared: SharedStudio) -> None:
    with shared.visiting() as visit:
        page = visit.tab("/books/dermot/talk")
        page.get_by_label("Your words").fill("Does Mr Ormerod suspect her?")
        page.get_by_role("button", name="Say it").click()
        page.get_by_text("tokens").wait_for()


def _take(shared: SharedStudio, folder: Path, width: int, height: int) -> None:
    with shared.visiting(viewport={"width": width, "height": height}) as visit:
        table = visit.context.new_page()
        for name, path in PAGES.items():
            page = visit.tab(path if name in OF_ALL else f"/books/dermot{path}")
            if name == "talk":
                page.locator("main li a").first.click()
            page.wait_for_timeout(400)
            page.evaluate(HIDE, str(shared.home.parent))
            if name == "compare":
                page.locator("#figures").wait_for()
            if name in HEIGHTS:
                page.set_viewport_size({"width": width, "height": HEIGHTS[name]})
            (folder / f"{name}-{width}.png").write_bytes(small_png(table, page.screenshot()))
            page.close()
        page = visit.tab("/books/kiri/read/1.1?vertical=1")
        page.wait_for_timeout(300)
        (folder / f"vertical-{width}.png").write_bytes(small_png(table, page.screenshot()))


HIDE = """(folder) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) node.data = node.data.replaceAll(folder, "~");
}"""
"""Whose folder it is, is nobody's business."""

KIRI = "\n\n".join((
    "霧は夜明け前に来た。", "数えると、船は一隻多かった。昨夜は六隻、その前の夜も六隻であった。",
    "「七隻」と彼は言った。返事をする者はいない。灯は消えていた。",
    "彼は帳面を開き、七と書いてから、しばらくその字を見ていた。",
))  # fmt: skip
ZAO = "他总是早到一分钟。\n\n那天站台上没有人，钟也没有走。他等了一分钟，车没有来。\n\n后来他才明白，早的不是他。"

if __name__ == "__main__":
    main(Path(sys.argv[1]))
