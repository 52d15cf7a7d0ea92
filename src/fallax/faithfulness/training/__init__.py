"""Training of the local judge; needs ``pip install 'fallax[train]'``.

Nothing in here is imported by the rest of the package: a judge that is trained runs without torch.
"""
