"""Looking on while books are written: short looks, a folded tree, what event files say."""
