"""What the studio answers, a module for each of its pages."""
