"""Training of detectors; needs ``pip install 'fallax[train]'``.

Nothing in here is imported by the rest of the package: a detector that is trained runs without torch.
"""
