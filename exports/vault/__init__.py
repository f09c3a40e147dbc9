"""A book as a folder that a person reads and edits: names, pages, front matter, the progress file."""
