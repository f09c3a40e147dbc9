"""All figures of a chapter at once, and of the chapters of a book one after the other."""

import unicodedata
from collections.abc import Iterable

from bookwright.agents.relay.figures.across import BookSketch, ChapterSketch, sketch_of
from bookwright.agents.relay.figures.dialogue import dialogue_share
from bookwright.agents.relay.figures.names import name_doubts
from bookwright.agents.relay.figures.repetition import repetition_of
from bookwright.agents.relay.figures.rhythm import rhythm_of
from bookwright.agents.relay.figures.stock import StockList, stock_in
from bookwright.models.text.figures import Figures
from bookwright.models.text.language import Language


class Measurer:
    """Measures the chapters of one book in reading order, each beside those before it."""

    def __init__(self, language: Language, phrases: StockList, known_names: Iterable[str] = ()) -> None:
        self._language = language
        self._phrases = phrases
        self._known = tuple(known_names)
        self._book: BookSketch | None = None
        """What the chapters taken in left; made with the first of them, as it is large."""

    def measure(self, text: str, target: int | None = None) -> Figures:
        """Measure a text beside the chapters taken in; nothing is remembered of it."""
        text = unicodedata.normalize("NFC", text)
        return self._figures(text, target, sketch_of(text, self._language) if self._book else None)

    def take_in(self, label: str, text: str, target: int | None = None) -> Figures:
        """Measure a chapter and remember it for those that come after."""
        text = unicodedata.normalize("NFC", text)
        sketch = sketch_of(text, self._language)
        figures = self._figures(text, target, sketch)
        self._book = self._book or BookSketch()
        self._book.add(label, sketch)
        return figures

    def _figures(self, text: str, target: int | None, sketch: ChapterSketch | None) -> Figures:
        language = self._language
        return Figures(
            length=language.measure(text), target=target, dialogue=round(dialogue_share(text, language), 4),
            rhythm=rhythm_of(text, language), repetition=repetition_of(text, language),
            stock=stock_in(text, language, self._phrases),
            shared=self._book.compare(sketch) if self._book and sketch else (),
            names=name_doubts(text, self._known, language) if self._known else (),
        )  # fmt: skip
