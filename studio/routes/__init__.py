"""What the studio answers, a module for each kind of page."""
