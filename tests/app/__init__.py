"""Tests of what command line, page and tool server call alike; most of it is tested through one of their doors."""
