"""Bytes on disk. Each module's docstring is the specification of its format."""
