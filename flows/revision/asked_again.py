"""Coming to a recorded step a second time, on a copy of the book as it stood before: nothing is asked or written."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.context.builder import Context
from bookwright.agents.readers import CHOOSE, FIRST_READER, REPAIR, VOICE
from bookwright.agents.steps.desk import Desk
from bookwright.agents.workflows import EXTRACT_DESIGN, LEAK_REVIEW
from bookwright.failpoints import Failpoint
from bookwright.flows import carrying_out
from bookwright.flows.activities import close as closing
from bookwright.flows.activities import condense as condensing
from bookwright.flows.activities import decide as deciding
from bookwright.flows.activities import divide as dividing
from bookwright.flows.activities import extract as extracting
from bookwright.flows.activities import judge as judging
from bookwright.flows.activities import plan as planning
from bookwright.flows.activities import recall as recalling
from bookwright.flows.activities.maintain import maintain
from bookwright.flows.activities.prose import brief as briefing
from bookwright.flows.activities.prose import voicing
from bookwright.flows.activities.prose import write as writing
from bookwright.flows.book_models import fitted_profile, model_of
from bookwright.flows.book_windows import kept_windows
from bookwright.flows.deps import Deps, NoObserver
from bookwright.flows.revision.set_back import DRAFTS, set_back
from bookwright.models.errors import BookPaused, InvalidInput, NodeNotFound
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts import Card
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.repositories.books import BookRepository, Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.steps.queries import AskedStep
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.transfer.past import book_before

_Do = Callable[[TaskNode, int, Deps], None]
_ACTIVITIES: dict[Activity, _Do] = {
    Activity.RECALL: lambda node, number, deps: recalling.recall(node, deps),
    Activity.CONDENSE: lambda node, number, deps: condensing.condense(deps),
    Activity.PLAN: lambda node, number, deps: planning.plan(node, number, deps),
    Activity.DECOMPOSE: lambda node, number, deps: carrying_out.decompose(node, deps),
    Activity.EXECUTE: lambda node, number, deps: carrying_out.execute(node, deps),
    Activity.AGGREGATE: lambda node, number, deps: carrying_out.aggregate(node, deps),
    Activity.DECIDE: lambda node, number, deps: deciding.decide(node, number, deps),
    Activity.DIVIDE: lambda node, number, deps: dividing.divide(node, deps),
    Activity.BRIEF: lambda node, number, deps: briefing.make_brief(node, deps),
    Activity.WRITE: lambda node, number, deps: writing.write(node, deps),
    Activity.CLOSE: lambda node, number, deps: closing.close(node, deps),
    Activity.MAINTAIN: lambda node, number, deps: maintain(node, deps),
    Activity.PUBLISH: lambda node, number, deps: closing.publish(node, deps),
}
"""What is done to a node at a round; a judge is asked about one of its tasks, see `_judge`."""


@dataclass(frozen=True)
class AskedAgain:
    """A step as it would be asked today, of the book as it was."""

    card: Card
    locale: str
    own_part: str
    """The last block of its prompt, from the template as it is today."""


def ask_again(step: AskedStep, storage: BookStorage, settings: Settings) -> AskedAgain:
    """Let the walk's own code come to a step again, and return what it would ask.

    Raises:
        InvalidInput: It does not come there: the node was revised, or the engine or its settings have changed.
    """
    if step.key.activity is Activity.ASK:
        raise InvalidInput(f"step {step.id} is no step of the walk; another wording of it cannot be tried")
    with storage.read() as stores:
        _check_revision(step, stores)
        drafts = stores.steps.drafts_before(step, DRAFTS) if step.key.activity is Activity.WRITE else []
    with book_before(step, storage, settings) as then:
        deps = _deps(step, then, settings)
        set_back(step, drafts, deps)
        try:
            _do(step, deps)
        except _Reached as reached:
            return _asked(step, reached.request, deps)
        except (BookPaused, NodeNotFound) as error:
            raise InvalidInput(f"the walk does not come to step {step.id} any more: {error}") from error
    raise InvalidInput(f"the walk does not ask step {step.id} ({step.key.activity}/{step.key.step}) any more")


def _check_revision(step: AskedStep, stores: Stores) -> None:
    node = stores.nodes.get(step.key.node)
    if node.status is NodeStatus.VOID or node.revision != step.key.revision:
        raise InvalidInput(
            f"step {step.id} belongs to revision {step.key.revision} of {node.name}, which is gone; "
            f"`bookwright log {step.key.book} {node.label}` lists what was asked since"
        )


class _Reached(Exception):
    """The walk came to a step that is not on record."""

    def __init__(self, request: Request) -> None:
        super().__init__(request.name)
        self.request = request


class _Nobody:
    """Is asked, and answers nothing."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> NoReturn:
        """Hand the request to whoever let the walk go."""
        raise _Reached(request)


class _NoContexts:
    """Builds nothing: what the steps of an activity share is on record."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str) -> Context:
        """Return an empty context."""
        return Context(blocks=(), sources=(), stable=0)


def _deps(step: AskedStep, then: BookStorage, settings: Settings) -> Deps:
    """What the walk needs, over the copy: its lease is the copy's, its models are nobody."""
    with then.write(Failpoint.TAKE_LEASE) as stores:
        stores.books.change(then.book, lease_owner=None)
        lease = Lease.take(stores.connection, then.book, "a look back", settings.lease_seconds)
        book = BookRepository(stores.connection).get(then.book)
    brief = book.brief
    settings = kept_windows(book, settings).model_copy(update={"free_megabytes": 0})
    usual = model_of(step.role, brief, settings)
    option = step.model if step.model not in ("", usual) else None
    return Deps(
        storage=then,
        desk=Desk(
            brief=brief,
            profile=fitted_profile(brief, settings, option),
            settings=settings,
            journal=Journal(then, lease),
            models=_Nobody(),
            budget=None,
            contexts=_NoContexts(),
            model_of=lambda role: model_of(role, brief, settings, option),
            listener=lambda name, event: None,
            locale=(brief.prompt_language or brief.language).value,
            count_tokens=partial(TokenCounter().estimate, model_of("writer", brief, settings, option)),
        ),
        observer=NoObserver(),
        embedder=make_embedder(settings),
        blueprint=blueprint_of(brief.blueprint, settings.home) if brief.blueprint else None,
    )


def _do(step: AskedStep, deps: Deps) -> None:
    node = deps.storage.node(step.key.node)
    if step.key.activity is Activity.JUDGE:
        _judge(step, deps)
    elif step.key.activity is Activity.REVIEW:
        _review(step, node, deps)
    elif step.key.step == VOICE.name:
        voicing.make_voice(node, deps)
    elif step.key.step.startswith(f"{REPAIR.name}."):
        closing.close(_closed_by(step, deps), deps)
    else:
        _ACTIVITIES[step.key.activity](node, step.key.round, deps)


def _closed_by(step: AskedStep, deps: Deps) -> TaskNode:
    """The unit at whose close a text was put right: itself, or one above it."""
    with deps.stores() as stores:
        return stores.nodes.by_label(step.key.step.partition(".")[2])


def _review(step: AskedStep, node: TaskNode, deps: Deps) -> None:
    """A text is read while it is written, and again once it stands; a book's designs are read before it is divided."""
    name = step.key.step.partition(".")[0]
    if node.stage:
        (carrying_out.decompose if node.verdict is Verdict.COMPLEX else carrying_out.execute)(node, deps)
        return
    if name == EXTRACT_DESIGN.name:
        extracting.extract_design(node, deps)
    elif name in (LEAK_REVIEW.name, CHOOSE.name, FIRST_READER.name):
        writing.write(node, deps)
    else:
        closing.close(node, deps)


def _judge(step: AskedStep, deps: Deps) -> None:
    with deps.stores() as stores:
        tasks = stores.nodes.children(step.key.node, TaskType(step.key.step))
    asked_of = [task for task in tasks if task.planning_round == step.key.round and task.verdict is None]
    if asked_of:
        judging.judge(asked_of[0], deps)


def _asked(step: AskedStep, request: Request, deps: Deps) -> AskedAgain:
    found = (request.facts["activity"], request.facts["step"])
    if found != (step.key.activity, step.key.step):
        raise InvalidInput(
            f"the walk asks {request.name} where it asked step {step.id}: the engine, the profile or a template "
            "that earlier answers are read by has changed since"
        )
    return AskedAgain(request.facts["card"], deps.desk.locale, request.prompt.blocks[-1])
