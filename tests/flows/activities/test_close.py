"""Closing a unit: what whoever sums it up is shown."""

from pathlib import Path

from bookwright.models.document import DocumentKind
from tests.flows.activities.told import Told


def test_the_books_summary_is_shown_what_was_repaired_after_its_chapters_were_summed_up(tmp_path: Path) -> None:
    told = Told(tmp_path, length=6_000, profile="economy", max_unit_length=2_000)
    [asked] = told.prompts("1 close/summary")
    repaired = [request.name.partition(" ")[0] for request in told.requests if "/repair" in request.name]
    with told.storage.read() as stores:
        chapters = stores.nodes.child_units(stores.nodes.root().key)
        pages = {own.label: stores.documents.versions(own.key, DocumentKind.PROSE) for own in chapters}
        texts = [[stores.documents.text_of(page).split("\n\n") for page in pages[label][-2:]] for label in repaired]
    told.close()

    assert repaired
    for label, (then, now) in zip(repaired, texts, strict=True):
        struck, written = [f"- {one}" for one in then if one not in now], [f"+ {one}" for one in now if one not in then]
        assert struck
        assert written
        assert "\n\n".join((f"<amended>\n[{label}]", *struck, *written)) + "\n</amended>" in asked
    assert asked.count("</amended>") == len(repaired)
