"""When things happen in a story: times in words, what they say, and which comes first."""
