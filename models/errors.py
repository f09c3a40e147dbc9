"""Every error the engine raises on purpose.

* BookwrightError
  x InvalidInput             what a person typed or wrote in a file cannot be used; exit code 2
    + InvalidBrief, InvalidSetting, DatabaseTooNew, UnwritableFolder
    + UnknownModel
      - MissingWeights       the weights of an embedded model are not on this machine
    + MissingKey             the chosen provider has no API key
    + MissingProgram         the program that a provider runs is not here, or cannot do what is needed
    + InvalidTemplate        an edited prompt template that cannot be rendered
    + InvalidBlueprint       a blueprint that is not there, is broken, or has gone away under a book
    + BookNotFound, NodeNotFound, SessionNotFound, SessionNotStarted, EntryNotFound, GateNotFound, GateDecided
    + UnusableBackup         a file that is no backup, or none that can be restored here
    + UnusableBook           a file that is no exported book, or was cut off or changed
    + InvalidEntry           a codex entry, secret or thread that cannot be kept
    + NameTaken              two entries of the codex would answer to one name
    + EditConflict           somebody else changed it meanwhile
  x LeaseError
    + BookHeld               another worker writes this book
    + LeaseLost              this worker no longer does
  x BackendError             a model did not deliver
    + BackendUnavailable     worth a retry: timeout, throttling, outage, a broken stream
    + RequestRejected        the provider refuses the request itself; a retry changes nothing
    + BudgetExceeded         the call could cost more than is left
    + NotUnderstood          no answer to an author's words was a command
  x BookPaused               the book rests, with a reason and what to do about it
    + BookFailed             something did not come about: the four that follow
    + NoResult               no answer to a step was a result, however often it was asked
    + ReplyLost              a paid reply could not be kept
    + FatalContextError      what a writer would read cannot be made, or holds a secret
    + StageTimeout           a stage of a blueprint took longer than it may
    + GateWaiting            a human has to decide
    + OrderChanged           the author changed the brief; the walk goes on under the new one at once
  x ToolFailure              a tool has nothing to give; told to the model, not to the person
  x InvalidEvent             what was emitted on the event bus is no event
  x StorageError
    + DiskFull, DatabaseBusy, DatabaseUnreachable
    + DatabaseDamaged        the file itself is broken; a backup has to be restored
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # errors are told by all, also by who needs no model of the domain
    from bookwright.models.gate import Gate
    from bookwright.models.step import Reply
    from bookwright.models.talk.tool import ErrorCode


class BookwrightError(Exception):
    """Anything the engine raises on purpose; its message is meant for a person."""

    exit_code = 1


class InvalidInput(BookwrightError):
    """What was asked for cannot be done as it stands; nothing was written or paid."""

    exit_code = 2


class InvalidBrief(InvalidInput):
    """A brief that no book can be written from."""


class InvalidSetting(InvalidInput):
    """A setting, option or configuration key that means nothing or has an impossible value."""


class UnknownModel(InvalidInput):
    """A model or provider that nobody knows."""


class MissingKey(InvalidInput):
    """The chosen provider needs an API key and none is set."""


class MissingWeights(UnknownModel):
    """The chosen model runs in this process, and its weights are not on this machine."""


class MissingProgram(InvalidInput):
    """The chosen provider runs a program that is not installed, or in a version that will not do."""


class InvalidTemplate(InvalidInput):
    """A prompt template that a person edited cannot be read or rendered; the message names the line."""


class InvalidBlueprint(InvalidInput):
    """A blueprint that is not there, cannot be used, or no longer has what a book was begun with."""


class BookNotFound(InvalidInput):
    """No book of that id is in the database."""


class NodeNotFound(InvalidInput):
    """No node of that label is in the book."""


class SessionNotFound(InvalidInput):
    """No session, or more than one, answers to that id."""


class SessionNotStarted(InvalidInput):
    """A session that has said nothing yet cannot be forked."""


class DatabaseTooNew(InvalidInput):
    """The database was written by a newer version."""


class UnwritableFolder(InvalidInput):
    """The data folder cannot be written to."""


class UnusableBackup(InvalidInput):
    """A file that is no backup, or none that can be restored here; nothing was changed."""


class UnusableBook(InvalidInput):
    """A file that is no exported book, or was cut off or changed; nothing was written."""


class InvalidEntry(InvalidInput):
    """A codex entry, secret or thread of foreshadowing with an impossible value or move."""


class EntryNotFound(InvalidInput):
    """Nothing in the codex answers to that id or name."""


class NameTaken(InvalidInput):
    """Another entry answers to that id or name already."""


class EditConflict(InvalidInput):
    """The record has a newer version than the one that was edited."""


class GateNotFound(InvalidInput):
    """No gate, or more than one, answers to that; or none waits."""


class GateDecided(InvalidInput):
    """The gate waits no more; the first decision stands."""


class LeaseError(BookwrightError):
    """Who may write a book is in question."""

    exit_code = 3


class BookHeld(LeaseError):
    """Another worker holds the book; this one has paid nothing."""

    def __init__(self, book: str, owner: str, until: float) -> None:
        super().__init__(f"book {book!r} is being written by {owner} (its lease runs {until:.0f} s more)")
        self.book = book
        self.owner = owner
        self.seconds_left = until


class LeaseLost(LeaseError):
    """A newer worker has taken the book over; this one must stop without writing."""


class BackendError(BookwrightError):
    """A model did not deliver."""

    reply: "Reply | None" = None
    """What came of the try all the same, with the bill that the provider told; else it is estimated."""


class BackendUnavailable(BackendError):
    """Worth a retry: a timeout, throttling, an outage or a stream that broke."""

    def __init__(self, message: str, *, kind: str = "unavailable", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        """What went wrong, as one word for the journal: timeout, rate_limit, overloaded, ...

        `"timed_out"` is a timeout of a call that may have saved something by tools of its own: that
        stands, and the call is not made again by itself. Source: REQUIREMENTS C-24.
        """
        self.retry_after = retry_after
        """Seconds the provider asks us to wait; None if it does not say."""


class RequestRejected(BackendError):
    """The provider refuses the request itself; asking again changes nothing."""


class BudgetExceeded(BackendError):
    """The next call could cost more than the budget has left; nothing was sent."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        """What makes the call possible."""


class NotUnderstood(BackendError):
    """No answer to an author's words was a command of the list."""


class BookPaused(BookwrightError):
    """The book rests. Nothing is lost; the message says why and what to do next."""

    exit_code = 4

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(f"{reason}. {advice}".rstrip(". ") + ".")
        self.reason = reason
        self.advice = advice


class BookFailed(BookPaused):
    """It rests because something did not come about, and not because anybody wanted it to."""


class NoResult(BookFailed):
    """No answer to a step was a result; all of them are on record."""


class ReplyLost(BookFailed):
    """The database could not take a paid reply for as long as it was tried."""


class FatalContextError(BookFailed):
    """The context of a step that writes prose cannot be made, or holds what its writer must not know."""


class StageTimeout(BookFailed):
    """A blueprint's stage took longer than it may; all that was made in it is kept."""


class GateWaiting(BookPaused):
    """The book rests at a gate until a human decides."""

    exit_code = 5

    def __init__(self, gate: "Gate") -> None:
        super().__init__(f"{gate.name}, waits for a decision", gate.how_to_decide)
        self.gate = gate


class OrderChanged(BookPaused):
    """The author has changed the order of a book that is being written: it is opened anew and goes on."""

    def __init__(self, book: str) -> None:
        super().__init__("its order was changed", f"`bookwright resume {book}` goes on under the new one")


class ToolFailure(BookwrightError):
    """A tool has nothing to give.

    `message` says what went wrong, `advice` what to do instead, both as sentences for the model;
    `context` goes into the answer's, such as `path_resolved`.
    """

    def __init__(self, code: "ErrorCode", message: str, advice: str, **context: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.advice = advice
        self.context = context


class InvalidEvent(BookwrightError):
    """What was emitted on the event bus is no event; the message says what is wrong with it."""


class StorageError(BookwrightError):
    """The database could not take what it was given; what was paid is still in memory."""


class DiskFull(StorageError):
    """No room is left where the data lies."""


class DatabaseBusy(StorageError):
    """Another process has locked the database for too long."""


class DatabaseUnreachable(StorageError):
    """The connection broke or the server is down; whether the last write arrived is unknown."""


class DatabaseDamaged(StorageError):
    """The database's file is broken; nothing more is written to it, and nothing paid."""
