"""`watch`: a screen over books that other processes write."""
