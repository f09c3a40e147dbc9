"""The rehearsal author: no model, deterministic, for estimates, tests and scale runs."""
