"""Which lines are headings, and how authors number and word them."""
