"""Arrow schemas, the kept-or-rejected split of a batch, and their published form."""
