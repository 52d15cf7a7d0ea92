"""Benchmarks of this job; :mod:`fallax.runs.registry` names them."""
