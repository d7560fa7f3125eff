"""Trees grown from binned columns: sums per bin, added in whole numbers, instead of sorted rows."""
