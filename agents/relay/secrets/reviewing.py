"""What a draft is reviewed against at its place, what is said of it, and how leaks are taken out of it.

Whole sentences are taken out, numbered gaps stay, and somebody else fills them: what gave something away is in no
prompt that writes prose, so nobody is asked to say it otherwise.
Source: DESIGN section 10, item 4; DETAILS "Leak checks and thresholds".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.codex_texts import CodexText
from bookwright.agents.relay.leaks.check import Free, LeakIssue, check_draft, likeliest, verdict_of
from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.units import sentences_of
from bookwright.agents.relay.secrets.kept import Kept
from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.leak import Leak, LeakJudgement, LeakRound, Suspicion
from bookwright.models.text.language import Language
from bookwright.prompts.card import KeptCard
from bookwright.storage.index.embedding import Embedder

_REJECTING = ("critical", "warning")
_SUSPECTS = 6
"""Sentences at most that the reviewing model is pointed at."""
_SUSPECTS_A_SECRET = 2

_FILLING = re.compile(r"^[ \t]*@gap[ \t]+(\d{1,4})[ \t]*$", re.MULTILINE)

Span = tuple[int, int]


def review_by_code(draft: str, kept: Kept, language: Language, embedder: Embedder) -> list[LeakIssue]:
    """Run every check; without anything kept nothing is done."""
    if not (kept.is_hiding or kept.words):
        return []
    return list(check_draft(draft, kept.secrets, kept.settings, kept.words, language, embedder, kept.public))


def kept_cards(kept: Kept) -> tuple[KeptCard, ...]:
    """Return what is kept as the reviewing model reads it: how much may be felt, how finely, and in which words.

    A secret has a number there: its id may say what it is, and a model's advice goes to the writer.
    """
    secrets = (_card(str(number), piece, piece.about) for number, piece in enumerate(kept.off_page, 1))
    return (*secrets, *(_card("", piece, f"{name}, {piece.name}") for name, piece in kept.off_page_sections))


def _card(number: str, piece: CodexText, about: str) -> KeptCard:
    is_hinted = piece.level >= Visibility.KNOW
    return KeptCard(
        number, piece.text, is_hinted, piece.allowed, piece.forbidden, piece.level is Visibility.AWARE,
        piece.subtlety if is_hinted else 0, about,
    )  # fmt: skip


def round_of_code(issues: Iterable[LeakIssue]) -> LeakRound:
    """What the checks found, as it is kept."""
    found = list(issues)
    leaks = tuple(
        Leak(
            found_by="code", kind=issue.kind.value, severity=issue.severity.value, excerpt=issue.excerpt,
            detail=issue.detail, suggestion=issue.suggestion, secret=issue.secret,
        )
        for issue in found
    )  # fmt: skip
    return LeakRound(result=verdict_of(found), leaks=leaks)


def is_rejected(issues: Iterable[LeakIssue]) -> bool:
    """Whether the checks alone reject a draft; no model is asked about it then."""
    return verdict_of(list(issues)) == "rejected"


def judged(draft: str, found: LeakRound, judgement: LeakJudgement, kept: Kept) -> LeakRound:
    """Add a model's judgement to what the checks found.

    A suspicion counts where its words stand in the draft and say anything beside what is public there, and a
    rejection where one of weight does: what cannot be found can be neither checked nor put right.
    """
    free = Free(fold(draft), kept.secrets, kept.public)
    places = ((issue, span_of(draft, issue.location)) for issue in judgement.issues)
    located = [issue for issue, place in places if place is not None and not free.says_nothing(place)]
    leaks = (*found.leaks, *(_of_suspicion(issue, kept) for issue in located))
    if judgement.result == "rejected" and any(issue.severity in _REJECTING for issue in located):
        return LeakRound(result="rejected", leaks=leaks)
    is_clean = judgement.result == "approved" and not leaks
    return LeakRound(result="approved" if is_clean else "warning", leaks=leaks)


def span_of(draft: str, quotation: str) -> tuple[int, int] | None:
    """Return where a quotation stands in a draft, whatever its width, case, spaces and signs; None if nowhere."""
    wanted = fold(quotation.strip(' …"“”‘’「」『』')).letters
    text = fold(draft)
    start = text.letters.find(wanted) if wanted else -1
    return None if start < 0 else text.span(start, start + len(wanted))


def pointed_at(draft: str, kept: Kept, language: Language, embedder: Embedder) -> tuple[str, ...]:
    """Return the sentences that come nearest to what is kept, in the order of the draft."""
    places = likeliest(draft, kept.secrets, language, embedder, _SUSPECTS, _SUSPECTS_A_SECRET)
    return tuple(" ".join(draft[start:end].split()) for start, end in sorted(places))


def _of_suspicion(issue: Suspicion, kept: Kept) -> Leak:
    return Leak(
        found_by="model", kind=issue.type, severity=issue.severity, excerpt=issue.location, detail=issue.suspicion,
        suggestion=issue.suggestion, secret=_id_of(issue.secret, kept),
    )  # fmt: skip


def _id_of(named: str, kept: Kept) -> str:
    """The id of the secret with a number; answers of before named the id itself."""
    ids = [piece.id for piece in kept.off_page]
    return ids[int(named) - 1] if named.isdecimal() and 0 < int(named) <= len(ids) else named


@dataclass(frozen=True)
class Gapped:
    """A draft with sentences taken out."""

    pieces: tuple[str, ...]
    """What stands before, between and after the gaps: one more than there are gaps."""
    lost: tuple[str, ...]
    """What was taken out, gap by gap."""

    @property
    def spans(self) -> list[Span]:
        """Where the gaps are in the draft as it was."""
        found, place = [], 0
        for piece, lost in zip(self.pieces, self.lost, strict=False):
            found.append((place + len(piece), place + len(piece) + len(lost)))
            place = found[-1][1]
        return found

    @property
    def shown(self) -> str:
        """The draft with `[gap 1]`, `[gap 2]` ... where something is missing."""
        marks = (f"[gap {number}]{_space_after(lost)}" for number, lost in enumerate(self.lost, 1))
        return "".join(f"{piece}{mark}" for piece, mark in zip(self.pieces, [*marks, ""], strict=True)).strip()

    def filled(self, answer: str) -> str:
        """Return the whole text with what an answer gives for each gap; one without a filling closes up."""
        marks = list(_FILLING.finditer(answer))
        ends = [mark.start() for mark in marks[1:]] + [len(answer)]
        found = {int(mark.group(1)): answer[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=False)}
        text = self.pieces[0]
        for number, (lost, piece) in enumerate(zip(self.lost, self.pieces[1:], strict=True), 1):
            filling, space = found.get(number, ""), _space_after(lost)
            is_kept = bool(filling) or "\n" in space
            text += filling + (space if is_kept else "") + piece
        return re.sub(r"[ \t]*\n[ \t]*\n\s*", "\n\n", text).strip()

    @property
    def holds_text(self) -> bool:
        """Whether anything is left beside the gaps."""
        return any(character.isalnum() for piece in self.pieces for character in piece)


def _space_after(lost: str) -> str:
    """The space behind what was taken out, with the end of its paragraph if that was there."""
    return lost[len(lost.rstrip()) :]


def has_fillings(answer: str) -> bool:
    """Whether an answer fills any gap."""
    return bool(_FILLING.search(answer))


def without(text: str, spans: Iterable[Span]) -> Gapped:
    """Take out every sentence that touches one of the spans; neighbours make one gap."""
    held = list(spans)
    gaps: list[Span] = []
    starts = [sentence.start for sentence in sentences_of(text)]
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        if not any(first < end and last > start for first, last in held):
            continue
        is_next = bool(gaps) and not text[gaps[-1][1] : start].strip()
        gaps = [*gaps[:-1], (gaps[-1][0], end)] if is_next else [*gaps, (start, end)]
    befores, afters = [start for start, _ in gaps], [end for _, end in gaps]
    pieces = [text[end:start] for end, start in zip([0, *afters], [*befores, len(text)], strict=True)]
    return Gapped(tuple(pieces), tuple(text[start:end] for start, end in gaps))
