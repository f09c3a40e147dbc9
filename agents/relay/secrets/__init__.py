"""What readers are not to know yet: which texts that is, who is shown it, and how a text is found to tell it."""
