"""Blueprints that come with the program: a folder each, with `blueprint.toml` and its templates."""
