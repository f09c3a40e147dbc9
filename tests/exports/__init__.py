"""Tests of what a manuscript becomes."""
