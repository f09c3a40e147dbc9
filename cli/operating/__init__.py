"""Verbs for whoever runs the program: server, submit, doctor, models, upkeep."""
