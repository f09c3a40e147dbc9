"""How a book reads: `report` on its quality, as one page or as Markdown; `style`, and how far chapters lie from it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bookwright.agents.relay.figures.style import drift, profile_of
from bookwright.agents.relay.style_guide import guide_of_chapters, guide_of_sample, keep_guide, kept_guide
from bookwright.app.access import OpenBook, at_rest
from bookwright.app.orders.briefs import check_sample, read_sample
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, Output
from bookwright.cli.output import emit, note, print_table, print_text
from bookwright.exports.files import export_path, place, write_whole
from bookwright.exports.manuscript import chapter_texts, first_chapters
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput, InvalidSetting
from bookwright.models.text.figures import StyleGuide
from bookwright.prompts.render import render_part
from bookwright.storage.files.privacy import share
from bookwright.storage.stores import BookStorage

_MOVED = 3


def report(
    book: BookArgument,
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="html or md; by the file's ending if not given, or html.")
    ] = None,
    output: Output = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Measure drift from this text, not from the book's own style.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report on a book: length, rhythm, repetition, stock phrases, names, style, scores, threads, costs."""
    from bookwright.exports.report.book_report import report_of
    from bookwright.exports.report.layout import LAYOUTS, laid_out  # not for every verb: figures bring numpy along

    ending = Path(output).suffix[1:].lower() if output else ""
    to = to or (ending if ending in LAYOUTS else "html")
    if to not in LAYOUTS:
        raise InvalidSetting(f"no report format is called {to!r}; formats are {', '.join(LAYOUTS)}")
    text = read_sample(sample) if sample else ""
    with open_book(book) as opened:
        found = report_of(opened.storage, opened.settings, text)
        name = f"{opened.book.id}-report"
        path = place(output, name, to) if output else export_path(name, to, opened.settings)
        write_whole(laid_out(found, to), path)
        if output:
            share(path)
    facts = {"file": str(path), "report": found.model_dump(mode="json")}
    emit(lambda: facts, lambda: print_text(str(path)), as_json=as_json)


def style(
    book: BookArgument,
    sample: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep to the style of this text from now on.")
    ] = None,
    chapters: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Keep to the style of the first N chapters from now on.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the style that a book keeps to and how far each chapter lies from it, or set it while the book rests."""
    if sample is not None and chapters is not None:
        raise InvalidInput("the style comes from --sample or from --chapters, not from both")
    text = read_sample(sample) if sample else ""
    with open_book(book) as opened:
        if text or chapters:
            _keep(opened, text, chapters or 1)
        facts = _facts(opened)
    emit(lambda: facts, lambda: _print(facts), as_json=as_json)


def _keep(opened: OpenBook, text: str, count: int) -> None:
    """Keep the style of a sample, or of the first chapters where there is none."""
    brief = opened.book.brief
    if text:
        check_sample(text, brief.language)
        guide = guide_of_sample(text, brief)
    else:
        texts = first_chapters(opened.storage, count)
        if len(texts) < count:
            raise InvalidInput(f"book {opened.book.id!r} has {len(texts)} written chapters, not {count}")
        guide = guide_of_chapters(texts, brief)
    with at_rest(opened.storage) as stores:
        kept = keep_guide(guide, brief, stores, DocumentOrigin.AUTHOR)
    note(f"{opened.book.id} keeps to this style from now on (version {kept.version} of its style guide)")


def _facts(opened: OpenBook) -> dict[str, Any]:
    brief, storage = opened.book.brief, opened.storage
    with storage.read() as stores:
        root = stores.nodes.root()
        kept = kept_guide(stores)
        document = stores.documents.current(root.key, DocumentKind.STYLE_GUIDE, with_text=False)
    if kept is None and not root.written:
        raise InvalidInput(f"nothing of book {opened.book.id!r} is written yet; --sample FILE gives it a style")
    guide = kept or guide_of_chapters(first_chapters(storage), brief)
    return {
        "book": opened.book.id,
        "is_kept": kept is not None,
        "version": document.version if kept and document else None,
        "source": guide.source.value,
        "chapters": guide.chapters,
        "guide": render_part("story/_style_page", guide=guide),
        "profile": guide.profile.model_dump(mode="json"),
        "drift": _drift(storage, guide),
    }


def _drift(storage: BookStorage, guide: StyleGuide) -> list[dict[str, Any]]:
    """How far each chapter lies from the style; nothing of those that it was measured of."""
    lines = []
    for number, (chapter, text) in enumerate(chapter_texts(storage), 1):
        line: dict[str, Any] = {"number": number, "node": chapter.unit.label, "heading": chapter.heading}
        if number > guide.chapters:
            moved = drift(profile_of([text], storage.language), guide.profile)
            line |= {"overall": moved.overall, "parts": moved.parts, "moved": moved.moved}
        lines.append(line)
    return lines


def _print(facts: dict[str, Any]) -> None:
    first = f"the first {facts['chapters']} chapters" if facts["chapters"] > 1 else "the first chapter"
    source = "a sample" if facts["source"] == "sample" else first
    print_text(f"The style of {source}" + (f", version {facts['version']}:" if facts["is_kept"] else ":"))
    print_text(facts["guide"])
    if not facts["is_kept"]:
        note("no writer is told of it yet; --chapters N or --sample FILE keeps one")
    if facts["drift"]:
        print_text("")
        rows = list(map(_drift_row, facts["drift"]))
        print_table(("chapter", "node", "heading", "drift", "moved most"), rows, right=("chapter", "drift"))


def _drift_row(line: dict[str, Any]) -> list[str]:
    moved = f"{line['overall']:.2f}" if "overall" in line else "-"
    return [str(line["number"]), line["node"], line["heading"], moved, ", ".join(line.get("moved", [])[:_MOVED])]
