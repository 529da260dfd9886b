"""Settings of Hypothesis for all tests: the same cases on every run, and no deadline."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "arcwise",
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arcwise")
