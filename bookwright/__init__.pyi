from bookwright.app.estimates.rehearsal import BookEstimate as BookEstimate
from bookwright.app.library_book import LibraryBook as LibraryBook
from bookwright.app.python_api import Library as Library
from bookwright.models.book import Book as Book
from bookwright.models.brief import Brief as Brief
from bookwright.models.brief import Budget as Budget
from bookwright.models.errors import BookPaused as BookPaused
from bookwright.models.errors import BookwrightError as BookwrightError
from bookwright.models.errors import GateWaiting as GateWaiting
from bookwright.models.talk.event import Event as Event

__all__: list[str]
__version__: str
NO_CALLS_OUT: dict[str, str]
