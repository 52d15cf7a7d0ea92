"""Training of the entailment model; needs ``pip install 'fallax[train]'``."""
