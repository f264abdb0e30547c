"""One step as it is told: to people in a line, to programs as an entry of the log."""

from dataclasses import asdict, dataclass
from typing import Any

from corpusforge.training.pace import Reading
from corpusforge.training.trainer import Step


@dataclass(frozen=True)
class Moment:
    """Where a run is after a step."""

    steps_done: int
    steps: int
    taken: Step
    noise: float | None  # gradient noise scale, in windows
    reading: Reading

    @property
    def line(self) -> str:
        """For people who read job logs."""
        taken, reading = self.taken, self.reading
        return (
            f"step {self.steps_done}/{self.steps}  loss {taken.loss:.3f}  "
            f"lr {taken.learning_rate:.2e}  {reading.tokens_per_second:,.0f} tokens/s  "
            f"{reading.utilisation:.1%} of peak  waited {reading.waited:.1%}  "
            f"{reading.memory / 1e6:,.0f} MB  {duration(reading.seconds_left)} left"
        )

    @property
    def entry(self) -> dict[str, Any]:
        """For the log."""
        return {
            "step": self.steps_done,
            "loss": self.taken.loss,
            "learning_rate": self.taken.learning_rate,
            "gradient_norm": self.taken.gradient_norm,
            "noise_scale": self.noise,
            "loss_scale": self.taken.loss_scale,
            "skipped": self.taken.skipped,
            **asdict(self.reading),
        }


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, days where there are any.

    >>> duration(75), duration(3600 * 50 + 61)
    ('0:01:15', '2d 2:01:01')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (f"{days}d " if days else "") + f"{hours}:{minutes:02}:{rest:02}"
