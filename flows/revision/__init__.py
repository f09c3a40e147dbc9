"""Changing what is written: edits, notes, and what they make stale."""
