"""What every test run shares.

Property-based tests draw the same examples each time, so that a run repeats exactly; with
``HYPOTHESIS_PROFILE=explore`` they draw new ones.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeat", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

if os.environ.get("HYPOTHESIS_PROFILE", "repeat") == "repeat":
    # Hypothesis also draws constants of the modules that happen to be imported, and so depends on the order of tests.
    with suppress(ImportError, KeyError):
        from hypothesis.internal.conjecture import providers

        setattr(providers, "_get_local_constants", vars(providers)["Constants"])  # noqa: B010


@pytest.fixture
def python_hears_ctrl_c() -> Iterator[None]:
    """A shell that runs the tests in the background has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
