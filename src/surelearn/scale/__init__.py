"""Beyond memory: streams of rows from files."""
