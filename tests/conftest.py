"""What all tests share."""

from hypothesis import settings

settings.register_profile("bookwright", deadline=None)  # a busy machine is no fault of the program
settings.register_profile("thorough", deadline=None, max_examples=2_000)  # pytest --hypothesis-profile=thorough
settings.load_profile("bookwright")
