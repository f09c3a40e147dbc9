"""What Bookwright must reach, measured: `python -m bench all`. Source: DESIGN section 17."""
