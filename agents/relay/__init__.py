"""The Relay: what a writer may know, who checks, and the figures beside their opinion."""
