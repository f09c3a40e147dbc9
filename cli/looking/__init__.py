"""Verbs that look: tree, show, read, log, status, report, prompt, style."""
