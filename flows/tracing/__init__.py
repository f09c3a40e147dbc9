"""The spans of a book that is held, around what the walk needs from outside."""
