"""Examines many records with one system: into a folder shared by many machines, or a table at a time."""

from fallax.scan.jobs import FIELDS, JOBS, ScanJob
from fallax.scan.parts import FORMATS, ROWS, ScanCounts
from fallax.scan.records import SUFFIXES, files_left_out
from fallax.scan.run import ENGINES, PART_SIZE, Scan, ScanProgress, scan
from fallax.scan.tables import batch
from fallax.scan.view import statistics_lines, statistics_page

__all__ = [
    "ENGINES",
    "FIELDS",
    "FORMATS",
    "JOBS",
    "PART_SIZE",
    "ROWS",
    "SUFFIXES",
    "Scan",
    "ScanCounts",
    "ScanJob",
    "ScanProgress",
    "batch",
    "files_left_out",
    "scan",
    "statistics_lines",
    "statistics_page",
]
