"""Verbs that write books: write, resume, import, estimate, worldbuild, mystery."""
