"""Manuscripts that somebody wrote elsewhere, before they become books."""
