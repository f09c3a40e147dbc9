"""What comes with the package as blueprints."""
