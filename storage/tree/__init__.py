"""The task tree of a book as rows, and looks at it of bounded size."""
