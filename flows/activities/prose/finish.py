"""From the last step of a unit's prose to its acceptance: leak review, a human where need be, and length.

Nothing is accepted before it was reviewed, and a draft that was rejected leaves no prose behind. Each
answer is recorded as it comes; which of them is the prose is found anew after every restart.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count

from bookwright.agents.agent import Agent
from bookwright.agents.relay.secrets.kept import Kept
from bookwright.agents.relay.secrets.reviewing import Gapped, is_rejected, judged, round_of_code, without
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check
from bookwright.agents.workflows import IMPROVE, LEAK_REVIEW, LENGTHEN, REVISE_LEAK, evaluates, plans_in_brief
from bookwright.flows import gates
from bookwright.flows.activities.outcomes import accept_prose, both, is_given_up, is_last_try
from bookwright.flows.activities.prose.leak_review import (
    CUT,
    Find,
    LeakPlace,
    advice_in,
    cut_leaks,
    cut_note,
    fills_gaps,
    finder,
    places_of,
    review_card,
    reviewed_move,
    taken_out,
)
from bookwright.flows.activities.prose.repairing import ROUNDS, Mending
from bookwright.flows.activities.unit_facts import begin_activity, depth_at, is_off_length, kept_in, measured
from bookwright.flows.deps import Deps
from bookwright.models.codex.leak import LeakJudgement, LeakRound
from bookwright.models.document import DocumentOrigin
from bookwright.models.errors import NoResult
from bookwright.models.gate import FallbackHistory, Refusal
from bookwright.models.step import Activity
from bookwright.models.text.changes import Changes
from bookwright.models.text.prose import read_insertions
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move

_DONE_WITH = ("draft", "criticism", "carry_over", "reader", "gapped_text", "taken_out", "text")
"""What stood before earlier steps and is not shown to those who mend a length: other states of the same text."""

_LEAST_FILLING = 12
"""What is asked for a gap however little was lost there, in the book's unit of length."""


@dataclass
class UnitFinish:
    """One unit's prose on its way from the last step that wrote it to its acceptance."""

    run: ActivityRun
    deps: Deps
    draft: str = ""
    """The first full draft, by whose length the book's models are known."""
    taken: Callable[[str], Move] | None = None
    """The move that makes a text the unit's prose where a finished one is changed; in the walk `accept` makes it."""
    rounds: list[LeakRound] = field(default_factory=list)
    _cut: list[str] = field(default_factory=list)
    """Sentences that code took out."""
    _last: tuple[ActivityRun, str] | None = None
    """The step whose record carries the acceptance if no later one does."""

    def finish(self, last: Agent, read: Callable[[str], str], check: Check | None = None, *, step: str = "") -> None:
        """Ask the last step, under its own name or another, and bring what it writes to acceptance."""
        answer = self.run.run(last, lambda text: self._settled(read(text)), check=check, step=step)
        self._last = (self.run, step or last.name)
        text = self._reviewed(read(answer.value))
        if text is not None and self._is_off(text):
            self._mend_length(text)

    def recheck(self, text: str) -> None:
        """Review a text that stands against what is kept there now, and take it in as it comes out of that."""
        reviewed = self._reviewed(text)
        if reviewed is not None:
            (self._mend_length if self._is_off(reviewed) else self._accept_late)(reviewed)

    @cached_property
    def kept(self) -> Kept:
        """What readers are not to know yet where the unit stands."""
        return kept_in(self.run.unit, self.deps)

    @property
    def _asks_model(self) -> bool:
        return self.kept.is_hiding and evaluates(self.deps.profile.name)

    def _settled(self, text: str) -> Move | None:
        """The acceptance of a text about which nothing is to be asked any more."""
        if self._asks_model or self._is_off(text):
            return None
        issues = self._found(text)
        return None if is_rejected(issues) else self._accepted(text, [*self.rounds, round_of_code(issues)])

    def _reviewed(self, text: str) -> str | None:
        """Review a text until nothing in it gives anything away; None where a human took it as it is."""
        retries = self.deps.desk.settings.review_retries
        for number in count(1):
            found = self._review(text, number)
            self.rounds.append(found)
            if found.result != "rejected":
                return text
            self.run.guard.note(*(text[issue.start : issue.end] for issue in self._found(text)))
            if number <= retries:
                text = self._repaired(text, found, number)
                continue
            if self.taken is not None or not self.deps.asks_at_gates:
                self._purge(text, found)
                return None
            refusals = (Refusal(reasons=tuple(leak.told for leak in found.leaks)) for found in self.rounds)
            history = FallbackHistory(draft=text, refusals=tuple(refusals))
            ruling = gates.human_fallback(self.run.unit, self.deps, history, number - retries)
            if ruling.is_approved:
                own = DocumentOrigin.STEP if ruling.text == text else DocumentOrigin.AUTHOR
                if own is DocumentOrigin.AUTHOR:  # another text than the one that was refused
                    self.rounds.append(round_of_code(self._found(ruling.text)))
                self._accept_late(ruling.text, ruling.by.value, own)
                return None
            text = self._ordered(text, found, ruling.note, number - retries)
        return None

    def _review(self, text: str, number: int) -> LeakRound:
        """Code first and always; a model only where something is hidden and code has let the text pass."""
        issues = self._found(text)
        found = round_of_code(issues)
        if is_rejected(issues) or not self._asks_model:
            return found
        card = review_card(text, self.run.unit, self.kept, self.deps)
        run = begin_activity(
            Activity.REVIEW, self.run.unit, self.deps, "evaluator", card, round_=self.run.round, next_activity="close"
        )
        run.lead_with("text", text)

        def concluded(judgement: LeakJudgement) -> Move | None:
            after = judged(text, found, judgement, self.kept)
            if after.result == "rejected" or self._is_off(text):
                return None
            return self._accepted(text, [*self.rounds, after])

        name = f"{LEAK_REVIEW.name}.{number}"
        judgement = run.run(LEAK_REVIEW, concluded, step=name, next_step="revise_leak").value
        self._last = (run, name)
        return judged(text, found, judgement, self.kept)

    @cached_property
    def _found(self) -> Find:
        return finder(self.run.unit, self.deps, self.kept)

    def _repaired(self, text: str, found: LeakRound, number: int) -> str:
        """Take out what gives something away, and have the gaps filled by the writer, who is told why but not what."""
        gapped = self._gapped(text, found)
        lost = sum(max(self.deps.brief.language.measure(gap), _LEAST_FILLING) for gap in gapped.lost)
        self.run.card = replace(self.run.card, missing_length=lost, spots=advice_in(found))
        self.run.add("gapped_text", gapped.shown, is_prose=True)
        shown = taken_out(gapped, text, self._places(text, found), self.deps.desk.locale)
        self.run.add("taken_out", shown, is_prose=True)
        name = f"{REVISE_LEAK.name}.{number}"
        check = partial(fills_gaps, self.deps.desk.locale)
        answer = self.run.run(
            REVISE_LEAK, lambda reply: self._settled(gapped.filled(reply)), step=name, check=check,
            next_step="leak_review",
        ).value  # fmt: skip
        self._last = (self.run, name)
        return gapped.filled(answer)

    def _ordered(self, text: str, found: LeakRound, note: str, number: int) -> str:
        """Revise a text under what a human has ordered."""
        self.run.card = measured(replace(self.run.card, spots=(note,)), text, self.run.unit, self.deps)
        self.run.add("text", self._gapped(text, found).shown, is_prose=True)
        name = f"ordered.{number}"
        answer = self.run.run(IMPROVE, self._settled, step=name, next_step="leak_review").value
        self._last = (self.run, name)
        return str(answer)

    def _gapped(self, text: str, found: LeakRound) -> Gapped:
        return without(text, [(place.start, place.end) for place in self._places(text, found)])

    def _places(self, text: str, found: LeakRound) -> list[LeakPlace]:
        return places_of(text, self._found(text), found)

    def _is_off(self, text: str) -> bool:
        return is_off_length(text, self.run.unit, self.run.card.is_last, self.deps)

    def _accepted(
        self, text: str, rounds: list[LeakRound], decided_by: str = "", origin: DocumentOrigin = DocumentOrigin.STEP
    ) -> Move:
        """The move that makes a text the unit's prose, and keeps what was found on its way."""
        accepted = self.taken(text) if self.taken else accept_prose(text, self.run, self.deps, self.draft, origin)
        return both(accepted, reviewed_move(self.run.unit, rounds, decided_by, self._cut))

    def _accept_late(self, text: str, decided_by: str = "", origin: DocumentOrigin = DocumentOrigin.STEP) -> None:
        move = self._accepted(text, self.rounds, decided_by, origin)
        if self._last is None:  # a text that stood already, and nobody was asked about it
            self.deps.desk.journal.move(move)
            return
        run, step = self._last
        run.make_late(step, move)

    def _purge(self, text: str, found: LeakRound) -> None:
        """Take out what was refused to the end, and accept what is left; raise `NoResult` if nothing is."""
        gapped = self._gapped(text, found)
        if not gapped.holds_text:
            named = self.deps.named(self.run.unit)
            raise NoResult(
                f"every sentence of {named} in its new words gives a secret away; the old ones stand",
                f"`bookwright secrets list {self.run.unit.book}` shows what is in force",
            )
        self._cut += gapped.lost
        left = gapped.filled("")
        move = self._accepted(left, self.rounds)
        self.run.by_code(f"{REVISE_LEAK.name}.{CUT}", left, cut_note(gapped.lost), move)

    def _mend_length(self, text: str) -> None:
        """A few bounded steps that add passages, or put shorter ones in the place of others; code does the counting.

        Where no answer can be used, or what it brings gives something away, the text stands as it is.
        """
        for number in range(1, ROUNDS + 1):
            mending = Mending(text, self.run.unit, self.run.card, self.deps, self._found)
            answer = self._mended(mending, number)
            if answer is None:
                break
            new = mending.applied(answer)
            if self._is_mended(new, text, number):
                self._record_cut(answer, new, number)
                return
            text = new
        self._accept_late(text)

    def _mended(self, mending: Mending, number: int) -> str | Changes | None:
        """Ask for what is too much or missing; None where no answer can be used."""
        step = mending.agent.name if number == 1 else f"{mending.agent.name}.{number}"
        if is_given_up(self.run, step):
            return None
        self.run.card = mending.asking
        planned = plans_in_brief(self.deps.profile.name, depth_at(self.run.unit, self.deps))
        self.run.take_away(*_DONE_WITH, *(() if planned else ("plan",)))  # else the brief stands above
        self.run.add("text", mending.shown, is_prose=True)

        def concluded(answer: str | Changes) -> Move | None:
            new = mending.applied(answer)
            if self._telling(answer) or not self._is_mended(new, mending.text, number):
                return None
            return self._accepted(new, self.rounds)

        check = partial(self._problem, step) if mending.agent is LENGTHEN else None
        with suppress(NoResult):  # its attempts are on record
            answer: str | Changes = self.run.run(mending.agent, concluded, step=step, check=check).value
            self._last = (self.run, step)
            return answer
        return None

    def _is_mended(self, new: str, old: str, number: int) -> bool:
        """True if nothing more is to be tried."""
        return number == ROUNDS or new == old or not self._is_off(new)

    def _record_cut(self, answer: str | Changes, new: str, number: int) -> None:
        """Put on record, with the acceptance, what of an addition code has left out."""
        if lost := self._telling(answer):
            self._cut += lost
            step = f"{LENGTHEN.name}.{CUT}" if number == 1 else f"{LENGTHEN.name}.{number}.{CUT}"
            self.run.by_code(step, new, cut_note(lost), self._accepted(new, self.rounds))

    def _problem(self, step: str, answer: str) -> str:
        """Say which sentences of an addition tell too much, while it may still be put right."""
        told = [] if is_last_try(self.run, step) else self._telling(answer)
        return render_problem("adds_too_much", self.deps.desk.locale, places=told) if told else ""

    def _telling(self, answer: str | Changes) -> list[str]:
        """The sentences of an addition that give something away."""
        added = () if isinstance(answer, Changes) else read_insertions(answer)
        return [words for found in added for words in cut_leaks(found.text, self._found)[1]]
