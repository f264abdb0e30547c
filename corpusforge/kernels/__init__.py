"""Algorithms on numpy arrays over Arrow buffers and on plain str: no files, clocks or network."""
