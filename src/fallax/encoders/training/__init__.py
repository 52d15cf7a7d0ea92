"""What training of every encoder shares; needs ``pip install 'fallax[train]'``."""
