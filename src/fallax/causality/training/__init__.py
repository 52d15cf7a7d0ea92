"""What causality learns: the calibration of the verifier that ships, and verifiers of your own."""
