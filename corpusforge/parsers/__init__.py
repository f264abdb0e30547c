"""Bytes of one record to a Paper. Parsers raise ParseError and nothing else."""
