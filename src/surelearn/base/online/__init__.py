"""Online learning: rows one at a time, in order."""
