"""Train the entailment model; needs ``pip install 'fallax[train]'``."""
