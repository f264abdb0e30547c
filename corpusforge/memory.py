"""How much memory this process has taken."""

import resource
from contextlib import suppress
from pathlib import Path

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory() -> int:
    """Most resident bytes since the process started, or since `forget_peak`.

    Linux tells it in /proc. What `getrusage` tells there is no smaller than the peak of the
    process that started this one; elsewhere it has to do.
    """
    try:
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def forget_peak() -> None:
    """Start measuring the peak anew, where the system can."""
    with suppress(OSError):
        FORGET.write_text("5")
