"""Generates fallacies with sound twins, and judges sentences (SmartyPat)."""
