"""A manuscript's file as blocks, by its format."""
