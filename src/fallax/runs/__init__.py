"""Benchmark runs: run, resume, score, compare and report."""
