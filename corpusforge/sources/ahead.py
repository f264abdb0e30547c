"""Several requests of a plan in flight at once, whose answers are taken in the order of the plan.

Whoever goes through the plan does so as if one request followed the other. So what it does cannot
depend on how many are in flight, nor on which answer comes first.
"""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Generic, Self, TypeVar

from corpusforge.sources.answers import Request

# Answers that may wait for their turn, for each further request in flight. While one request is
# tried again after a pause, the others go on for so long.
WAITING = 4
A = TypeVar("A")


class Ahead(Generic[A]):
    """Asks requests ahead of their turn, inside a `with` block.

    Args:
        ask: Called from `width` threads.
        stop: Lets those calls end soon; called when the block is left by an exception.
        requests: That will be taken, in this order; drawn from when there is room.
        width: How many are in flight at most.
        works: Whether the server is known to answer. If not, requests are asked alone until one is
            answered, so that a wrong key, or a quota that is used up, costs one request.
    """

    def __init__(
        self,
        ask: Callable[[Request], A],
        stop: Callable[[], None],
        requests: Iterable[Request],
        width: int,
        works: bool,
    ) -> None:
        self._ask = ask
        self._stop = stop
        self._requests = iter(requests)
        self._room = 1 + WAITING * (width - 1)
        self._pool = ThreadPoolExecutor(width, thread_name_prefix="corpusforge-fetch")
        self._asked: deque[tuple[Request, Future[A]]] = deque()
        self._next = next(self._requests, None)  # to be asked ahead
        self._works = works

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        """Leave nothing in flight: what was asked is answered, and whoever asked has stored it."""
        if kind is not None:
            self._stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def take(self, request: Request) -> A:
        """The answer to a request: the next one that was asked ahead, or any other, asked now.

        Raises:
            Exception: Whatever `ask` raised for it.
        """
        if request != (self._asked[0][0] if self._asked else self._next):
            return self._ask(request)
        while self._next is not None and len(self._asked) < (self._room if self._works else 1):
            self._asked.append((self._next, self._pool.submit(self._ask, self._next)))
            self._next = next(self._requests, None)
        answer = self._asked.popleft()[1].result()
        self._works = True
        return answer
