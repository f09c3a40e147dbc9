"""The embedded model: llama.cpp in this process, and its weights."""
