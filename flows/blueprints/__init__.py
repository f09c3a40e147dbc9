"""What the walk does for a book that has a blueprint."""
