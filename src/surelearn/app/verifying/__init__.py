"""The parts of verifying: what a theorem gives again, what an issuer could have stated, the run."""
