"""Foreshadowing: where each thread stands, what a writer does for it, and what was done."""
