"""Tests of the Relay."""
