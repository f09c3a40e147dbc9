"""Texts that authors bring along: read from their files, and cut where their chapters begin. Pure code, no model."""
