"""Condensing, once, what every prompt needs and has no room for: the premise and the book's design."""

from dataclasses import replace
from functools import partial

from bookwright.agents.context.retrieval_cache import name_of, room_of
from bookwright.agents.workflows import CONDENSE
from bookwright.flows.activities.unit_facts import begin_activity, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.text.binding import binding_lines, lost_lines, without_releases
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import render_problem

_TOKENS_A_UNIT = {Language.EN: 1.6, Language.ZH: 1.2, Language.JA: 1.2, Language.KO: 1.2}
_LEAST_ROOM = 100
"""Tokens; in less than that no model says anything that code could not cut."""


def condense(deps: Deps) -> None:
    """Have a model condense the premise and the book's design where they do not fit; each text once."""
    if not deps.profile.condenses or room_of(deps.profile) < _LEAST_ROOM:
        return
    with deps.stores() as stores:
        book = stores.nodes.root()
        design = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    for text in (deps.brief.premise, design.text if design else ""):
        if deps.desk.count_tokens(text) > room_of(deps.profile):
            _condense(book, text, deps)


def _condense(book: TaskNode, text: str, deps: Deps) -> None:
    length = round(room_of(deps.profile) / _TOKENS_A_UNIT[deps.brief.language])
    binding = "\n".join(binding_lines(text))
    # lines that bind and would not fit by themselves can be asked of no model
    check = partial(what_is_lost, deps.desk.locale, text) if deps.brief.language.measure(binding) <= length else None
    card = replace(unit_card(book, deps), condense_to=length)
    run = begin_activity(Activity.CONDENSE, book, deps, CONDENSE.context, card)
    run.add("text", text)
    name = name_of(text, deps.profile)
    if run.is_done(name) or run.failures(name) > deps.desk.settings.max_repairs:
        return

    def ask() -> None:
        run.run(CONDENSE, step=name, check=check)

    try:
        deps.observer.run(Activity.CONDENSE, book, ask)
    except (NoResult, RequestRejected):
        return  # Code cuts the text then; the attempts are on record.


def what_is_lost(locale: str, before: str, after: str) -> str:
    """Say which binding lines a condensed text drops; empty if none. Nothing is released here."""
    lost = lost_lines(before, without_releases(after))
    return render_problem("lost_lines_condensed", locale, lines="\n".join(lost)) if lost else ""
