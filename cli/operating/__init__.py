"""Verbs for whoever runs the program: server, submit, services, doctor, models, upkeep."""
