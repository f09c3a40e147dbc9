"""Tests: Agents and the model layer."""
