"""What a book can begin from: `blueprints` lists and checks kinds of books, `examples` what comes along to be tried."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bookwright.app.orders.examples import copy_examples, example_files
from bookwright.cli.options import AsJson
from bookwright.cli.output import emit, note, print_json, print_table, print_text
from bookwright.models.blueprint import CHARACTERS_A_WORD, Blueprint
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidBlueprint, InvalidInput
from bookwright.models.settings import load_settings
from bookwright.models.text.language import Language, detect_language
from bookwright.storage.files.blueprints import FILE, as_chosen, blueprint_of, folders, read_folder

app = typer.Typer(invoke_without_command=True, help="List and check blueprints: what kinds of books there are.")

FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder that holds blueprint.toml, or a name.")
]


def of_blueprint(brief_file: Path | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return what a blueprint's name on the command line says of a brief: itself, and its usual length.

    Raises:
        InvalidBlueprint: There is no such blueprint, or it is broken.
    """
    named = as_chosen(options["blueprint"], Path.cwd())
    values: dict[str, Any] = {"blueprint": named}
    plan = blueprint_of(named, load_settings().home).plan
    if options.get("length") is None and brief_file is None:
        told, premise = options.get("language"), options.get("premise") or ""
        language = Language(told) if told in tuple(Language) else detect_language(premise)
        is_in_words = language.length_unit == "words"
        values["length"] = plan.words if is_in_words else round(plan.words * CHARACTERS_A_WORD / 100) * 100
    return values


def go_on_with(book: str, kind: str, prompt: str | None, model: str | None) -> str:
    """See that a book is of a kind, take another model for it, and return its id.

    Raises:
        InvalidInput: It is another kind of book.
    """
    from bookwright.app.access import at_rest  # with the database, which lists of blueprints and examples do without
    from bookwright.cli.access import open_book
    from bookwright.flows.revision.edits import change_brief

    with open_book(book) as opened:
        found = opened.book
        if found.brief.blueprint.partition(":")[0] != kind:
            raise InvalidInput(f"{found.id} is no {kind}; `bookwright resume {found.id}` goes on with it")
        if prompt is not None and prompt.strip() != found.brief.premise:
            note(
                f"{found.id} keeps the premise that it was begun with; "
                f"`bookwright brief {found.id} --set premise=...` changes it, `bookwright revise` one of its pages"
            )
        wanted: Brief = found.brief.changed(models={"default": model}) if model else found.brief
        if wanted != found.brief:
            with at_rest(opened.storage) as stores:
                change_brief(wanted, found, stores)
    return found.id


@app.callback()
def blueprints(context: typer.Context, as_json: AsJson = False) -> None:
    """List the blueprints that a book can be written by."""
    if context.invoked_subcommand is not None:
        return
    found = list(map(_facts, folders(load_settings().home)))
    if as_json:
        print_json({"blueprints": found})
    else:
        print_table(("name", "what it is", "makes", "words", "variants"), map(_row, found), right=("words",))


@app.command()
def check(folder: FolderArgument, as_json: AsJson = False) -> None:
    """Read a blueprint's folder and try every template, in all languages that prompts are written in."""
    from bookwright.agents.blueprints.loading import check_folder  # brings the agents

    plan = check_folder(_meant(folder, load_settings().home)).plan
    facts = {"blueprint": _plan_facts(plan), "folder": str(folder)}
    stages = ", ".join(f"{stage.name} ({len(stage.members)})" for stage in plan.stages)
    told = f"{plan.name}: {len(plan.members)} members in {len(plan.stages)} stages: {stages}. Nothing is wrong."
    emit(lambda: facts, lambda: print_text(told), as_json=as_json)


def _meant(named: Path, home: Path) -> Path:
    """Return the folder that is meant by its path, by its file, or by the name of a blueprint that is known here."""
    if named.is_file() and named.name == FILE:
        return named.parent
    if named.exists():
        return named
    known = {folder.name: folder for folder in folders(home)}
    if (folder := known.get(str(named))) is None:
        raise InvalidBlueprint(
            f"there is no folder {str(named)!r}, and no blueprint of that name; there are {', '.join(known)}"
        )
    return folder


def _facts(folder: Path) -> dict[str, Any]:
    """What is shown of a blueprint; of a broken one, what is wrong with it."""
    try:
        return {**_plan_facts(read_folder(folder).plan), "name": folder.name, "folder": str(folder)}
    except InvalidBlueprint as error:
        return {"name": folder.name, "folder": str(folder), "problem": str(error)}


def _row(facts: dict[str, Any]) -> list[str]:
    words = f"{facts['words']:,}" if facts.get("words") else ""
    title, variants = facts.get("title") or facts["problem"], ", ".join(facts.get("variants", ()))
    return [facts["name"], title, facts.get("makes", ""), words, variants]


def _plan_facts(plan: Blueprint) -> dict[str, Any]:
    return {
        "name": plan.name, "title": plan.titles["en"], "makes": plan.makes.value, "words": plan.words,
        "stages": [stage.name for stage in plan.stages], "variants": list(plan.variants),
    }  # fmt: skip


def examples(
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="Copy them here.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the examples that come with the program, or copy them into a folder."""
    files = [str(file) for file in (copy_examples(folder) if folder else example_files())]
    if as_json:
        print_json(files)
        return
    for file in files:
        print_text(file)
    if not folder:
        print_text("`bookwright write --example lighthouse` writes the first, `bookwright examples FOLDER` copies all")
