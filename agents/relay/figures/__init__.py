"""Figures of prose that need no opinion: length, speech, rhythm, repetition, stock phrases, names, style."""
