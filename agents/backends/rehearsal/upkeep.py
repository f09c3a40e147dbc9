"""What the rehearsal author answers as a maintainer: the state of the story, carried on from version to version."""

from random import Random
from typing import Any

from pydantic import ValidationError

from bookwright.agents.backends.rehearsal.step import Step
from bookwright.models.story.state import Ending, GlobalState, Promise, Relation, Settled, Waiting

_RELATIONS = 4
_PROMISES = 8
"""Open promises from which on the eldest is kept."""

_KEPT = 0.35
"""Chance that a version settles a promise although there is room."""


def state(step: Step) -> dict[str, Any]:
    """Carry the present state on: a new promise for each news, and now and then one that is kept."""
    rng, voice = step.rng(), step.voice
    before = _present(step)
    promises = list(before.promises) if before else []
    settled = []
    for _ in step.texts("news"):
        promises.append(Promise(promise=voice.sentence("told", rng), due=voice.title(rng)))
        if len(promises) > _PROMISES or (promises[0].id and rng.random() < _KEPT):
            gone = promises.pop(0)
            settled += [Settled(id=gone.id, ending=Ending.KEPT)] if gone.id else []
    relations = {(relation.who, relation.to): relation for relation in before.relations} if before else {}
    relation = _relation(step, rng)
    relations[relation.who, relation.to] = relation
    changed = GlobalState(
        aim=before.aim if before else f"{voice.marker} {voice.sentence('aims', rng)}",
        conflict=before.conflict if before else voice.sentence("told", rng),
        relations=tuple(relations.values())[-_RELATIONS:],
        promises=tuple(promises),
        waiting=Waiting(at_once=voice.sentence("asked", rng), by_the_end=voice.sentence("aims", rng)),
        settled=tuple(settled),
    )
    return changed.model_dump(mode="json")


def _present(step: Step) -> GlobalState | None:
    text = "".join(step.texts("current_document"))
    try:
        return GlobalState.model_validate_json(text) if text else None
    except ValidationError:  # kept by another profile, as text
        return None


def _relation(step: Step, rng: Random) -> Relation:
    who, to = rng.sample(step.voice.people, 2)
    return Relation(who=who, to=to, now=step.voice.sentence("noted", rng))
