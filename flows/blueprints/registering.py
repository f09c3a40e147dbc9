"""Making a register of secrets and clues, and storing it in the codex in the transaction of its step."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace

from bookwright.agents.blueprints.pages import register_page
from bookwright.agents.blueprints.snapshot import BookSnapshot
from bookwright.agents.blueprints.steps import registrar
from bookwright.agents.blueprints.wording import word
from bookwright.agents.relay.extracting import forbidding
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.extract import merge_records
from bookwright.flows.activities.outcomes import both, finish_task, is_last_try
from bookwright.flows.activities.unit_facts import begin_activity, lengths_of_children, max_unit_length
from bookwright.flows.blueprints.members import folder_of, member_of
from bookwright.flows.blueprints.pages import page_card
from bookwright.flows.blueprints.unit_plans import chapters_meant
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import slug
from bookwright.models.codex.record import Origin, Record, RecordKind, make_record
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import InvalidInput, NoResult
from bookwright.models.step import Activity
from bookwright.models.story.register import FewThreads, Register, RegisteredSecret, RegisteredThread
from bookwright.models.tree.level import Level, usual_child_length
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores


def make_register(node: TaskNode, deps: Deps) -> None:
    """Have a register made, put it into the codex, and leave its list for people."""
    chapters = chapters_of(deps)
    card = replace(page_card(node, deps), chapters=chapters)
    run = begin_activity(Activity.EXECUTE, node, deps, "designer", card, next_activity="execute")
    agent = registrar(member_of(node, deps).prompt, folder_of(deps).prompts, deps.profile.name)

    def check(answer: Register | FewThreads) -> str:
        return "" if is_last_try(run, agent.name) else problem_of(in_chapters(answer, chapters), deps)

    with deps.stores() as stores:
        there = {secret.id for secret in stores.codex.secrets()}

    def concluded(answer: Register | FewThreads) -> Move:
        return _laid(identified(in_chapters(answer, chapters), there), run, deps)

    try:
        run.run(agent, concluded, check=check)
    except NoResult:
        if not deps.profile.is_small:
            raise
        nothing = word("nothing_found", brief_locale(deps.brief))
        empty = NewDocument(node=node.key, kind=DocumentKind.DESIGN, text=nothing)
        deps.desk.journal.move(finish_task(empty, run, deps))  # a weak model's book goes on without


def in_chapters(answer: Register | FewThreads, chapters: int) -> Register:
    """Return what was answered as a register of a book of so many chapters."""
    return answer.spread(chapters) if isinstance(answer, FewThreads) else answer.held_to(chapters)


def chapters_of(deps: Deps) -> int:
    """Return how many chapters the book is meant to have, or what stands in their place."""
    with deps.stores() as stores:
        book = stores.nodes.root()
    usual = usual_child_length(Level.CHAPTER, max_unit_length(deps))
    children = lengths_of_children(book, deps)
    return chapters_meant(book, min(usual, children.usual) if children.high else usual, deps)


def problem_of(register: Register, deps: Deps) -> str:
    """Say what is unfair in a register before a page is written; empty if nothing is."""
    late = ", ".join(own.title for own in register.late_clues())
    if late:
        return render_problem("late_clues", deps.desk.locale, titles=late)
    crowded = ", ".join(map(str, register.crowded()))
    return render_problem("crowded_chapters", deps.desk.locale, chapters=crowded) if crowded else ""


def identified(register: Register, there: Collection[str] = ()) -> Register:
    """Give secrets and threads ids of their own: a secret a number, unless it is `there`, in the codex, already."""
    secrets, known = _numbered(register.secrets, there), dict[str, str]()
    for old, new in zip(register.secrets, secrets, strict=True):
        known.setdefault(old.id, new.id)
    threads = [own.model_copy(update={"secret": known.get(own.secret, "")}) for own in _of_threads(register.threads)]
    return register.model_copy(update={"secrets": tuple(secrets), "threads": tuple(threads)})


def _numbered(secrets: Iterable[RegisteredSecret], there: Collection[str]) -> list[RegisteredSecret]:
    ids = [slug(own.id) for own in secrets]
    kept = [identity in there and identity not in ids[:place] for place, identity in enumerate(ids)]
    return [
        own.model_copy(update={"id": ids[place] if kept[place] else f"register-{place + 1}"})
        for place, own in enumerate(secrets)
    ]


def _of_threads(threads: Iterable[RegisteredThread]) -> list[RegisteredThread]:
    taken: set[str] = set()
    found = []
    for place, record in enumerate(threads, 1):
        wanted = slug(record.id) or slug(record.title) or f"thread-{place}"
        identity = wanted if wanted not in taken else f"{wanted[:70]}-{place}"
        taken.add(identity)
        found.append(record.model_copy(update={"id": identity}))
    return found


def _laid(register: Register, run: ActivityRun, deps: Deps) -> Move:
    node = run.node
    snapshot = BookSnapshot(
        deps.brief.title, deps.brief.language, register=register, own_locale=brief_locale(deps.brief)
    )
    text = f"{word('spoiler', snapshot.locale)}\n\n{register_page(snapshot)}"
    page = NewDocument(node=node.key, kind=DocumentKind.DESIGN, text=text)
    kept = NewDocument(
        node=node.key, kind=DocumentKind.REGISTER, text=text, data=register.model_dump_json(), inputs=run.sources
    )
    records = records_of(register, (deps.brief.premise, deps.brief.title))

    def into_codex(stores: Stores, step: int) -> None:
        document = stores.documents.add(kept, step)
        # A paid answer stands: what the codex cannot take is in the list all the same.
        merge_records(records, Origin.DESIGN, document.id, stores, step)

    return both(finish_task(page, run, deps), into_codex)


def records_of(register: Register, public: tuple[str, ...]) -> list[Record]:
    """Return what the codex takes in of a register; `public` is what everybody may know."""
    names = [name for own in register.threads for name in own.characters]
    values = [(RecordKind.SECRET, _secret_values(own, names, public)) for own in register.secrets]
    values += [(RecordKind.FORESHADOWING, _thread_values(own)) for own in register.threads]
    records = []
    for kind, fields in values:
        with suppress(InvalidInput):
            records.append(make_record(kind, fields))
    return records


def _secret_values(own: RegisteredSecret, names: list[str], public: tuple[str, ...]) -> dict[str, object]:
    return {
        "id": own.id, "content": own.content, "importance": "critical", "related_entity": own.about,
        "revealed_at": own.revealed_in, "forbidden_keywords": forbidding(own.forbidden_keywords, names, public),
        "allowed_expressions": [words for words in own.allowed_expressions if words],
    }  # fmt: skip


def _thread_values(own: RegisteredThread) -> dict[str, object]:
    is_later = own.answered_in > own.planted_in
    between = [place for place in own.reinforced_in if own.planted_in < place < own.answered_in]
    return {
        "id": own.id, "title": own.title, "seed": {"content": own.seed, "planned_at": own.planted_in},
        "payoff": {"content": own.meaning, "planned_at": own.answered_in if is_later else None},
        "timeline": {"reinforce_at": between},
        "related": {"characters": [name for name in own.characters if name]},
        "ai_visibility": {"allowed_expressions": [words for words in own.expressions if words]},
    }  # fmt: skip
