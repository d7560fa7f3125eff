"""Reading files: what a table on disk says, and notes on how it was understood."""
