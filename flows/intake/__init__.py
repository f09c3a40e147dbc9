"""How a book begins or goes on from an author's own text."""
