"""Verifies claims about cause and effect: does the evidence support them, and by which steps? (CheckWhy)"""
