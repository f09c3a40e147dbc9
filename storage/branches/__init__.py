"""Branches of books: forked by copying what is small, reading the rest where it stands."""
