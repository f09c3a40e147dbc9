"""What the Relay keeps through whole walks: secrets, registers, clocks, quality."""
