"""Prefect around the walk: its server, its runs, the work pool."""
