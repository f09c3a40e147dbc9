"""What calls cost, and the limits they keep to."""
