"""Branches of books: `fork`, `branches`, `compare`, `merge`."""
