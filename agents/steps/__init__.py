"""One step of an activity: what it is shown, how it is asked, parsed, mended and recorded."""
