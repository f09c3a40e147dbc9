"""Tests: The model layer."""
