"""What the rehearsal author says, by language."""
