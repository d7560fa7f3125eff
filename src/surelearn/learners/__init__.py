"""One file per algorithm, under its full name, grouped by hypothesis class."""
