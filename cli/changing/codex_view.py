"""`codex seen`, as it is printed."""

from typing import Any

from bookwright.agents.relay.threads.instructions import ForeshadowAction
from bookwright.app.records.codex_view import CodexView
from bookwright.cli.output import print_text


def print_view(view: CodexView) -> None:
    """Print what the writer gets, then what only the reviewer does."""
    print_text(f"{view.scene}, {view.phase} of the book" if view.phase else view.scene)
    for entry in view.codex.entries:
        print_text(f"{entry.kind} {entry.name}" + (f" ({entry.phase})" if entry.phase else ""))
        for section in entry.sections:
            print_text(f"  {section.name}{' (before)' if section.is_history else ''}: {section.text}")
    _group("to come out here", [reveal.content for reveal in view.reveals])
    _group("told by now", [fact.text for fact in view.codex.facts])
    _group("only to hint at", [f"{known.id}: {known.content} ({known.band.name})" for known in view.codex.restricted])
    _group("something is left out of", [notice.about or notice.source for notice in view.codex.notices])
    orders = [order for order in view.instructions if order.action is not ForeshadowAction.NONE]
    _group("to be done", [f"{own.action} {own.foreshadowing_id}: {own.payoff or own.note}" for own in orders])
    _group("not to be written", view.keywords.shown)
    _group("kept from the writer", view.codex.excluded_sections)
    _group("not there yet", view.missing)
    _group("looked for by the reviewer", view.keywords.all)


def _group(title: str, lines: Any) -> None:
    if lines:
        print_text(f"{title}:")
        for line in lines:
            print_text(f"  {line}")
