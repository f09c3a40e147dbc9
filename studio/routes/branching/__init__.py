"""Branches of a book: the map of them, two side by side, taking over and taking back."""
