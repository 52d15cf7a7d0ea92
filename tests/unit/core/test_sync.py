"""Synchronous versions of async functions: what Ctrl-C does to them."""

import asyncio
import os
import signal
import threading

import pytest

from fallax.core.sync import run

pytestmark = pytest.mark.usefixtures("python_hears_ctrl_c")


def test_ctrl_c_stops_a_computation_wherever_it_is() -> None:
    reached = []

    async def computes() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):  # awaits nothing, as a detector
            pass
        reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        run(computes())
    assert reached == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        run(computes(), at_once=False)
    assert reached == ["the end"]


def test_ctrl_c_cancels_what_runs_beside_a_running_loop_so_that_no_further_model_is_asked() -> None:
    cancelled = threading.Event()

    async def asks() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await asyncio.sleep(120)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def notebook() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a cell; asyncio.run has put its own
        with pytest.raises(KeyboardInterrupt):
            run(asks())

    asyncio.run(notebook())
    assert cancelled.wait(60)
