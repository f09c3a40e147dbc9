"""Talking with an agent."""
