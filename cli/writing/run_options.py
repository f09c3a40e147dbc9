"""The options by which verbs say how a book is to be run: made once, taken together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_type_hints

from bookwright.cli.option_groups import Verb, takes
from bookwright.cli.options import AsJson, Export, JsonProgress, New, NoPrefect, Stream, Until, WordsToday
from bookwright.models.errors import InvalidSetting


@dataclass(frozen=True)
class RunOptions:
    """How a book is to be run this time."""

    is_new: New = False
    stream: Stream = False
    no_prefect: NoPrefect = False
    export: Export = "md"
    until: Until = None
    words_today: WordsToday = None
    json_progress: JsonProgress = False
    as_json: AsJson = False
    """Facts go to stdout as JSON at the end, so what is watched goes to stderr."""

    def check_one_voice(self) -> None:
        """Make sure that only one thing is to be said on stdout.

        Raises:
            InvalidSetting: More than one is.
        """
        if self.json_progress and self.as_json:
            raise InvalidSetting("--json-progress has stdout for itself; leave out --json")


def takes_run(*names: str) -> Callable[[Verb], Verb]:
    """Give a verb options of a run, by their names here; the verb takes them together, as `run`."""
    kinds = get_type_hints(RunOptions, include_extras=True)
    return takes({name: kinds[name] for name in names}, "run", lambda given: RunOptions(**given), vars(RunOptions))
