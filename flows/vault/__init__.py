"""A book's folder of files, kept in step with its book."""
