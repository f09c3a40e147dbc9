"""Talks with agents: sessions, events, tools, and the commands that words may come to."""
