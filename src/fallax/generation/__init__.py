"""Fallacies with sound twins, and models that judge sentences (SmartyPat)."""
