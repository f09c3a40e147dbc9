"""Verbs that give books away and take them back: export, vault, sync, backup."""
