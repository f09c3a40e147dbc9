"""What is said of a book's progress in one line: of a step, of a closed unit, of what the book has cost."""

from collections.abc import Mapping
from typing import Any

from bookwright.app.status.progress import BookProgress
from bookwright.app.wording import money, tokens
from bookwright.models.tree.place import ReadingOrder
from bookwright.storage.steps.queries import StepLine


def unit_text(data: Mapping[str, Any], length_unit: str) -> str:
    """A closed unit and how far the book is with it, in one line."""
    return (
        f"{data['name']} is done: {data['written']:,} of {data['length']:,}; "
        f"the book: {data['bookWritten']:,} of {data['bookLength']:,} {length_unit}"
    )


def step_text(line: StepLine, names: ReadingOrder) -> str:
    """One attempt in one line."""
    price = "price unknown" if line.cost is None else money(line.cost)
    took = f"{tokens(line.input_tokens)} > {tokens(line.output_tokens)} tokens, {line.duration_millis / 1000:.1f} s"
    told = f"  {line.detail[:80]}" if line.detail else ""
    if line.failure:
        told = f"  {'FAILED ' if line.is_failed else ''}{line.failure}: {line.detail[:80]}"
    return f"{names.name_of(line.label)} {line.activity}/{line.step}  {took}, {price}{told}"


def plain_step(line: StepLine, names: ReadingOrder) -> str:
    """One attempt as it is told to whoever looks on: what was done where, how long it took, what it cost."""
    price = "price unknown" if line.cost is None else money(line.cost)
    told = f", not a result: {line.detail[:60]}" if line.is_failed else ""
    return f"{names.name_of(line.label)} {line.activity}: {line.duration_millis / 1000:.1f} s, {price}{told}"


def spent(progress: BookProgress) -> str:
    """What a book has cost so far, of its caps where it has some."""
    book, budget = progress.book, progress.book.brief.budget
    cap = f" of {money(round(budget.usd * 1_000_000))}" if budget.usd else ""
    token_cap = f" of {tokens(budget.tokens)}" if budget.tokens else ""
    unpriced = f" ({book.unpriced_calls} unpriced)" if book.unpriced_calls else ""
    return f"{money(book.cost)}{cap}{unpriced}   {book.calls:,} calls   {tokens(book.tokens)}{token_cap} tokens"
