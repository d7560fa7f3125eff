"""ID3 and C4.5: a branch per category, rows with missing cells divided among branches."""
