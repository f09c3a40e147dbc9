"""Options and arguments that several verbs share; a group that they take together is named once."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_type_hints

import typer

from bookwright.models.brief import Brief, Budget
from bookwright.models.errors import InvalidSetting
from bookwright.models.profile import ProfileName

BookArgument = Annotated[str, typer.Argument(metavar="BOOK", help="A book's id, or a beginning of it.")]
NodeArgument = Annotated[
    str, typer.Argument(metavar="NODE", help="A chapter (chapter 9, or 9), a label (1.16) or a title.")
]
OptionalNode = Annotated[
    str | None,
    typer.Argument(metavar="[NODE]", help="A chapter (chapter 9, or 9), a label (1.16) or a title; all if not given."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print facts as JSON.")]
Until = Annotated[
    str | None, typer.Option(help="Rest after a chapter, or so many units of a level: 3, chapter 3, scene:12.")
]
WordsToday = Annotated[
    int | None, typer.Option(help="Rest once so much was written in 24 hours (characters for zh, ja, ko).")
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one key; may be repeated.")
]
EditFile = Annotated[
    Path | None, typer.Option("--edit", metavar="FILE.toml", help="Change all keys that a file names.")
]
BriefFile = Annotated[
    Path | None, typer.Argument(metavar="[BRIEF.toml]", help="The brief as TOML.", show_default=False)
]

More = Annotated[
    int | None,
    typer.Option(
        "--words", "--more", help="Write so much more, behind the end of what is there (characters for zh, ja, ko)."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Output = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="A file, or a folder: one that is there, ends in / or has no ending. `exports` of the data folder if not "
        "given.",
    ),
]
Example = Annotated[
    str | None, typer.Option("--example", metavar="NAME", help="Take the brief of an example, such as lighthouse.")
]

Verb = Callable[..., None]

_FIELDS = Brief.model_fields | {f"budget_{name}": field for name, field in Budget.model_fields.items()}
"""What a brief's options are made of: each field says of itself what it is."""
_FLAGS: dict[str, tuple[str, ...]] = {
    "outline": ("--outline",), "blueprint": ("--blueprint",), "length": ("--words", "--length"), "models": ("--model",),
    "gates": ("--gate",), "max_planning_rounds": ("--planning-rounds",),
}  # fmt: skip
"""Where they are not the field's own name."""
_METAVARS = {"outline": "OUTLINE.md", "blueprint": "NAME", "world": "BOOK", "gates": "GATE", "candidates_for": "UNITS"}
_TYPES: dict[str, Any] = {"outline": Path, "models": str, "gates": list[str], "candidates_for": list[str]}
"""What a person types, where it is not what the field holds."""


@dataclass(frozen=True)
class RunOptions:
    """How a book is to be run this time."""

    is_new: Annotated[bool, typer.Option("--new", help="Begin another book although this one is there.")] = False
    stream: Annotated[bool, typer.Option("--stream", help="Print the prose as it comes.")] = False
    no_prefect: Annotated[bool, typer.Option("--no-prefect", help="Run as plain functions, without Prefect.")] = False
    export: Annotated[str, typer.Option(help="Formats to export to at the end: md,txt,html,epub,docx,json.")] = "md"
    until: Until = None
    words_today: WordsToday = None
    json_progress: Annotated[
        bool, typer.Option("--json-progress", help="Tell how it goes as JSON, an event a line, for other programs.")
    ] = False
    as_json: AsJson = False
    """Facts go to stdout as JSON at the end, so what is watched goes to stderr."""
    known_wish: Annotated[float | None, typer.Option(hidden=True)] = None
    """When whoever started this knew that the book was to rest; by default, what stands once it is opened."""

    def check_one_voice(self) -> None:
        """Make sure that only one thing is to be said on stdout.

        Raises:
            InvalidSetting: More than one is.
        """
        if self.json_progress and self.as_json:
            raise InvalidSetting("--json-progress has stdout for itself; leave out --json")


def takes(
    options: Mapping[str, Any], into: str, made: Callable[[dict[str, Any]], Any], defaults: Mapping[str, Any] = {}
) -> Callable[[Verb], Verb]:
    """Give a verb some options; it takes in their place, as `into`, what `made` makes of their values.

    Args:
        options: The annotation of each, by its name; none is needed.
        defaults: What is taken for those that are not given, by their names; None for the others.
    """

    def decorated(verb: Verb) -> Verb:
        @wraps(verb)
        def parsed(**values: Any) -> None:
            verb(**{into: made({name: values.pop(name) for name in options})}, **values)

        signature, named = inspect.signature(verb), inspect.Parameter.KEYWORD_ONLY
        shared = [
            inspect.Parameter(name, named, default=defaults.get(name), annotation=kind)
            for name, kind in options.items()
        ]
        parameters: list[inspect.Parameter] = []
        for own in signature.parameters.values():
            parameters += shared if own.name == into else [own.replace(kind=named)]
        parsed.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        parsed.__annotations__ = {each.name: each.annotation for each in parameters}
        return parsed

    return decorated


def takes_brief(*names: str, told: Mapping[str, str] | None = None) -> Callable[[Verb], Verb]:
    """Give a verb an option for each of a brief's fields; the verb takes them together, as `options`.

    `options` holds the fields that were given, by their names in a brief: `models` as `{"default": NAME}`, `budget`
    as a table, an outline as its path.

    Args:
        names: Fields of a brief, `budget_usd` and `budget_tokens` for the two of its budget.
        told: Help for fields that mean something of their own here.
    """
    return takes({name: _option(name, told or {}) for name in names}, "options", _given)


def takes_run(*names: str) -> Callable[[Verb], Verb]:
    """Give a verb options of a run, all if none are named; the verb takes them together, as `run`."""
    kinds = get_type_hints(RunOptions, include_extras=True)
    return takes(
        {name: kinds[name] for name in names or kinds}, "run", lambda given: RunOptions(**given), vars(RunOptions)
    )


def _option(name: str, told: Mapping[str, str]) -> Any:
    field = _FIELDS[name]
    option = typer.Option(*_FLAGS.get(name, ()), metavar=_METAVARS.get(name), help=told.get(name, field.description))
    kind = _TYPES.get(name) or _typed(field.annotation)
    return Annotated[kind | None, option]


def _typed(annotation: Any) -> Any:
    """What a field's value is as a person types it: a number, a profile's name, or text."""
    kinds = [kind for kind in (get_args(annotation) or (annotation,)) if kind is not NoneType]
    return kinds[0] if kinds[0] in (int, float, ProfileName) else str


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in values.items() if value is not None and value != []}
    budget = {name.removeprefix("budget_"): given.pop(name) for name in tuple(given) if name.startswith("budget_")}
    if "models" in given:
        given["models"] = {"default": given["models"]}
    return given | ({"budget": budget} if budget else {})
