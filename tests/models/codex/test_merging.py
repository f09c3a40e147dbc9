"""Two entries that mean one."""

import pytest

from bookwright.models.codex.entries import CodexEntry, Secret, Section
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.merging import pointing_at, united
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import ReadingOrder

READING = ReadingOrder(chapters=("1.1", "1.2", "1.3"))
MIRA = CodexEntry(
    id="mira", kind="character", name="Mira", aliases=("米拉",),
    phases=({"name": "girl"}, {"name": "queen", "begins": 3}),
    sections=(Section(name="look", text="Tall."), Section(name="past", text="A thief.", visibility=2, known_from=2)),
)  # fmt: skip
STRANGER = CodexEntry(
    id="stranger", kind="character", name="The Stranger", aliases=("mira",), phases=({"name": "exile", "begins": 2},),
    sections=(Section(name="Past", text="An heir.", visibility=0, forbidden_keywords=("heir",)),
              Section(name="fear", text="Water.", phase="exile")),
)  # fmt: skip


def test_nothing_of_either_is_lost_and_nothing_comes_out():
    whole = united(MIRA, STRANGER, READING)

    assert (whole.id, whole.names) == ("mira", ("Mira", "米拉", "The Stranger"))
    assert [phase.name for phase in whole.phases] == ["girl", "exile", "queen"]
    past = whole.sections[1]
    assert (past.name, past.text, int(past.visibility)) == ("past", "A thief.\n\nAn heir.", 0)
    assert str(past.known_from) == "chapter 2"
    assert past.forbidden_keywords == ("heir",)
    assert [section.name for section in whole.sections] == ["look", "past", "fear"]


@pytest.mark.parametrize("other", [MIRA, CodexEntry(id="quay", kind="world", name="The quay")])
def test_an_entry_is_not_put_into_itself_nor_into_one_of_another_kind(other):
    with pytest.raises(InvalidEntry):
        united(MIRA, other, READING)


def test_what_names_the_one_that_goes_by_its_id_names_the_other():
    secret = Secret(id="s", content="She is the heir.", related_entity="stranger")
    thread = Foreshadowing(id="t", title="Ring", related={"characters": ["stranger", "Bo"]})

    assert pointing_at(secret, STRANGER, MIRA).related_entity == "mira"
    assert pointing_at(thread, STRANGER, MIRA).related.characters == ("mira", "Bo")
