"""Forests: binned tables, trees grown in compiled loops, the walk of rows through them."""
