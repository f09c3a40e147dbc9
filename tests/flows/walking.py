"""Builds a walk over a scripted model and a database of its own."""

from pathlib import Path
from typing import Any

from bookwright.agents.blueprints.loading import usable_blueprint
from bookwright.agents.steps.desk import Asker, Desk
from bookwright.failpoints import Failpoint
from bookwright.flows.deps import Deps, RunObserver
from bookwright.flows.library import find_or_create
from bookwright.flows.stopping import Limits
from bookwright.models.brief import make_brief
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.settings import load_settings
from bookwright.models.tree.task import TaskNode
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.support.books import new_library
from tests.support.fakes import NoContext


def begin(
    home: Path,
    models: Asker,
    *,
    observer: RunObserver | None = None,
    limits: Limits | None = None,
    owner: str = "the test",
    **brief_values: Any,
) -> tuple[TaskNode, Deps]:
    """Open a library in `home`, take the book of that brief, and return its root and its walk."""
    settings = load_settings(home=home, free_megabytes=0)
    database = new_library(settings)
    values = {
        "premise": "A keeper finds a log that is written in her own hand.",
        "length": 900,
        "profile": "standard",
        "max_planning_rounds": 3,
    }
    brief = make_brief(values | brief_values)
    book = find_or_create(database, brief)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        lease = Lease.take(connection, book.id, owner, settings.lease_seconds)
    storage = BookStorage(database, book.id, brief.language)
    desk = Desk(
        brief=brief,
        profile=PROFILES[brief.profile or ProfileName.STANDARD],
        settings=settings,
        journal=Journal(storage, lease),
        models=models,
        budget=None,
        contexts=NoContext(),
        model_of=lambda role: f"scripted:{role}",
        listener=lambda name, event: None,
        count_tokens=lambda text: -(-len(text) // 3),
    )
    blueprint = usable_blueprint(brief.blueprint, home) if brief.blueprint else None
    deps = Deps(storage, desk, observer or RunObserver(), limits or Limits(), blueprint=blueprint)
    with deps.stores() as stores:
        return stores.nodes.root(), deps
