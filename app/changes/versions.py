"""The versions of a node's documents: who made each, and two of them side by side."""

from typing import Any, NamedTuple

from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


class VersionPair(NamedTuple):
    """Two versions of one document with their texts, the earlier one first."""

    old: Document
    new: Document
    before: str
    after: str


def version_rows(stores: Stores, node: TaskNode, kind: DocumentKind | None) -> list[dict[str, Any]]:
    """Return all versions of a node's documents, or of one kind of them, with who made each and when.

    Raises:
        InvalidInput: There is none.
    """
    kinds = [kind] if kind else list(DocumentKind)
    versions = [version for each in kinds for version in stores.documents.versions(node.key, each)]
    if not versions:
        raise InvalidInput(f"{stores.name_of(node)} has no {kind or 'document'} yet")
    return [_row(version, stores) for version in versions]


def maker(row: dict[str, Any]) -> str:
    """Say in words who made a version."""
    told = {
        DocumentOrigin.STEP: f"{row['activity'] or 'the engine'}",
        DocumentOrigin.AUTHOR: "the author",
        DocumentOrigin.NOTE: f"a note, of {row['base']}",
        DocumentOrigin.REFRESH: f"a refresh, of {row['base']}",
        DocumentOrigin.REPAIR: "the book's last corrections",
        DocumentOrigin.CANDIDATE: f"{row['note']}, taken",
        DocumentOrigin.IMPORT: "the author, by import",
        DocumentOrigin.WORLD: "the world it is set in",
        DocumentOrigin.MERGE: row["note"] or "a branch",
        DocumentOrigin.RESTORE: f"{row['base']} restored",
    }[DocumentOrigin(row["origin"])]
    return f"{told} (step {row['step']})" if row["step"] else told


def two_versions(
    stores: Stores, node: TaskNode, kind: DocumentKind | None, a: int | None, b: int | None
) -> VersionPair:
    """Return the two versions that are meant: the newest and the one before it if none is named.

    Raises:
        InvalidInput: There is no such version, or only one.
    """
    from bookwright.flows.revision.revise import chosen

    current = chosen(stores, node, kind)
    there = {version.version: version for version in stores.documents.versions(node.key, current.kind)}
    if a is None and len(there) == 1:
        raise InvalidInput(f"the {current.kind} of {stores.name_of(node)} has one version only")
    second = current.version if b is None else b
    first = second - 1 if a is None else a
    for number in (first, second):
        if number not in there:
            raise InvalidInput(
                f"the {current.kind} of {stores.name_of(node)} has no version {number}; it has 1 to {current.version}"
            )
    old, new = there[first], there[second]
    return VersionPair(old, new, stores.documents.text_of(old), stores.documents.text_of(new))


def _row(version: Document, stores: Stores) -> dict[str, Any]:
    step = stores.steps.asked(version.step) if version.step else None
    facts = version.model_dump(
        mode="json", include={"id", "kind", "version", "length", "origin", "base", "note", "step"}
    )
    asked = {"activity": step.key.activity.value, "model": step.model} if step else {"activity": None, "model": None}
    return facts | asked | {"made_at": step.recorded_at if step else version.made_at}
