"""How tools reach the web: checked addresses, bounded downloads, readable pages."""
