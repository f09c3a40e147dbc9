"""Mends a division that a weak model left with too few events, or with the same one again."""

from collections.abc import Sequence

from bookwright.agents.small.premise import opening_of
from bookwright.models.text.language import Language
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.ranking import terms

_ALIKE = 0.6
_LEAST_TERMS = 3
_ARC = {
    Language.EN: ("How it begins", "How it gets worse", "How it ends"),
    Language.ZH: ("开端", "事情变糟", "结局"),
    Language.JA: ("始まり", "深まる苦境", "結末"),
    Language.KO: ("시작", "나빠지는 사정", "결말"),
}


def distinct_events(units: Sequence[PlanNode], count: int, parent: TaskNode, language: Language) -> list[PlanNode]:
    """Return `count` children that tell different things.

    The model's own where enough of them differ; otherwise a fixed arc (begins, gets worse, ends)
    over the parent's goal. Source: facts/local-models-chroma.md section E, "Plans and JSON".
    """
    distinct: list[PlanNode] = []
    for unit in units:
        is_more_than_a_title = len(set(terms(unit.goal))) >= _LEAST_TERMS
        if is_more_than_a_title and not any(_are_alike(unit.goal, other.goal) for other in distinct):
            distinct.append(unit)
    return distinct[:count] if len(distinct) >= count else _arc(parent, count, language)


def _arc(parent: TaskNode, count: int, language: Language) -> list[PlanNode]:
    begins, worsens, ends = _ARC[language]
    nodes = []
    for index in range(count):
        title = begins if index == 0 else ends if index == count - 1 else worsens
        numbered = f"{title} ({index})" if title == worsens and count > 3 else title
        event = opening_of(parent.goal, index, count, language)
        nodes.append(PlanNode(task_type=TaskType.WRITE, title=numbered, goal=f"{numbered}: {event}".rstrip(": ")))
    return nodes


def _are_alike(one: str, other: str) -> bool:
    """True if two goals share most of their words."""
    left, right = set(terms(one)), set(terms(other))
    return len(left & right) >= _ALIKE * min(len(left), len(right)) if left and right else one == other
