"""Prose as text: paragraphs, sentences, lengths, figures, and changes of it."""
