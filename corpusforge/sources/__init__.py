"""Where papers come from: one file per source. The only code that reaches the network."""
