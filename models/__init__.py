"""The words of the domain: frozen models, enums, errors and settings. No I/O."""
