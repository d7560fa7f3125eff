"""Forests: binned tables, trees grown in compiled loops, and the walk of rows through all of them."""
