"""Verbs that change what is written or known: revise, refresh, codex, secrets, history, branches."""
