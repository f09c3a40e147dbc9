"""The index: passages and vectors, and the search among them. Chroma is known only here."""
