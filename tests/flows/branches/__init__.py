"""Branches of books."""
