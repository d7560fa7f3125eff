"""Naive Bayes: classes by the product of what each feature says of them."""
