"""An author's outline in Markdown."""
