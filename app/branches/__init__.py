"""Branches of books: forked, listed, compared, merged."""
