"""The rehearsal author: no model, deterministic, for estimates, tests and scale runs."""

from bookwright.agents.backends.rehearsal.backend import RehearsalBackend

__all__ = ["RehearsalBackend"]
