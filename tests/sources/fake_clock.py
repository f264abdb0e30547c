"""Time that passes only when somebody sleeps."""

from corpusforge.sources.network import Clock


class FakeClock:
    """A clock to give to clients, limiters and emulators; `slept` is what they slept."""

    def __init__(self, now=1_700_000_000.0):
        self.time = now
        self.slept = []

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds

    @property
    def clock(self):
        return Clock(self.now, self.sleep)
