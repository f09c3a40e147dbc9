"""What a blueprint's members are done with: agents, checks of code, and pages that code makes."""
