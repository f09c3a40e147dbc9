"""Several drafts of the same pages: where they are wanted, how they are made, judged, chosen and taken."""
