"""Decision trees: questions about one feature at a time, greedily chosen."""
