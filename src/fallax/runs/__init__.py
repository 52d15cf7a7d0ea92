"""Benchmarks: a corpus, a system and a metric, beside what was published."""
