"""`vault` and `sync`: a book's folder, and what a person changed in it."""

from contextlib import suppress
from typing import Annotated, Any

import typer

from bookwright.app.folder_sync import look_at_folder, sync_folder, vault_of
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, Yes
from bookwright.cli.output import check_agreed, note, print_json, print_table, print_text
from bookwright.exports.vault.names import NOTES
from bookwright.exports.vault.progress import PATH, load_from_book
from bookwright.flows.vault.hand_edits import FileOutcome
from bookwright.flows.vault.rendering import Rendered, Vault
from bookwright.flows.vault.strays import conflict_path
from bookwright.flows.vault.sync import FileFinding, Plan
from bookwright.models.errors import InvalidInput, UnwritableFolder
from bookwright.models.wording import counted, stale_count


def vault(
    book: BookArgument,
    render: Annotated[bool, typer.Option("--render", help="Bring the folder up to the book first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print where a book's folder of files is; with --json also which stages it shows as done, and what comes next."""
    with open_book(book) as opened:
        kept = vault_of(opened)
        done = _rendered(kept) if render else None
        facts = {"book": opened.book.id, "folder": str(kept.folder.root)} | _standing(kept)
    if as_json:
        print_json(facts | ({"written": done.written, "removed": done.removed, "held": done.held} if done else {}))
        return
    print_text(str(kept.folder.root))
    if not facts["files"]:
        note(f"it is not there yet; `bookwright vault {opened.book.id} --render` makes it")
    elif done is not None:
        note(f"{counted(len(done.written), 'file')} written, {len(done.removed):,} removed; {facts['files']:,} in all")
        for path in done.held:
            note(f"{path!r} was changed by hand and is left as it is; `bookwright sync {opened.book.id}` takes it in")


def sync(
    book: BookArgument,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what you changed in a book's folder as new versions, and bring the folder up to the book."""
    with open_book(book) as opened:
        if not opened.settings.keep_vault:
            raise InvalidInput("the settings keep no folders (`keep_vault` is false); there is nothing to sync")
        kept = vault_of(opened)
        plan = look_at_folder(kept)
        if not as_json:
            _show(plan)
        if not dry_run:
            if plan.changes:
                question = f"Take in {counted(plan.changes, 'changed file')} as new versions?"
                check_agreed(question, "nothing was taken in; --yes takes it in without asking", yes=yes)
            plan, late = sync_folder(kept)
            for finding in () if as_json else late:
                note(f"{finding.path!r} {finding.detail}")
        with opened.storage.read() as stores:
            stale = [f"{one.document.kind} of {one.document.label}" for one in stores.staleness.direct()]
    if as_json:
        print_json(_facts(plan, opened.book.id, stale, is_done=not dry_run))
    elif not dry_run:
        _tell(plan, opened.book.id, stale)
    if plan.left:
        raise typer.Exit(1)


def _rendered(kept: Vault) -> Rendered:
    try:
        done = kept.render()
    except OSError as error:
        reason = error.strerror or error
        raise UnwritableFolder(f"the folder {str(kept.folder.root)!r} cannot be written: {reason}") from None
    for path, reason in done.failed.items():
        raise UnwritableFolder(f"{path!r} in the folder {str(kept.folder.root)!r} cannot be written: {reason}")
    return done


def _standing(kept: Vault) -> dict[str, Any]:
    """What the folder itself says: its files, and the stages of its progress file."""
    text = ""
    with suppress(OSError):
        text = (kept.folder.read(PATH) or b"").decode("utf-8", "replace")
    progress = load_from_book(text)
    return {
        "files": len(kept.folder.files((NOTES,))), "stages": [stage.name for stage in progress.stages],
        "last_completed_stage": progress.last_completed_stage(), "next_stage": progress.next_stage(),
    }  # fmt: skip


def _show(plan: Plan) -> None:
    shown = [finding for finding in plan.findings if finding.outcome.value != "rendered"]
    if not shown:
        note("nothing was changed by hand")
        return
    rows = [(finding.path, finding.outcome.value.replace("_", " "), _about(finding)) for finding in shown]
    print_table(("file", "what", "about"), rows, folds=("file", "about"))


def _about(finding: FileFinding) -> str:
    if finding.outcome is FileOutcome.CONFLICT:
        return f"{finding.detail}; settle it in {conflict_path(finding.path)!r}, then sync again"
    told = {
        FileOutcome.RESTORED: "was deleted, and is rendered again",
        FileOutcome.SET_ASIDE: "is made of the whole book; your file is kept in notes/, and it is rendered anew",
        FileOutcome.UNKNOWN: "no file of the book; left alone",
    }
    return finding.detail or told.get(finding.outcome, "")


def _tell(plan: Plan, book: str, stale: list[str]) -> None:
    left = f", {len(plan.left):,} left as before" if plan.left else ""
    otherwise = " otherwise" if plan.left else ""
    taken = f"{counted(plan.changes, 'file')} taken in{left}; " if plan.changes or plan.left else ""
    note(f"{taken}the folder is up to date with the book{otherwise}")
    if stale:
        shown = ", ".join(stale[:5]) + (" and more" if len(stale) > 5 else "")
        note(f"{stale_count(len(stale))}: {shown}; `bookwright refresh {book}` makes them anew")


def _facts(plan: Plan, book: str, stale: list[str], *, is_done: bool) -> dict[str, Any]:
    files = [
        {"path": finding.path, "outcome": finding.outcome.value, "detail": finding.detail} for finding in plan.findings
    ]
    return {"book": book, "is_done": is_done, "files": files, "taken": plan.changes, "stale": stale}
