"""Finding the nearest rows: spaces, indices and lists of neighbours."""
