"""Blueprints as they stand on disk: found by name or path, read, and checked."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from bookwright import blueprints
from bookwright.models.blueprint import Blueprint
from bookwright.models.errors import InvalidBlueprint

FILE, PROMPTS, QUALITY = "blueprint.toml", "prompts", "quality"
ENDING = ".md.j2"
MAX_BYTES = 512 * 1024
OWN = Path(blueprints.__file__).parent
"""Where the blueprints stand that come with the program."""


@dataclass(frozen=True)
class BlueprintFolder:
    """A blueprint and where its templates stand."""

    plan: Blueprint
    """With its variant, if one was chosen."""
    prompts: Path


def blueprint_of(chosen: str, home: Path) -> BlueprintFolder:
    """Find and read the blueprint that a brief names: `name`, `name:variant`, or a folder's path with or without one.

    An author's own, in the data folder, goes before one of that name that comes with the program.

    Raises:
        InvalidBlueprint: There is none, or it is broken; the message is one line.
    """
    name, variant = _parted(chosen)
    folder = next((place for place in _places(name, home) if (place / FILE).is_file()), None)
    if folder is None:
        known = ", ".join(sorted(found.name for found in folders(home)))
        raise InvalidBlueprint(f"there is no blueprint {name!r}; there are {known}, or give the path of a folder")
    found = read_folder(folder)
    if variant and variant not in found.plan.variants:
        known = ", ".join(found.plan.variants) or "none"
        raise InvalidBlueprint(f"the blueprint {found.plan.name!r} has no variant {variant!r}; it has {known}")
    return BlueprintFolder(found.plan.varied(variant) if variant else found.plan, found.prompts)


def folders(home: Path) -> Iterator[Path]:
    """Yield the folders of all blueprints that have a name here: the author's own, then those of the program."""
    seen: set[str] = set()
    for above in (home / "blueprints", OWN):
        for folder in sorted(above.iterdir()) if above.is_dir() else ():
            if (folder / FILE).is_file() and folder.name not in seen:
                seen.add(folder.name)
                yield folder


def as_chosen(text: str, base: Path) -> str:
    """Return what a brief keeps of a blueprint that was named on a command line: a path is kept in full."""
    name, variant = _parted(text)
    if not _is_path(name):
        return text
    return str((base / Path(name).expanduser()).resolve()) + (f":{variant}" if variant else "")


def read_folder(folder: Path) -> BlueprintFolder:
    """Read a blueprint and see that every template it names is there; `InvalidBlueprint` where that cannot be done."""
    plan = _plan(folder / FILE)
    prompts = folder / PROMPTS
    for name, whose in _named_templates(plan):
        if not (prompts / f"{name}{ENDING}").is_file():
            raise InvalidBlueprint(
                f"{folder}: {whose} names the template {name!r}, and {PROMPTS}/{name}{ENDING} is missing"
            )
    return BlueprintFolder(plan, prompts)


def _plan(file: Path) -> Blueprint:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InvalidBlueprint(f"{file} cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise InvalidBlueprint(f"{file} has {len(raw):,} bytes; it may have {MAX_BYTES:,}")
    try:
        return Blueprint.model_validate(tomllib.loads(raw.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise InvalidBlueprint(f"{file} is not UTF-8 text") from None
    except ValidationError as error:
        raise InvalidBlueprint(f"{file}: {_one_line(error)}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidBlueprint(f"{file} is not valid TOML: {error}") from None


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _named_templates(plan: Blueprint) -> Iterator[tuple[str, str]]:
    yield QUALITY, "every blueprint"
    for member in plan.members:
        if member.prompt:
            yield member.prompt, f"member {member.name!r}"
        if member.entries:
            yield member.entries.prompt, f"member {member.name!r}"
    for level, unit in plan.all_units:
        if unit.directions:
            yield unit.directions, f"units.{level}"


def _parted(chosen: str) -> tuple[str, str]:
    """A name or path and a variant; the colon behind a drive's letter parts nothing."""
    name, colon, variant = chosen.rpartition(":")
    return (name, variant) if colon and len(name) > 1 and "/" not in variant and "\\" not in variant else (chosen, "")


def _is_path(name: str) -> bool:
    return "/" in name or "\\" in name or name in (".", "..") or name.startswith("~")


def _places(name: str, home: Path) -> tuple[Path, ...]:
    return (Path(name).expanduser(),) if _is_path(name) else (home / "blueprints" / name, OWN / name)
