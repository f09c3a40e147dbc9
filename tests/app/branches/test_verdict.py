"""A reader who knows neither text is asked in both orders, on record, and paid once."""

from contextlib import closing

from bookwright.agents.backends.service import ModelService
from bookwright.app.branches.comparing import TextPair
from bookwright.app.branches.verdicts import order_verdict
from bookwright.flows.candidates.judging import ReaderVerdict, ask_reader
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.models.book import BookState
from tests.app.branches.grove import Grove

A, B = "She stayed, and the lamp burned.", "She went, and the lamp went out."


def asked(grove: Grove, book: str) -> ReaderVerdict:
    """Have the first chapter's two texts compared."""
    with closing(ModelService(grove.settings)) as models:
        config = RunConfig(grove.settings, grove.database, models)
        with hold_book(book, config, way_on="the same command") as deps:
            with deps.stores() as stores:
                unit = stores.nodes.by_label("1.4")
            return ask_reader(unit, A, B, deps)


def test_a_verdict_is_two_readings_on_record_and_a_second_one_asks_nobody(grove: Grove, origin: str) -> None:
    calls = grove.book(origin).calls

    first = asked(grove, origin)
    again = asked(grove, origin)

    assert again == first
    assert grove.book(origin).calls == calls + 2
    assert grove.book(origin).state is BookState.FINISHED
    with grove.open(origin).storage.read() as stores:
        prompts = ["\n".join(stores.steps.prompt(line.id)) for line in stores.steps.last(2)]
    assert [prompt.index(A) < prompt.index(B) for prompt in prompts] == [True, False]
    assert len(first.reasons) == 2


def test_what_a_verdict_costs_is_told_before(grove: Grove, origin: str) -> None:
    bill = order_verdict(grove.open(origin), TextPair("1.4", ("a", "b"), A, B)).bill

    assert bill.calls == 2
    assert bill.input_tokens > 0
