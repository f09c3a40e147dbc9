"""A step of the journal asked again with an edited prompt: its bill first, then the answer, kept as a step of its own.

The book does not change by it: the answer stands in the journal beside the old one, and nowhere else.
"""

from dataclasses import dataclass

from bookwright.agents.backends.endpoints import check_model
from bookwright.agents.backends.protocol import Prompt, Request, Sampling
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook, paced_models
from bookwright.app.estimates.bill import Confirmable
from bookwright.flows.book_models import model_of
from bookwright.flows.open_book import side_call
from bookwright.models.errors import InvalidInput
from bookwright.models.model_name import ROLES
from bookwright.models.step import Activity
from bookwright.models.text.plain import plain
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.pages import StepFilter
from bookwright.storage.steps.queries import NO_LONGER_KEPT, StepLine
from bookwright.storage.stores import Stores

_NAME = "again."
"""Begins the name of a step that asks another one again; the other's number follows."""

_LOOKED_BACK = 500
_LEAST_ANSWER, _ROOM = 1_000, 2
"""An answer may be this many times as long as the old one, and has this many tokens at least."""
_TEMPERATURE = 0.7


@dataclass(frozen=True)
class AgainBill(Confirmable):
    """What is to be asked again, with what it takes."""

    subject = "The prompt"

    step: StepLine
    blocks: tuple[str, ...]
    """The prompt, the system frame first; the last block is the author's."""
    model: str
    input_tokens: int
    most_output_tokens: int
    most_micros: int | None
    """Millionths of a US dollar at the most; None where no price is known."""

    def shown(self) -> tuple[object, ...]:
        """Return the words and what they take."""
        return self.step.id, self.blocks[-1], self.model, self.most_output_tokens, self.most_micros


@dataclass(frozen=True)
class AnotherAnswer:
    """What was answered to the edited prompt."""

    text: str
    cost: int | None
    holder: str
    """Who wrote the book meanwhile, so that the answer is on no record; empty where it is."""


def again_bill(opened: OpenBook, number: int, words: str) -> AgainBill:
    """Return what asking a step again with other words in the place of its own part would take.

    Raises:
        NodeNotFound: There is no such step.
        InvalidInput: Nobody was asked there, its prompt is no longer kept, or there are no words.
    """
    with opened.storage.read() as stores:
        step, blocks = stores.step_pages.line(number), stores.steps.prompt(number)
    own = plain(words).strip()
    if not own:
        raise InvalidInput("Without a word there is nothing to ask.")
    if step.role not in ROLES or not blocks:
        raise InvalidInput("No model was asked at this step.")
    if NO_LONGER_KEPT in blocks:
        raise InvalidInput("The prompt of this step is no longer kept.")
    model = model_of(step.role, opened.book.brief, opened.settings)
    check_model(model, opened.settings)
    asked = (*blocks[:-1], own)
    size = TokenCounter().estimate(model, *asked)
    most = max(step.output_tokens * _ROOM, _LEAST_ANSWER)
    return AgainBill(step, asked, model, size, most, prices.worst_cost(model, size, most, opened.settings))


def ask_again(opened: OpenBook, wanted: AgainBill) -> AnotherAnswer:
    """Ask, and keep the answer in the journal as a step of its own.

    Raises:
        BackendError: Nothing was delivered.
        BudgetExceeded: The book's cap leaves too little; nothing was asked.
    """
    database, settings = opened.storage.database, opened.settings
    with paced_models(database, settings) as models, side_call(opened.storage, settings, models.cancel) as call:
        key = call.key.model_copy(update={"step": f"{_NAME}{wanted.step.id}"})
        request = Request(
            model=wanted.model, role=wanted.step.role, name=f"{wanted.step.label} {key.activity}/{key.step}",
            prompt=Prompt(wanted.blocks[0], wanted.blocks[1:]),
            sampling=Sampling(_TEMPERATURE, wanted.most_output_tokens, key.round), cache_key=opened.book.id,
            facts={"template": wanted.step.template, "attempt": 1},
        )  # fmt: skip
        reply = models.ask(request, call.budget)
        call.keep(Attempt(key, 1, wanted.step.role, wanted.step.template, wanted.blocks, reply, None, "", True))
        return AnotherAnswer(plain(reply.text), reply.cost, call.holder)


def other_answers(stores: Stores, number: int) -> list[tuple[StepLine, str]]:
    """Return the steps that asked a step again, newest first, each with its answer."""
    asked = stores.step_pages.page(StepFilter(Activity.ASK), limit=_LOOKED_BACK)
    return [(line, stores.steps.reply(line.id)) for line in asked if line.step == f"{_NAME}{number}"]
