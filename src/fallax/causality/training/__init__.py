"""What causality learns: the calibration of the verifier that ships, and verifiers of your own."""

from fallax.causality.training.calibration import calibrate_causality

__all__ = ["calibrate_causality"]
