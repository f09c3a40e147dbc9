"""Providers over the network, through pydantic-ai."""
