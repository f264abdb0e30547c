"""Where tasks run on many processes. Only this package imports dask and distributed."""
