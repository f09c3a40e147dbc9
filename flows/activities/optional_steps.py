"""Steps that a book can do without: where no answer of one can be used, the attempts are on record and it goes on."""

from bookwright.agents.agent import Agent
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check, Conclude, Outcome
from bookwright.models.errors import NoResult, RequestRejected


def try_step(
    run: ActivityRun, agent: Agent, conclude: Conclude | None = None, *, step: str = "", check: Check | None = None
) -> Outcome | None:
    """Do a step, or find it done; None where no answer of it can be used."""
    if is_given_up(run, step or agent.name):
        return None
    try:
        return run.run(agent, conclude, step=step, check=check)
    except (NoResult, RequestRejected):
        return None


def is_given_up(run: ActivityRun, step: str) -> bool:
    """True for a step with so many useless answers that it is not asked again."""
    return run.failures(step) > run.desk.settings.max_repairs


def is_last_try(run: ActivityRun, step: str) -> bool:
    """True for a step whose next answer is taken as it is, if it can be taken at all."""
    return run.failures(step) >= run.desk.settings.max_repairs
