"""Services that search the web, behind one interface."""
