"""What the data of each built-in tool holds; more is allowed, less is a violation."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True)

    truncated: bool


class _FolderEntry(BaseModel):
    path: str = Field(min_length=1)
    type: Literal["file", "dir", "link", "other"]


class _Entries(_Shape):
    entries: list[_FolderEntry]


class _Paths(_Shape):
    paths: list[str]


class _Match(BaseModel):
    file: str = Field(min_length=1)
    line: int = Field(ge=1)
    text: str


class _Matches(_Shape):
    matches: list[_Match]


class _Content(_Shape):
    content: str


class _Written(_Shape):
    applied: bool
    operation: Literal["create", "update"]
    diff_preview: str


class _SearchFound(BaseModel):
    title: str


class _Passage(_SearchFound):
    text: str


class _Hit(_SearchFound):
    url: str


class _Passages(_Shape):
    results: list[_Passage]


class _Hits(_Shape):
    results: list[_Hit]


class _FetchedPage(_Shape):
    url: str
    content: str


DATA_SHAPES: dict[str, tuple[str, type[BaseModel]]] = {
    "LS": ("D001", _Entries),
    "Glob": ("D002", _Paths),
    "Grep": ("D003", _Matches),
    "Read": ("D004", _Content),
    "Write": ("D005", _Written),
    "search_designs": ("D006", _Passages),
    "search_story": ("D006", _Passages),
    "search_references": ("D006", _Passages),
    "web_search": ("D006", _Hits),
    "fetch_page": ("D007", _FetchedPage),
}
"""Rule and shape by the tool's name, for answers that are no errors."""
