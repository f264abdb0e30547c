"""What every worker does before its first task; Dask calls `dask_setup` in each of them."""

import logging

from distributed import Worker


def dask_setup(_worker: Worker) -> None:
    """Leave it to the driver to tell of failed tasks.

    It gives the reason in a sentence, which the worker's own traceback would drown.
    """
    logging.getLogger("distributed.worker").addFilter(_is_no_failed_task)


def _is_no_failed_task(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("Compute Failed")
