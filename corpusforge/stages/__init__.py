"""One file per stage: its config, its phases, its Stage value."""
