"""Records of the codex changed by hand in a book's folder: laid together line by line, or shown where they conflict."""

from bookwright.models.codex.record import RecordKind
from tests.support.vaults import a_copied_vault, change, outcomes, sync

PERSON = "worldview/characters/mira.toml"


def test_a_record_is_taken_in_and_laid_together_line_by_line(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, PERSON, "At sea.", "On land.")
    with vault.storage.write() as stores:
        found = stores.codex.get(RecordKind.ENTRY, "mira")
        stores.codex.edit(found.record.model_copy(update={"aliases": ("Mi",)}), 1, found.origin)

    assert outcomes(sync(vault, tmp_path)) == {PERSON: "merged"}

    with vault.storage.read() as stores:
        record = stores.codex.get(RecordKind.ENTRY, "mira").record
    assert (record.aliases, record.sections[0].text) == (("Mi",), "On land.")


def test_a_line_of_a_record_that_both_changed_stands_between_marks_until_it_is_settled(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, PERSON, "At sea.", "On land.")
    with vault.storage.write() as stores:
        found = stores.codex.get(RecordKind.ENTRY, "mira")
        (section,) = found.record.sections
        sections = (section.model_copy(update={"text": "In port."}),)
        stores.codex.edit(found.record.model_copy(update={"sections": sections}), 1, found.origin)

    plan = sync(vault, tmp_path)

    conflict = vault.folder.root / PERSON.replace(".toml", ".conflict.toml")
    text = conflict.read_text("utf-8")
    start, end = text.index("<<<<<<<"), text.index("\n", text.index(">>>>>>>")) + 1
    assert outcomes(plan) == {PERSON: "conflict"}
    assert text.startswith("# entry mira, version 2\n")
    assert text.index("On land.", start, end) < text.index("In port.", start, end)
    mine = next(line for line in text[start:end].splitlines() if "On land." in line)
    conflict.write_text(f"{text[:start]}{mine}\n{text[end:]}", "utf-8")
    assert outcomes(sync(vault, tmp_path)) == {PERSON: "taken"}
    with vault.storage.read() as stores:
        assert stores.codex.get(RecordKind.ENTRY, "mira").record.sections[0].text == "On land."
    assert not conflict.exists()
