"""The softmax objective, its metric, its solver and the classifier on top."""
