"""Train a language model on token shards, on one core or on many ranks under MPI."""
