"""The algorithm: the walk over a book's tree, and Prefect around it."""
