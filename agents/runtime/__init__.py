"""Agents that run: sessions, the event bus they speak on, and who may do what."""
